// SPDX-License-Identifier: MIT
#include "core/skinning/prepared_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/skinning/skinning_job.h"

namespace lissom {
namespace {

constexpr float kTolerance = 2e-6f;  // of a cloud one unit across, in float32

// Vertices of three rows each among eight: full blocks, rare sets and a last block that is not whole.
struct Cloud {
  explicit Cloud(std::size_t vertex_count) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> number(-0.5f, 0.5f);
    for (std::size_t v = 0; v < vertex_count; ++v) {
      for (int i = 0; i < 3; ++i) positions.push_back(number(random));
      const auto first = static_cast<std::uint16_t>(random() % 6);
      for (std::uint16_t k = 0; k < 3; ++k) indices.push_back(static_cast<std::uint16_t>(first + k));
      const float last = v % 3 ? 0.0f : 0.125f;
      weights.insert(weights.end(), {0.5f, 0.5f - last, last});
    }
    SkinnedMesh::Arrays arrays;
    arrays.positions = positions;
    arrays.indices = indices;
    arrays.weights = weights;
    arrays.influence_count = 3;
    EXPECT_FALSE(SkinnedMesh::make(arrays, &mesh));
  }
  std::vector<float> positions, weights;
  std::vector<std::uint16_t> indices;
  SkinnedMesh mesh;
};

TEST(PreparedMesh, OrderIsAPermutationWithinTheCuts) {
  const Cloud cloud(333);
  const std::vector<std::uint32_t> cuts{200, 0, 100};
  const PreparedMesh prepared(cloud.mesh, cuts);
  ASSERT_EQ(prepared.order().size(), 333u);
  std::vector<std::uint32_t> order = prepared.order();
  for (const std::size_t begin : {0u, 100u, 200u}) {
    const std::size_t end = begin == 200 ? 333 : begin + 100;
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
              order.begin() + static_cast<std::ptrdiff_t>(end));
  }
  for (std::uint32_t v = 0; v < order.size(); ++v) EXPECT_EQ(order[v], v);
}

TEST(PreparedMesh, MovesAsTheMeshInBothOrders) {
  const Cloud cloud(333);
  const PreparedMesh prepared(cloud.mesh, {});
  std::vector<float> matrices;
  for (std::size_t row = 0; row < 8; ++row) {
    const auto angle = static_cast<float>(row), c = std::cos(angle), s = std::sin(angle);
    matrices.insert(matrices.end(), {c, -s, 0, angle, s, c, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  }
  SkinningJob<float> job;
  job.mesh = &cloud.mesh;
  job.matrices = matrices;
  job.row_count = 8;
  std::vector<float> plain(3 * 333), moved(3 * 333);
  job.positions_out = plain;
  ASSERT_FALSE(job.run());
  job.prepared = &prepared;
  job.positions_out = moved;
  for (const bool original : {false, true}) {
    job.original_order = original;
    ASSERT_FALSE(job.run());
    for (std::size_t v = 0; v < 333; ++v) {
      const std::size_t from = original ? v : prepared.order()[v];
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(moved[3 * v + i], plain[3 * from + i], 8 * kTolerance);
    }
  }
}

TEST(PreparedMesh, RefusesToStandForAnotherMesh) {
  const Cloud cloud(20), other(21);
  const PreparedMesh prepared(other.mesh, {});
  std::vector<float> out(60);
  SkinningJob<float> job;
  job.mesh = &cloud.mesh;
  job.prepared = &prepared;
  job.positions_out = out;
  EXPECT_EQ(job.validate().sentence(), "the prepared mesh must be made of the mesh");
}

}  // namespace
}  // namespace lissom
