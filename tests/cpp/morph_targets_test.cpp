// SPDX-License-Identifier: MIT
#include "core/skinning/morph_targets.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/skinning/skinning_job.h"

namespace lissom {
namespace {

struct Rows {
  std::vector<std::int64_t> offsets{0, 2, 2, 3};
  std::vector<std::uint32_t> vertices{1, 4, 0};
  std::vector<float> positions = std::vector<float>(9, 1.0f), normals;
  Error make(MorphTargets* targets) const {
    MorphTargets::Arrays arrays;
    arrays.offsets = offsets;
    arrays.vertices = vertices;
    arrays.positions = positions;
    arrays.normals = normals;
    return MorphTargets::make(arrays, targets);
  }
};

std::string fault(const Rows& rows) {
  MorphTargets targets;
  const Error error = rows.make(&targets);
  return error ? error.sentence() : "";
}

TEST(MorphTargets, KnowsWhatItMoves) {
  MorphTargets targets;
  ASSERT_FALSE(Rows().make(&targets));
  EXPECT_EQ(targets.target_count(), 3u);
  EXPECT_EQ(targets.vertex_bound(), 5u);
}

TEST(MorphTargets, RefusesWhatDoesNotFit) {
  Rows rows;
  rows.offsets = {0, 2, 1, 3};
  EXPECT_EQ(fault(rows), "offsets must rise from 0 to the number of rows");
  rows = {};
  rows.offsets = {0, 2, 2, 4};
  EXPECT_EQ(fault(rows), "offsets must rise from 0 to the number of rows");
  rows = {};
  rows.vertices[1] = 1;
  EXPECT_EQ(fault(rows), "vertices must increase within a target, got 1, then 1 in target 0");
  rows = {};
  rows.positions.pop_back();
  EXPECT_EQ(fault(rows), "positions must have one row of 3 per vertex moved");
  rows = {};
  rows.normals = {1.0f};
  EXPECT_EQ(fault(rows), "normals must have one row of 3 per vertex moved");
  rows = {};
  rows.positions[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(fault(rows), "positions must be finite, got nan in row 1");
}

TEST(MorphTargets, ActiveOnesHaveAWeightAndRows) {
  const Rows rows;
  MorphTargets targets;
  ASSERT_FALSE(rows.make(&targets));
  const std::vector<float> weights{0.5f, 9.0f, 0.0f, 0.0f, 0.0f, -1.0f};
  const ActiveMorphs active(targets, std::span<const float>(weights));
  ASSERT_EQ(active.of(0).size(), 1u);
  EXPECT_EQ(active.of(0)[0].end, 2u);
  ASSERT_EQ(active.of(1).size(), 1u);
  EXPECT_EQ(active.of(1)[0].weight, -1.0);
  EXPECT_EQ(active.cursors(0, 2)[0].row, 1u);  // of vertex 4
  EXPECT_TRUE(moves_before(active.cursors(0, 2), rows.vertices.data(), 5));
  EXPECT_FALSE(moves_before(active.cursors(0, 2), rows.vertices.data(), 4));
}

TEST(SkinningJob, RefusesMorphTargetsThatDoNotFit) {
  const Rows rows;
  MorphTargets targets;
  ASSERT_FALSE(rows.make(&targets));
  const std::vector<float> positions(3 * 4, 0.0f), weights(4, 1.0f), matrices(16, 0.0f);
  const std::vector<std::uint16_t> indices(4, 0);
  SkinnedMesh::Arrays arrays;
  arrays.positions = positions;
  arrays.indices = indices;
  arrays.weights = weights;
  SkinnedMesh mesh;
  ASSERT_FALSE(SkinnedMesh::make(arrays, &mesh));
  std::vector<float> out(12), morph_weights(3, 0.0f);
  SkinningJob<float> job;
  job.mesh = &mesh;
  job.matrices = matrices;
  job.row_count = 1;
  job.positions_out = out;
  job.morphs = &targets;
  job.morph_weights = morph_weights;
  EXPECT_EQ(std::string(job.run().sentence()), "morph targets must move vertices of the mesh");  // of four
  job.morph_weights = std::span(morph_weights).first(2);
  EXPECT_EQ(std::string(job.run().sentence()), "morphs must have the length that batch and targets give");
}

}  // namespace
}  // namespace lissom
