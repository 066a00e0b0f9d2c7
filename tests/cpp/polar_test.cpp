// SPDX-License-Identifier: MIT
#include "core/math/polar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/math/quat.h"

namespace lissom {
namespace {

using Mat = Mat3<double>;

constexpr double kTight = 1e-12;  // roundings of a well-conditioned decomposition

Mat diagonal(double x, double y, double z) { return {{{x, 0, 0}, {0, y, 0}, {0, 0, z}}}; }

class Polar : public testing::Test {
 protected:
  Mat rotation() {
    return mat3_from(
        normalized(Quat<double>{normal_(random_), normal_(random_), normal_(random_), normal_(random_)}));
  }

 private:
  std::mt19937 random_{11};
  std::normal_distribution<double> normal_;
};

void expect_near(const Mat& a, const Mat& b, double tolerance = kTight) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(a.m[i][j], b.m[i][j], tolerance) << i << ", " << j;
  }
}

void expect_rotation(const Mat& r) {
  expect_near(transpose(r) * r, Mat::identity());
  EXPECT_NEAR(determinant(r), 1, kTight);
}

TEST_F(Polar, GivesBackTheFactorsItIsMadeOf) {
  const double scales[][3] = {{1, 1, 1},       {1, 2, 3},    {1e-3, 1e-3, 1e-3},       {100, 100, 100},
                              {1, 1e-4, 1},    {1, 1e-7, 1}, {1e-150, 1e-150, 1e-150}, {1e150, 1e150, 1e150},
                              {1, 1e-7, 1e-7}, {1, 0, 2},    {3e-320, 3e-320, 3e-320}};
  for (const auto& s : scales) {
    for (int n = 0; n < 20; ++n) {
      const Mat r = rotation(), axes = rotation();
      const Mat stretch = axes * diagonal(s[0], s[1], s[2]) * transpose(axes);
      const Mat got = polar_rotation(r * stretch, rotation(), kRankToleranceDouble);
      expect_rotation(got);
      // Rounding of M turns R by its share of the sum of the two smallest singular values.
      const double smallest = s[1] + std::min(s[0], s[2]);
      const double largest = std::max({s[0], s[1], s[2]});
      const double digits = largest < 1e-300 ? 1e-2 : 1e-15;  // subnormal numbers have few
      expect_near(got, r, 20 * digits * largest / smallest);
    }
  }
}

TEST_F(Polar, AMirrorTakesTheSignOfAllAxes) {
  for (int n = 0; n < 20; ++n) {
    const Mat r = rotation(), axes = rotation();
    for (const double least : {1.0, 1e-5}) {  // either way of finding the rotation
      const Mat stretch = axes * diagonal(least, 2, 3) * transpose(axes);
      expect_near(polar_rotation(-1.0 * (r * stretch), Mat::identity(), kRankToleranceDouble), r);
    }
  }
  expect_near(polar_rotation(diagonal(-1, 1, 1), Mat::identity(), kRankToleranceDouble), diagonal(1, -1, -1));
}

TEST_F(Polar, WhatIsLostComesFromTheNeighbour) {
  for (int n = 0; n < 20; ++n) {
    const Mat r = rotation(), axes = rotation();
    expect_near(polar_rotation(Mat{}, r, kRankToleranceDouble), r, 0);
    // One axis left: a neighbour that agrees on it is the answer, for a rotation can be no nearer than equal.
    const Mat line = axes * diagonal(2, 0, 0) * transpose(axes);
    expect_near(polar_rotation(r * line, r, kRankToleranceDouble), r);
    // A neighbour that does not: the axis is kept all the same.
    const Mat got = polar_rotation(r * line, rotation(), kRankToleranceDouble);
    expect_rotation(got);
    expect_near(got * line, r * line);
  }
}

TEST_F(Polar, NoNeighbourIsNearerThanTheOneFound) {
  for (int n = 0; n < 20; ++n) {
    const Mat r = rotation(), axes = rotation(), near = rotation();
    const Mat line = r * (axes * diagonal(2, 0, 0) * transpose(axes));
    const Mat best = polar_rotation(line, near, kRankToleranceDouble);
    const auto closeness = [&](const Mat& a) {
      double trace = 0;
      for (int i = 0; i < 3; ++i) trace += dot(a.row(i), near.row(i));
      return trace;
    };
    // All other rotations that fit: turned about the axis that is left.
    const Vec3<double> axis = normalized(r * axes.column(0));
    for (double angle = 0.01; angle < 6.28; angle += 0.1) {
      const Mat other = mat3_from(quat_from_axis_angle(axis, angle)) * best;
      expect_near(other * transpose(best) * line, line, 1e-9);
      EXPECT_LE(closeness(other), closeness(best) + kTight);
    }
  }
}

TEST_F(Polar, RoundingDoesNotCountAsAnAxis) {
  // Rank two with a third singular value of either sign, as float32 products leave it.
  for (const double noise : {1e-6, -1e-6}) {
    const Mat r = rotation();
    expect_near(polar_rotation(r * diagonal(1, 1, noise), Mat::identity(), kRankToleranceFloat), r, kTight);
    EXPECT_FALSE(is_invertible(r * diagonal(1, 1, noise), kRankToleranceFloat));
  }
  EXPECT_TRUE(is_invertible(diagonal(1, 1, 1e-4), kRankToleranceFloat));
}

TEST_F(Polar, AxesAreNormalisedBeforeTheyAreCompared) {
  const Mat r = rotation();
  expect_near(rotation_of_axes(r * diagonal(1e-6, 5, 300), Mat::identity(), kRankToleranceDouble), r);
  expect_near(rotation_of_axes(r * diagonal(0, 5, 3), Mat::identity(), kRankToleranceDouble), r);
  expect_near(rotation_of_axes(r * diagonal(0, 5, 0), r, kRankToleranceDouble), r);
  expect_near(rotation_of_axes(Mat{}, r, kRankToleranceDouble), r, 0);
}

}  // namespace
}  // namespace lissom
