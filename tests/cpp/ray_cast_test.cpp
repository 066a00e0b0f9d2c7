// SPDX-License-Identifier: MIT
#include "core/geometry/ray_cast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/geometry/ray_cast_kernels.h"
#include "core/geometry/triangle_bvh.h"
#include "core/simd/isa.h"

namespace lissom {
LISSOM_EQUAL_KERNEL_TABLE(RayCastKernels, ray_cast_kernels)
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Triangles {
  std::vector<float> positions;
  std::vector<std::uint32_t> triangles;
};

// A grid of hills over [0, 1] x [0, 1], two triangles in each cell.
Triangles hills(int side) {
  Triangles made;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> height(0.0f, 0.1f);
  for (int i = 0; i <= side; ++i) {
    for (int j = 0; j <= side; ++j) {
      const float x = static_cast<float>(j) / static_cast<float>(side);
      const float z = static_cast<float>(i) / static_cast<float>(side);
      made.positions.insert(made.positions.end(), {x, height(random), z});
    }
  }
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const auto own = static_cast<std::uint32_t>(i * (side + 1) + j);
      const std::uint32_t ahead = own + static_cast<std::uint32_t>(side) + 1;
      made.triangles.insert(made.triangles.end(), {own, ahead, ahead + 1, own, ahead + 1, own + 1});
    }
  }
  return made;
}

TriangleBvh make(const Triangles& mesh) {
  TriangleBvh bvh;
  const Error error = TriangleBvh::make({mesh.positions, {}, mesh.triangles}, &bvh);
  EXPECT_FALSE(error) << error.sentence();
  return bvh;
}

std::string refused(const TriangleBvh::Arrays& arrays) {
  TriangleBvh bvh;
  return TriangleBvh::make(arrays, &bvh).sentence();
}

// The bounds of all that is below a child, as the leaves have it; counts the triangles on the way.
struct Walk {
  const TriangleBvh& bvh;
  std::vector<int> seen;
  int deepest = 0;

  void visit(std::uint32_t child, int depth, std::array<double, 6>* bounds) {
    deepest = std::max(deepest, depth);
    if (child & kBvhLeafBit) {
      const BvhLeaf<float>& leaf = bvh.leaves()[child & ~kBvhLeafBit];
      for (int lane = 0; lane < kBvhLeafSize; ++lane) {
        if (leaf.triangles[lane] == kNoTriangle) continue;
        ++seen[leaf.triangles[lane]];
        for (int corner = 0; corner < 3; ++corner) {
          for (int axis = 0; axis < 3; ++axis) {
            const double at =
                (leaf.corners[corner][axis][lane] - bvh.space().center[axis]) * bvh.space().scale;
            (*bounds)[2 * axis] = std::min((*bounds)[2 * axis], at);
            (*bounds)[2 * axis + 1] = std::max((*bounds)[2 * axis + 1], at);
          }
        }
      }
      return;
    }
    const BvhNode& node = bvh.nodes()[child];
    for (int i = 0; i < kBvhWidth; ++i) {
      if (node.bounds[0][i] > node.bounds[1][i]) continue;  // no child
      std::array<double, 6> inner = {kInf, -kInf, kInf, -kInf, kInf, -kInf};
      visit(node.children[i], depth + 1, &inner);
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_LE(node.bounds[2 * axis][i], inner[2 * axis]);
        EXPECT_GE(node.bounds[2 * axis + 1][i], inner[2 * axis + 1]);
        (*bounds)[2 * axis] = std::min((*bounds)[2 * axis], inner[2 * axis]);
        (*bounds)[2 * axis + 1] = std::max((*bounds)[2 * axis + 1], inner[2 * axis + 1]);
      }
    }
  }
};

TEST(TriangleBvh, EachTriangleIsInOneLeafAndBoxesHoldWhatIsBelow) {
  const Triangles mesh = hills(37);
  const TriangleBvh bvh = make(mesh);
  Walk walk{bvh, std::vector<int>(bvh.triangle_count()), 0};
  std::array<double, 6> bounds = {kInf, -kInf, kInf, -kInf, kInf, -kInf};
  walk.visit(0, 0, &bounds);
  EXPECT_TRUE(std::all_of(walk.seen.begin(), walk.seen.end(), [](int count) { return count == 1; }));
  EXPECT_LE(walk.deepest, 6);
  for (const double bound : bounds) EXPECT_LE(std::abs(bound), 1.0);
}

TEST(TriangleBvh, EqualTrianglesMakeAShallowTree) {
  Triangles mesh{{0, 0, 0, 0, 0, 1, 1, 0, 0}, {}};
  for (int i = 0; i < 10000; ++i) mesh.triangles.insert(mesh.triangles.end(), {0, 1, 2});
  const TriangleBvh bvh = make(mesh);
  Walk walk{bvh, std::vector<int>(bvh.triangle_count()), 0};
  std::array<double, 6> bounds = {kInf, -kInf, kInf, -kInf, kInf, -kInf};
  walk.visit(0, 0, &bounds);
  EXPECT_LE(walk.deepest, 8);
}

TEST(TriangleBvh, TrianglesThatShrinkForEverMakeATreeThatTheStackHolds) {
  // Each is a quarter of the one before: bins take a few off the end, and the rest is as it was.
  Triangles mesh;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const auto size = static_cast<float>(std::ldexp(1.0, -2 * static_cast<int>(i)));
    for (std::uint32_t copy = 0; copy < 3; ++copy) {
      mesh.positions.insert(mesh.positions.end(), {size, 0, 0, size * 1.5f, 0, size, size * 1.5f, 0, -size});
      const std::uint32_t first = 3 * (3 * i + copy);
      mesh.triangles.insert(mesh.triangles.end(), {first, first + 1, first + 2});
    }
  }
  const TriangleBvh bvh = make(mesh);
  Walk walk{bvh, std::vector<int>(bvh.triangle_count()), 0};
  std::array<double, 6> bounds = {kInf, -kInf, kInf, -kInf, kInf, -kInf};
  walk.visit(0, 0, &bounds);
  EXPECT_LE(walk.deepest, kBvhMaxDepth);
  EXPECT_EQ(bvh.degenerate_count(), 0u);
}

// Nine triangles, each a little above the one before.
template <class T>
std::pair<std::vector<T>, std::vector<std::uint32_t>> stack_of(double size, double step) {
  std::pair<std::vector<T>, std::vector<std::uint32_t>> mesh;
  for (std::uint32_t i = 0; i < 9; ++i) {
    for (const double number : {-size, -size, i * step, size, -size, i * step, 0.0, size, i * step}) {
      mesh.first.push_back(static_cast<T>(number));
    }
    mesh.second.insert(mesh.second.end(), {3 * i, 3 * i + 1, 3 * i + 2});
  }
  return mesh;
}

TEST(TriangleBvh, HoldsTrianglesThatAreNearlyInOnePlane) {
  // Boxes a few 1e-38 apart: bins of that width have no finite reciprocal.
  for (const double step : {1e-45, 1e-39, 2e-39, 5e-39, 1e-38, 1e-37}) {
    const auto [positions, triangles] = stack_of<float>(1, step);
    const TriangleBvh bvh = make({positions, triangles});
    Walk walk{bvh, std::vector<int>(bvh.triangle_count()), 0};
    std::array<double, 6> bounds = {kInf, -kInf, kInf, -kInf, kInf, -kInf};
    walk.visit(0, 0, &bounds);
    EXPECT_TRUE(std::all_of(walk.seen.begin(), walk.seen.end(), [](int count) { return count == 1; }))
        << step;
  }
}

TEST(TriangleBvh, TrianglesTooSmallForTheirProductsHaveNoArea) {
  const auto degenerate_count = [](double size) {
    const auto [positions, triangles] = stack_of<double>(size, 0.1 * size);
    TriangleBvh bvh;
    const Error error = TriangleBvh::make({{}, positions, triangles}, &bvh);
    EXPECT_FALSE(error) << error.sentence();
    return bvh.degenerate_count();
  };
  EXPECT_EQ(degenerate_count(1e-90), 0u);
  EXPECT_EQ(degenerate_count(1e-110), 9u) << "rays would hit them at 0";
}

// Of triangles with corners at the origin, `ends[2 i]` and `ends[2 i + 1]`.
std::size_t degenerate_count_of(const std::vector<std::array<double, 3>>& ends) {
  std::vector<double> positions(3, 0.0);
  std::vector<std::uint32_t> triangles;
  for (std::uint32_t i = 0; i < ends.size(); ++i) {
    positions.insert(positions.end(), ends[i].begin(), ends[i].end());
    if (i % 2) triangles.insert(triangles.end(), {0, i, i + 1});
  }
  TriangleBvh bvh;
  const Error error = TriangleBvh::make({{}, positions, triangles}, &bvh);
  EXPECT_FALSE(error) << error.sentence();
  return bvh.degenerate_count();
}

TEST(TriangleBvh, CornersOnALineHaveNoAreaWhateverRoundingMakesOfIt) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<std::array<double, 3>> ends;
  constexpr std::size_t kCount = 20000;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::array<double, 3> direction = {number(random), number(random), number(random)};
    for (int end = 0; end < 2; ++end) {
      const double times = std::exp(5 * number(random));
      ends.push_back({times * direction[0], times * direction[1], times * direction[2]});
    }
  }
  EXPECT_EQ(degenerate_count_of(ends), kCount);
}

TEST(TriangleBvh, TheThinnestTriangleIsAboveRounding) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  EXPECT_EQ(degenerate_count_of({{1, 0, 0}, {1, 3 * kEpsilon, 0}}), 1u);
  EXPECT_EQ(degenerate_count_of({{1, 0, 0}, {1, 5 * kEpsilon, 0}}), 0u);
}

TEST(TriangleBvh, SaysWhatIsWrongWithAMesh) {
  const std::vector<float> corner = {0, 0, 0, 1, 0, 0, 0, std::numeric_limits<float>::quiet_NaN(), 0};
  const std::vector<double> huge = {0, 0, 0, 1, 0, 0, 0, -2e75, 0};
  const std::vector<std::uint32_t> fits = {0, 1, 2};
  const std::vector<std::uint32_t> outside = {0, 1, 3};
  EXPECT_EQ(refused({corner, {}, fits}),
            "positions must be finite, got nan in vertex 2; remove or repair it");
  EXPECT_EQ(refused({{}, huge, fits}),
            "positions must be at most 1e75 in size, got -2e+75 in vertex 2; scale them");
  EXPECT_EQ(refused({std::span(corner).first(6), {}, outside}),
            "triangles must be in [0, 2), the number of vertices, got 3 in row 0");
}

struct Rays {
  std::vector<double> origins, directions;
};

Rays from_above(std::size_t count) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-0.1, 1.1);
  std::normal_distribution<double> slant(0.0, 0.5);
  Rays rays;
  for (std::size_t i = 0; i < count; ++i) {
    rays.origins.insert(rays.origins.end(), {place(random), 1.0, place(random)});
    rays.directions.insert(rays.directions.end(), {slant(random), -1.0, slant(random)});
  }
  return rays;
}

TEST(RayCastJob, AllInstructionSetsGiveTheSameBits) {
  const TriangleBvh bvh = make(hills(50));
  const std::size_t count = 2000;
  const Rays rays = from_above(count);
  std::vector<double> first;
  for (const Isa isa : runnable_isas()) {
    std::vector<double> distances(count);
    std::vector<double> normals(3 * count);
    std::vector<std::int64_t> triangles(count);
    std::vector<double> weights(3 * count);
    RayCastKernelArgs args{};
    args.nodes = bvh.nodes().data();
    args.leaves = bvh.leaves().data();
    args.space = &bvh.space();
    args.origins = rays.origins.data();
    args.directions = rays.directions.data();
    args.max_distance = kInf;
    args.end = count;
    args.distances = distances.data();
    args.normals = normals.data();
    args.triangles = triangles.data();
    args.weights = weights.data();
    ray_cast_kernels(isa).cast(args);
    std::vector<double> all = distances;
    all.insert(all.end(), normals.begin(), normals.end());
    all.insert(all.end(), triangles.begin(), triangles.end());
    all.insert(all.end(), weights.begin(), weights.end());
    if (first.empty()) first = all;
    EXPECT_EQ(all, first) << isa_name(isa);
    const auto hits =
        std::count_if(triangles.begin(), triangles.end(), [](std::int64_t t) { return t >= 0; });
    EXPECT_GT(hits, 500);
    EXPECT_LT(hits, 1900);
  }
}

TEST(RayCastJob, HitsWhatIsThere) {
  const TriangleBvh bvh = make({{0, 0, 0, 0, 0, 4, 4, 0, 0}, {0, 1, 2}});
  const std::vector<double> origins = {1, 5, 2, 1, -5, 2, 3, 5, 3};
  const std::vector<double> directions = {0, -2, 0, 0, 1, 0, 0, -1, 0};
  std::vector<double> distances(3);
  std::vector<double> normals(9);
  std::vector<double> weights(9);
  std::vector<std::int64_t> triangles(3);
  RayCastJob job;
  job.bvh = &bvh;
  job.origins = origins;
  job.directions = directions;
  job.distances = distances;
  job.normals = normals;
  job.triangles = triangles;
  job.weights = weights;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(distances, (std::vector<double>{5, 5, kInf}));
  EXPECT_EQ(normals, (std::vector<double>{0, 1, 0, 0, -1, 0, 0, 0, 0}));
  EXPECT_EQ(triangles, (std::vector<std::int64_t>{0, 0, -1}));
  EXPECT_EQ(weights, (std::vector<double>{0.25, 0.5, 0.25, 0.25, 0.5, 0.25, 0, 0, 0}));
  job.front_only = true;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(distances, (std::vector<double>{5, kInf, kInf}));
  job.front_only = false;
  job.max_distance = 4.5;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(distances, (std::vector<double>{kInf, kInf, kInf}));
}

TEST(RayCastJob, SaysWhatIsWrongWithRaysAndWritesNothing) {
  const TriangleBvh bvh = make(hills(2));
  std::vector<double> origins = {0, 1, 0, 0, 1, 0};
  std::vector<double> directions = {0, -1, 0, 0, 0, -0.0};
  std::vector<double> distances = {7, 7};
  RayCastJob job;
  EXPECT_EQ(job.run().sentence(), "bvh must be set, got none");
  job.bvh = &bvh;
  job.origins = origins;
  job.directions = directions;
  EXPECT_EQ(job.run().sentence(), "origins must hold 0 numbers, got 6");
  job.distances = distances;
  EXPECT_EQ(job.run().sentence(), "directions must not be zero, got zero for ray 1");
  directions[5] = kInf;
  EXPECT_EQ(job.run().sentence(), "directions must be finite, got inf for ray 1");
  origins[4] = -kInf;
  EXPECT_EQ(job.run().sentence(), "origins must be finite, got -inf for ray 1");
  job.max_distance = -1;
  EXPECT_EQ(job.run().sentence(), "max_distance must be at least 0, got -1");
  EXPECT_EQ(distances, (std::vector<double>{7, 7}));
}

}  // namespace
}  // namespace lissom
