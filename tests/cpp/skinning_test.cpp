// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/skinning/prepared_mesh.h"
#include "core/skinning/skinning_job.h"

namespace lissom {
namespace {

constexpr float kTolerance = 2e-6f;  // of a cloud one unit across, in float32

// Three vertices between two rows: the least that has a tail block, a pivot and a slot without weight.
struct Case {
  std::vector<float> positions{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::vector<float> normals{1, 0, 0, 0, 1, 0, 0, 0, 0};
  std::vector<std::uint16_t> indices{0, 1, 1, 0, 1, 1};
  std::vector<float> weights{1, 0, 1, 0, 0.5f, 0.5f};
  SkinnedMesh mesh;

  Case() {
    SkinnedMesh::Arrays arrays;
    arrays.positions = positions;
    arrays.indices = indices;
    arrays.weights = weights;
    arrays.influence_count = 2;
    EXPECT_FALSE(SkinnedMesh::make(arrays, &mesh));
  }
};

TEST(SkinnedMesh, KnowsRowsAndPivots) {
  const Case c;
  EXPECT_EQ(c.mesh.row_count(), 2u);
  EXPECT_EQ(c.mesh.pivots<std::uint16_t>()[0], 0);
  EXPECT_EQ(c.mesh.pivots<std::uint16_t>()[1], 1);
  EXPECT_EQ(c.mesh.pivots<std::uint16_t>()[2], 1);
  std::vector<std::int32_t> pivots(3, 7);
  c.mesh.copy_pivots(pivots);
  EXPECT_EQ(pivots, (std::vector<std::int32_t>{0, 1, 1}));
}

TEST(SkinnedMesh, TiesGoToTheLowestRow) {
  const std::vector<float> positions(6), weights{0.5f, 0.5f, 0.25f, 0.75f};
  const std::vector<std::uint16_t> indices{7, 3, 1, 9};
  SkinnedMesh::Arrays arrays;
  arrays.positions = positions;
  arrays.indices = indices;
  arrays.weights = weights;
  arrays.influence_count = 2;
  SkinnedMesh mesh;
  ASSERT_FALSE(SkinnedMesh::make(arrays, &mesh));
  EXPECT_EQ(mesh.pivots<std::uint16_t>()[0], 3);
  EXPECT_EQ(mesh.pivots<std::uint16_t>()[1], 9);
}

TEST(SkinnedMesh, SumsTheWeightsOfARowNamedTwice) {
  const std::vector<float> positions(3), weights{0.25f, 0.25f, 0.3f, 0.2f};
  const std::vector<std::uint16_t> indices{5, 5, 2, 1};
  SkinnedMesh::Arrays arrays;
  arrays.positions = positions;
  arrays.indices = indices;
  arrays.weights = weights;
  arrays.influence_count = 4;
  SkinnedMesh mesh;
  ASSERT_FALSE(SkinnedMesh::make(arrays, &mesh));
  EXPECT_EQ(mesh.pivots<std::uint16_t>()[0], 5);
}

TEST(SkinnedMesh, RefusesIndicesOfTwoTypes) {
  Case c;
  SkinnedMesh::Arrays arrays = c.mesh.arrays();
  const std::vector<std::uint8_t> bytes(6);
  arrays.byte_indices = bytes;
  EXPECT_EQ(SkinnedMesh::make(arrays, &c.mesh).sentence(),
            "indices and weights must be given in one type each");
}

TEST(SkinnedMesh, RefusesBrokenArrays) {
  const std::vector<float> positions(3);
  const std::vector<std::uint16_t> indices{0, 1};
  SkinnedMesh mesh;
  const std::vector<std::vector<float>> broken{{0.5f, 0.6f}, {NAN, 1}, {-0.5f, 1.5f}, {1}};
  for (const std::vector<float>& weights : broken) {
    SkinnedMesh::Arrays arrays;
    arrays.positions = positions;
    arrays.indices = indices;
    arrays.weights = weights;
    arrays.influence_count = 2;
    EXPECT_TRUE(SkinnedMesh::make(arrays, &mesh));
  }
}

template <class T>
void expect_linear_moves() {
  const Case c;
  std::vector<T> matrices(32, T(0));
  for (int i = 0; i < 4; ++i) matrices[5 * i] = matrices[16 + 5 * i] = 1;
  matrices[16 + 3] = 4;  // row 1 moves by 4 along x
  std::vector<T> positions(9), normals(9);
  SkinningJob<T> job;
  job.mesh = &c.mesh;
  job.normals = c.normals;
  job.matrices = matrices;
  job.row_count = 2;
  job.positions_out = positions;
  job.normals_out = normals;
  ASSERT_FALSE(job.run());
  const std::vector<T> expected{1, 0, 0, 4, 1, 0, 4, 0, 1};
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(positions[i], expected[i], kTolerance);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(normals[i], c.normals[i], kTolerance);  // the zero one stays zero
}
TEST(LinearSkinning, MovesByTheBlend) {
  expect_linear_moves<float>();
  expect_linear_moves<double>();
}

TEST(LinearSkinning, WritesNothingOnError) {
  const Case c;
  std::vector<float> matrices(32, 1.0f), positions(9, 77.0f);
  matrices[20] = NAN;
  SkinningJob<float> job;
  job.mesh = &c.mesh;
  job.matrices = matrices;
  job.row_count = 2;
  job.positions_out = positions;
  const Error error = job.run();
  EXPECT_NE(error.sentence().find("matrices must be finite, got nan in palette row 1"), std::string::npos)
      << error.sentence();
  EXPECT_EQ(positions, std::vector<float>(9, 77.0f));
}

TEST(LinearSkinning, RefusesTooSmallAPalette) {
  const Case c;
  std::vector<float> matrices(16, 1.0f), positions(9);
  SkinningJob<float> job;
  job.mesh = &c.mesh;
  job.matrices = matrices;
  job.row_count = 1;
  job.positions_out = positions;
  EXPECT_TRUE(job.run());
}

template <class T>
void expect_dual_quat_turns() {
  const Case c;
  // Row 0 is the identity; row 1 a quarter turn about z, given on the far side of the sphere.
  const T h = std::sqrt(T(0.5));
  const std::vector<T> rows{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, -h, -h, 0, 0, 0, 0};
  std::vector<T> positions(9), normals(9);
  SkinningJob<T> job;
  job.method = SkinningMethod::kDualQuat;
  job.mesh = &c.mesh;
  job.normals = c.normals;
  job.dual_quats = rows;
  job.row_count = 2;
  job.positions_out = positions;
  job.normals_out = normals;
  ASSERT_FALSE(job.run());
  const std::vector<T> expected{1, 0, 0, -1, 0, 0, 0, 0, 1};
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(positions[i], expected[i], kTolerance);
}
TEST(DualQuatSkinning, TurnsWhateverTheSign) {
  expect_dual_quat_turns<float>();
  expect_dual_quat_turns<double>();
}

TEST(DualQuatSkinning, RefusesAZeroRealPart) {
  const Case c;
  const std::vector<float> rows{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  std::vector<float> positions(9);
  SkinningJob<float> job;
  job.method = SkinningMethod::kDualQuat;
  job.mesh = &c.mesh;
  job.dual_quats = rows;
  job.row_count = 2;
  job.positions_out = positions;
  EXPECT_NE(job.run().sentence().find("rotations that are not zero, got zero in palette row 1"),
            std::string::npos);
}

// Every method asks for its palettes and for no other.
TEST(SkinningJob, RefusesPalettesThatAreNotTheMethods) {
  const Case c;
  const std::vector<float> sixteen(32, 1.0f), eight(16, 1.0f), twelve(24, 1.0f);
  std::vector<float> positions(9, 77.0f);
  const auto sentence = [&](SkinningMethod method, auto give) {
    SkinningJob<float> job;
    job.method = method;
    job.mesh = &c.mesh;
    job.row_count = 2;
    job.positions_out = positions;
    give(job);
    return job.run().sentence();
  };
  const std::vector<float> centers(9), blend(3);
  EXPECT_EQ(sentence(SkinningMethod::kLinear, [&](auto& job) { job.dual_quats = eight; }),
            "matrices must have the length that batch and rows give");
  EXPECT_EQ(sentence(SkinningMethod::kLinear,
                     [&](auto& job) {
                       job.matrices = sixteen;
                       job.scales = twelve;
                     }),
            "scales are not read by this method");
  EXPECT_EQ(sentence(SkinningMethod::kQuatTrans, [&](auto& job) { job.dual_quats = eight; }),
            "dual_quats are not read by this method");
  EXPECT_EQ(sentence(SkinningMethod::kDualQuat, [&](auto& job) { job.scales = twelve; }),
            "dual_quats must have the length that batch and rows give");
  EXPECT_EQ(sentence(SkinningMethod::kCor, [&](auto& job) { job.centers = centers; }),
            "dual_quats must have the length that batch and rows give");
  EXPECT_EQ(sentence(SkinningMethod::kBlended,
                     [&](auto& job) {
                       job.blend = blend;
                       job.matrices = sixteen;
                     }),
            "dual_quats must have the length that batch and rows give");
  EXPECT_EQ(sentence(SkinningMethod::kBlended,
                     [&](auto& job) {
                       job.blend = blend;
                       job.dual_quats = eight;
                     }),
            "matrices must have the length that batch and rows give");
  for (const float x : positions) EXPECT_EQ(x, 77.0f);
}

TEST(SkinningJob, RefusesAPreparedMeshOfOtherRows) {
  const Case c;
  const std::vector<std::uint16_t> indices{0, 1, 1, 0, 1, 2};
  SkinnedMesh::Arrays arrays = c.mesh.arrays();
  arrays.indices = indices;
  SkinnedMesh other;
  ASSERT_FALSE(SkinnedMesh::make(arrays, &other));
  const PreparedMesh prepared(other, {});
  const std::vector<float> matrices(32, 1.0f);
  std::vector<float> positions(9);
  SkinningJob<float> job;
  job.mesh = &c.mesh;
  job.prepared = &prepared;
  job.matrices = matrices;
  job.row_count = 2;
  job.positions_out = positions;
  EXPECT_EQ(job.run().sentence(), "the prepared mesh must be made of the mesh");
}

}  // namespace
}  // namespace lissom
