// SPDX-License-Identifier: MIT
#include "core/weights/heat.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/geometry/intrinsic_laplacian.h"

namespace lissom {
namespace {

using Points = std::vector<std::array<double, 3>>;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

TEST(IntrinsicLaplacian, IsTheCotangentOneOfAcuteTriangles) {
  // A regular tetrahedron with edges of 2 sqrt 2: all angles are 60 degrees, so each edge weighs cot 60.
  const Points points = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  const Triangles triangles = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  IntrinsicLaplacian laplacian;
  ASSERT_FALSE(laplacian.make(points, triangles, {}));
  EXPECT_EQ(laplacian.flip_count, 0u);
  double weights[4][4] = {};
  for (const auto& [a, b, weight] : laplacian.edges) {
    weights[a][b] += weight;
    weights[b][a] += weight;
  }
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) EXPECT_NEAR(weights[a][b], a == b ? 0 : 1 / std::sqrt(3.0), 1e-12);
    EXPECT_NEAR(laplacian.areas[static_cast<std::size_t>(a)], 2 * std::sqrt(3.0), 1e-12);
  }
}

TEST(IntrinsicLaplacian, FlipsFlatQuadsToTheShortDiagonal) {
  // A flat rhombus given by its long diagonal: two obtuse triangles. What two flips (front and back) leave is the
  // Laplacian of the two acute ones.
  const Points points = {{-2, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  IntrinsicLaplacian given;
  IntrinsicLaplacian acute;
  ASSERT_FALSE(given.make(points, Triangles{{0, 1, 2}, {0, 3, 1}}, {}));
  ASSERT_FALSE(acute.make(points, Triangles{{3, 2, 0}, {2, 3, 1}}, {}));
  EXPECT_GE(given.flip_count, 2u);
  double difference = 0;
  for (const auto& [a, b, weight] : given.edges) {
    EXPECT_GE(weight, 0);
    difference += weight * (points[a][0] - points[b][0]) * (points[a][0] - points[b][0]);
  }
  for (const auto& [a, b, weight] : acute.edges) {
    difference -= weight * (points[a][0] - points[b][0]) * (points[a][0] - points[b][0]);
  }
  EXPECT_NEAR(difference, 0, 1e-4);  // of 4, the area; lengths are mollified by none or 1e-5
}

TEST(HeatWeightsJob, SaysWhatIsWrongAndWritesNothing) {
  std::vector<double> positions = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  std::vector<std::uint32_t> triangles = {0, 1, 3};
  std::vector<BoneSegment> bones = {{{0, 0, -1}, {0, 0, std::numeric_limits<double>::quiet_NaN()}}};
  std::vector<double> weights = {7, 7, 7};
  std::vector<std::uint8_t> sights(3);
  HeatWeightsJob job;
  EXPECT_EQ(job.run().sentence(), "handles must be at least one, got none");
  job.bones = bones;
  job.positions = positions;
  job.triangles = triangles;
  EXPECT_EQ(job.run().sentence(), "weights must hold 3 numbers, got 0");
  job.weights = weights;
  EXPECT_EQ(job.run().sentence(), "sights must hold 3 numbers, got 0");
  job.sights = sights;
  EXPECT_EQ(job.run().sentence(), "handles must be finite, got nan in handle 0");
  bones[0].tail[2] = 0;
  EXPECT_EQ(job.run().sentence(), "triangles must be in [0, 3), the number of vertices, got 3 in row 0");
  triangles[2] = 2;
  job.conductance = 0;
  EXPECT_EQ(job.run().sentence(), "conductance must be above zero and finite, got 0");
  job.conductance = 1;
  job.progress = [](const char*, double) { return true; };
  EXPECT_EQ(job.run().sentence(), kStopped);
  EXPECT_EQ(weights, (std::vector<double>{7, 7, 7}));
  job.progress = {};
  ASSERT_FALSE(job.run());
  EXPECT_EQ(weights, (std::vector<double>{1, 1, 1}));
}

}  // namespace
}  // namespace lissom
