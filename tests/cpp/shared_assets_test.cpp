// SPDX-License-Identifier: MIT
// Tracks, meshes and poses that several threads share, each with its own outputs: the bits of one thread. What a
// thread sanitizer watches.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "core/animation/model_pose.h"
#include "core/animation/sampling.h"
#include "core/animation/tracks.h"
#include "core/bake/error_metric.h"
#include "core/bake/pose_texture.h"
#include "core/parallel/thread_pool.h"
#include "core/skinning/skinning_job.h"

namespace lissom {
namespace {

constexpr std::size_t kThreads = 4, kTimes = 3000, kVertices = 4000, kRows = 2;
constexpr int kRounds = 5;

class SharedAssets : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(set_thread_count(3));
    ASSERT_FALSE(TrackSet<float>::make(std::span(&kTrack, 1), kKeys, kRest, tracks_));
    std::mt19937 random(1);
    std::uniform_real_distribution<float> place(-1, 1);
    for (std::size_t i = 0; i < 3 * kVertices; ++i) positions_.push_back(place(random));
    for (std::size_t v = 0; v < kVertices; ++v) {
      indices_.insert(indices_.end(), {0, 1});
      weights_.insert(weights_.end(), {0.25f, 0.75f});
    }
    SkinnedMesh::Arrays arrays;
    arrays.positions = positions_;
    arrays.indices = indices_;
    arrays.weights = weights_;
    arrays.influence_count = 2;
    ASSERT_FALSE(SkinnedMesh::make(arrays, &mesh_));
    for (std::size_t i = 0; i < kTimes; ++i) times_.push_back(0.001 * static_cast<double>(i));
  }
  void TearDown() override { EXPECT_FALSE(set_thread_count(0)); }

  // Everything that reads the assets, into numbers of its own.
  std::vector<float> results() const {
    std::vector<float> poses(kTimes * 20), matrices(kTimes * 32), vertices(8 * kVertices * 3), texels(16);
    SamplingJob<float> sampling;
    sampling.tracks = &tracks_;
    sampling.times = times_;
    sampling.out = poses;
    EXPECT_FALSE(sampling.run());

    ModelPoseJob<float> model;
    model.parents = kParents;
    model.poses = poses;
    model.out = matrices;
    EXPECT_FALSE(model.run());

    SkinningJob<float> skinning;
    skinning.mesh = &mesh_;
    skinning.matrices = std::span<const float>(matrices).first(8 * kRows * 16);
    skinning.row_count = kRows;
    skinning.batch_count = 8;
    skinning.positions_out = vertices;
    EXPECT_FALSE(skinning.run());

    // The bake's error: the skinned vertices of eight samples against those of the first.
    std::vector<float> expected, maxima(8), squares(kVertices), bounds{1, 1, 1, -1, -1, -1};
    for (int i = 0; i < 8; ++i)
      expected.insert(expected.end(), vertices.begin(), vertices.begin() + 3 * kVertices);
    const std::vector<std::int32_t> groups(8, 0);
    std::vector<double> sums(kVertices);
    std::vector<std::int64_t> histogram(kDistanceBinCount);
    ErrorMetricJob metric;
    metric.sample_count = 8;
    metric.vertex_count = kVertices;
    metric.expected = expected;
    metric.actual = vertices;
    metric.groups = groups;
    metric.maxima = maxima;
    metric.vertex_sums = sums;
    metric.vertex_squares = squares;
    metric.histogram = histogram;
    metric.bounds = bounds;
    EXPECT_FALSE(metric.run());

    WriteTexelsJob<float> writing;
    writing.frame_count = 2;
    writing.row_count = 1;
    writing.form = {2, 0, 2, 1};
    writing.rows = kDualQuats;
    writing.out = texels;
    EXPECT_FALSE(writing.run());

    for (const auto* more : {&matrices, &vertices, &maxima, &squares, &bounds, &texels})
      poses.insert(poses.end(), more->begin(), more->end());
    return poses;
  }

  const Track kTrack{1, 0, 1, 2, 0, 2};  // the translation of joint 1
  const std::vector<float> kKeys{0, 2, 1, 0, 0, 3, 0, 0};
  const std::vector<float> kRest{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<std::int32_t> kParents{-1, 0};
  const std::vector<float> kDualQuats{0, 0, 0.6f, -0.8f, 1, 2, 3, 4, 0, 0, -0.6f, 0.8f, -1, -2, -3, -4};
  TrackSet<float> tracks_;
  std::vector<float> positions_, weights_;
  std::vector<std::uint16_t> indices_;
  SkinnedMesh mesh_;
  std::vector<double> times_;
};

TEST_F(SharedAssets, SeveralThreadsGetTheBitsOfOne) {
  const std::vector<float> expected = results();
  std::vector<int> equal(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) equal[i] += results() == expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(kThreads, kRounds));
}

}  // namespace
}  // namespace lissom
