// SPDX-License-Identifier: MIT
#include "core/geometry/closest_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/geometry/closest_point_kernels.h"
#include "core/geometry/triangle_bvh.h"
#include "core/simd/isa.h"

namespace lissom {
LISSOM_KERNEL_TABLE(ClosestPointKernels, closest_point_kernels)
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TriangleBvh make(const std::vector<double>& positions, const std::vector<std::uint32_t>& triangles) {
  TriangleBvh bvh;
  const Error error = TriangleBvh::make({{}, positions, triangles}, &bvh);
  EXPECT_FALSE(error) << error.sentence();
  return bvh;
}

TEST(ClosestPointJob, FindsInsideEdgeAndCorner) {
  const TriangleBvh bvh = make({0, 0, 0, 4, 0, 0, 0, 4, 0}, {0, 1, 2});
  const std::vector<double> points = {1, 1, 2, 2, -3, 0, -3, -4, 0, 4, 4, 0};
  std::vector<double> distances(4);
  std::vector<std::int64_t> triangles(4);
  std::vector<double> weights(12);
  ClosestPointJob job;
  job.bvh = &bvh;
  job.points = points;
  job.distances = distances;
  job.triangles = triangles;
  job.weights = weights;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(distances[0], 2);
  EXPECT_EQ(distances[1], 3);
  EXPECT_EQ(distances[2], 5);
  EXPECT_NEAR(distances[3], 2 * std::sqrt(2.0), 1e-15);
  EXPECT_EQ(triangles, (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(weights, (std::vector<double>{0.5, 0.25, 0.25, 0.5, 0.5, 0, 1, 0, 0, 0, 0.5, 0.5}));
}

TEST(ClosestPointJob, FindsNothingWithoutAreaOrFacing) {
  const std::vector<double> points = {1, 1, 2};
  std::vector<double> distances(1);
  ClosestPointJob job;
  job.points = points;
  job.distances = distances;
  const TriangleBvh line = make({0, 0, 0, 4, 0, 0, 8, 0, 0}, {0, 1, 2});
  job.bvh = &line;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(distances[0], kInf);
  const TriangleBvh bvh = make({0, 0, 0, 4, 0, 0, 0, 4, 0}, {0, 1, 2});
  const std::vector<double> normals = {0, 0, -1};
  job.bvh = &bvh;
  job.normals = normals;
  job.least_cosine = 0;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(distances[0], kInf);
}

TEST(ClosestPointJob, AllInstructionSetsGiveTheSameBits) {
  std::mt19937 random(11);
  std::normal_distribution<double> place;
  std::vector<double> positions(3 * 900);
  for (double& along : positions) along = place(random);
  std::vector<std::uint32_t> triangles(900);
  for (std::uint32_t i = 0; i < 900; ++i) triangles[i] = (i * 7) % 900;
  const TriangleBvh bvh = make(positions, triangles);
  const std::size_t count = 500;
  std::vector<double> points(3 * count);
  for (double& along : points) along = 2 * place(random);
  struct Found {
    std::vector<double> distances, weights;
    std::vector<std::int64_t> triangles;
  };
  Found first;
  for (const Isa isa : runnable_isas()) {
    std::vector<double> distances(count);
    std::vector<std::int64_t> which(count);
    std::vector<double> weights(3 * count);
    ClosestPointKernelArgs args{};
    args.nodes = bvh.nodes().data();
    args.leaves = bvh.wide_leaves().data();
    args.space = &bvh.space();
    args.points = points.data();
    args.end = count;
    args.distances = distances.data();
    args.triangles = which.data();
    args.weights = weights.data();
    closest_point_kernels(isa).find_wide(args);
    const Found found = {distances, weights, which};
    if (first.distances.empty()) first = found;
    EXPECT_EQ(found.distances, first.distances) << isa_name(isa);
    EXPECT_EQ(found.weights, first.weights) << isa_name(isa);
    EXPECT_EQ(found.triangles, first.triangles) << isa_name(isa);
  }
}

TEST(ClosestPointJob, SaysWhatIsWrongAndWritesNothing) {
  const TriangleBvh bvh = make({0, 0, 0, 4, 0, 0, 0, 4, 0}, {0, 1, 2});
  std::vector<double> points = {0, 0, 0, 0, 1e80, 0};
  std::vector<double> distances = {7, 7};
  std::vector<double> normals(3);
  ClosestPointJob job;
  EXPECT_EQ(job.run().sentence(), "bvh must be set, got none");
  job.bvh = &bvh;
  job.points = points;
  EXPECT_EQ(job.run().sentence(), "points must hold 0 numbers, got 6");
  job.distances = distances;
  job.normals = normals;
  EXPECT_EQ(job.run().sentence(), "normals must hold 6 numbers, got 3");
  job.normals = {};
  EXPECT_EQ(job.run().sentence(), "points must be at most 1e75 in size, got 1e+80 in row 1");
  points[4] = -kInf;
  EXPECT_EQ(job.run().sentence(), "points must be finite, got -inf in row 1");
  job.least_cosine = 2;
  EXPECT_EQ(job.run().sentence(), "least_cosine must be in [-1, 1], got 2");
  EXPECT_EQ(distances, (std::vector<double>{7, 7}));
}

}  // namespace
}  // namespace lissom
