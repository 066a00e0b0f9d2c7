// SPDX-License-Identifier: MIT
#include "core/volume/implicit_shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace lissom {
namespace {

constexpr double kRounding = 1e-14;

TEST(ImplicitShapes, EllipsoidsAreZeroOnTheirSurface) {
  const std::vector<double> points = {3, 2, 3, 1, 2, 3, 1, 5, 3, 1, 2, 11};
  std::vector<double> out(4);
  EllipsoidJob job;
  job.points = points;
  job.center = {1, 2, 3};
  job.radii = {2, 1, 4};
  job.out = out;
  ASSERT_FALSE(job.run());
  EXPECT_NEAR(out[0], 0, kRounding);
  EXPECT_EQ(out[1], -1);  // the centre: the smallest radius
  EXPECT_NEAR(out[2], 2, kRounding);
  EXPECT_NEAR(out[3], 4, kRounding);
}

TEST(ImplicitShapes, CapsulesAreAsFarAsTheirNearestBall) {
  const std::vector<double> points = {0, 3, 0, 5, 3, 0, 14, 0, 0};
  std::vector<double> out(3);
  CapsuleJob job;
  job.points = points;
  job.tail = {10, 0, 0};
  job.head_radius = 1;
  job.tail_radius = 2;
  job.out = out;
  ASSERT_FALSE(job.run());
  EXPECT_NEAR(out[0], 2, kRounding);
  EXPECT_NEAR(out[1], 1.5, kRounding);
  EXPECT_NEAR(out[2], 2, kRounding);
}

TEST(ImplicitShapes, LoftsGoThroughTheirKnotsAndOnBeyondThem) {
  const std::vector<double> parameter = {0, 1, 3};
  const std::vector<double> values = {1, 2, 0, 0, 2, 2, 0.5, 0, 2, 1, 0, 1};
  const std::vector<double> slopes(12, 0.0);
  const std::vector<double> points = {1, 0, 0,  0,    2, -7, 2.5,      1,       0,
                                      0, 3, 99, 0.25, 1, 0,  2.421875, 0.15625, 1.5};
  std::vector<double> out(6);
  LoftJob job;
  job.points = points;
  job.axes = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  job.parameter = parameter;
  job.values = values;
  job.slopes = slopes;
  job.out = out;
  ASSERT_FALSE(job.run());
  EXPECT_NEAR(out[0], 0, kRounding);
  EXPECT_NEAR(out[1], 0, kRounding);
  EXPECT_GT(out[2], 0);
  EXPECT_NEAR(out[3], 1, kRounding);  // the last ellipse: half-widths 2 and 1, one further along y
  EXPECT_LT(out[4], 0);
  // A quarter of the way to the last knot the curves have gone 5/32 of theirs.
  EXPECT_NEAR(out[5], 0, kRounding);
  job.slopes = {};
  EXPECT_TRUE(job.run());
}

TEST(ImplicitShapes, UnionsAreRoundedWhereBothAreNear) {
  const double far = std::numeric_limits<double>::infinity();
  const std::vector<double> first = {0, 1, -1, 2}, second = {0, 3, -1.5, far};
  std::vector<double> out(4);
  SmoothUnionJob job;
  job.first = first;
  job.second = second;
  job.radius = 1;
  job.out = out;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(out, std::vector<double>({-0.25, 1, -1.5 - 0.25 * 0.25, 2}));
  job.sign = -1;
  job.second = first;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(out, std::vector<double>({0.25, 1.25, -0.75, 2.25}));
}

TEST(ImplicitShapes, EveryPointHasADistance) {
  std::vector<double> three(3), two(2);
  EllipsoidJob ellipsoid;
  ellipsoid.points = three;
  ellipsoid.out = two;
  EXPECT_TRUE(ellipsoid.run());
  CapsuleJob capsule;
  capsule.points = three;
  capsule.out = two;
  EXPECT_TRUE(capsule.run());
  LoftJob loft;
  loft.points = three;
  loft.out = two;
  EXPECT_TRUE(loft.run());
  SmoothUnionJob joined;
  joined.first = three;
  joined.second = two;
  joined.out = three;
  EXPECT_TRUE(joined.run());
}

}  // namespace
}  // namespace lissom
