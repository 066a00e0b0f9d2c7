// SPDX-License-Identifier: MIT
// Tracks, meshes and poses that several threads share, each with its own outputs: the bits of one thread. What a
// thread sanitizer watches.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "core/animation/blending.h"
#include "core/animation/model_pose.h"
#include "core/animation/sampling.h"
#include "core/animation/tracks.h"
#include "core/bake/error_metric.h"
#include "core/bake/pose_texture.h"
#include "core/ik/ccd.h"
#include "core/ik/ik_tree.h"
#include "core/parallel/thread_pool.h"
#include "core/skinning/skinning_job.h"

namespace lissom {
namespace {

constexpr std::size_t kThreads = 4, kTimes = 3000, kVertices = 4000, kRows = 2, kFrames = 400,
                      kTexelRows = 64;
constexpr std::size_t kJoints = 4;  // of the chain
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
    for (std::size_t i = 0; i < kTimes; ++i) {
      times_.push_back(0.001 * static_cast<double>(i));
      shares_.push_back(static_cast<float>(i) / kTimes);
      frames_.push_back(static_cast<std::int32_t>(i % (kFrames - 1)));
      nexts_.push_back(frames_.back() + 1);
      targets_.insert(targets_.end(), {place(random), 2 + place(random), place(random)});
    }
    for (std::size_t i = 0; i < kFrames * kTexelRows; ++i) {
      const float sign = place(random) < 0 ? -1.0f : 1.0f;
      for (const float number : {0.0f, 0.0f, 0.6f, -0.8f, 1.0f, 2.0f, 3.0f, 4.0f})
        rows_.push_back(sign * number);
    }
    for (std::size_t i = 0; i < kJoints; ++i)
      chain_pose_.insert(chain_pose_.end(), {0, i ? 1.0f : 0.0f, 0, 0, 0, 0, 1, 1, 1, 1});
    const std::vector<std::int32_t> parents{-1, 0, 1, 2};
    const std::vector<std::vector<std::int32_t>> chains{{1, 2, 3}};
    ASSERT_FALSE(
        IkTree::make(parents, chain_pose_, {"root", "upper", "lower", "end"}, chains, {}, {}, {}, chain_));
  }
  void TearDown() override { EXPECT_FALSE(set_thread_count(0)); }

  // All that the pool runs of playing, skinning, baking and IK on the assets, into numbers of its own.
  std::vector<float> results() const {
    const std::vector<float> poses = blended(sampled()), matrices = modelled(poses),
                             vertices = skinned(matrices);
    std::vector<float> all = poses;
    for (const std::vector<float>& more : {matrices, vertices, errors(vertices), baked(), solved()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::vector<float> sampled() const {
    std::vector<float> poses(kTimes * 20);
    SamplingJob<float> job;
    job.tracks = &tracks_;
    job.times = times_;
    job.out = poses;
    EXPECT_FALSE(job.run());
    return poses;
  }

  // With the rest, by shares that grow with time.
  std::vector<float> blended(const std::vector<float>& poses) const {
    std::vector<float> out(poses.size());
    BlendJob<float> job;
    job.joint_count = 2;
    job.a = poses;
    job.b = kRest;
    job.weights = shares_;
    job.out = out;
    EXPECT_FALSE(job.run());
    return out;
  }

  std::vector<float> modelled(const std::vector<float>& poses) const {
    std::vector<float> matrices(kTimes * 32);
    ModelPoseJob<float> job;
    job.parents = kParents;
    job.poses = poses;
    job.out = matrices;
    EXPECT_FALSE(job.run());
    return matrices;
  }

  std::vector<float> skinned(const std::vector<float>& matrices) const {
    std::vector<float> vertices(8 * kVertices * 3);
    SkinningJob<float> job;
    job.mesh = &mesh_;
    job.matrices = std::span<const float>(matrices).first(8 * kRows * 16);
    job.row_count = kRows;
    job.batch_count = 8;
    job.positions_out = vertices;
    EXPECT_FALSE(job.run());
    return vertices;
  }

  // The bake's error: the skinned vertices of eight samples against those of the first.
  std::vector<float> errors(const std::vector<float>& vertices) const {
    std::vector<float> expected, maxima(8), squares(kVertices), bounds{1, 1, 1, -1, -1, -1};
    for (int i = 0; i < 8; ++i)
      expected.insert(expected.end(), vertices.begin(), vertices.begin() + 3 * kVertices);
    const std::vector<std::int32_t> groups(8, 0);
    const std::vector<std::uint32_t> copies(kVertices, 1);
    std::vector<double> sums(kVertices);
    std::vector<std::int64_t> histogram(kDistanceBinCount);
    ErrorMetricJob job;
    job.sample_count = 8;
    job.vertex_count = kVertices;
    job.expected = expected;
    job.actual = vertices;
    job.groups = groups;
    job.copies = copies;
    job.maxima = maxima;
    job.vertex_sums = sums;
    job.vertex_squares = squares;
    job.histogram = histogram;
    job.bounds = bounds;
    EXPECT_FALSE(job.run());
    for (const auto* more : {&squares, &bounds}) maxima.insert(maxima.end(), more->begin(), more->end());
    return maxima;
  }

  // Rows written as texels and read between frames.
  std::vector<float> baked() const {
    const TexelForm form{2, 0, 2, kTexelRows};
    std::vector<float> texels(rows_.size()), read(kTimes * kTexelRows * 8);
    WriteTexelsJob<float> writing;
    writing.frame_count = kFrames;
    writing.row_count = kTexelRows;
    writing.form = form;
    writing.rows = rows_;
    writing.out = texels;
    EXPECT_FALSE(writing.run());
    SampleTexelsJob<float> reading;
    reading.frame_count = kFrames;
    reading.row_count = kTexelRows;
    reading.form = form;
    reading.texels = texels;
    reading.frames = frames_;
    reading.nexts = nexts_;
    reading.fractions = shares_;
    reading.rows = read;
    EXPECT_FALSE(reading.run());
    texels.insert(texels.end(), read.begin(), read.end());
    return texels;
  }

  std::vector<float> solved() const {
    const std::vector<float> weight{1};
    std::vector<float> out(kTimes * kJoints * 10), residuals(kTimes);
    std::vector<std::int32_t> iterations(kTimes);
    std::vector<std::uint8_t> reached(kTimes), limited(kTimes * kJoints);
    CcdJob<float> job;
    job.tree = &chain_;
    job.poses = chain_pose_;
    job.targets = targets_;
    job.weights = weight;
    job.max_iterations = 20;
    job.out = out;
    job.residuals = residuals;
    job.iterations = iterations;
    job.reached = reached;
    job.limited = limited;
    EXPECT_FALSE(job.run());
    out.insert(out.end(), residuals.begin(), residuals.end());
    return out;
  }

  const Track kTrack{1, 0, 1, 2, 0, 2};  // the translation of joint 1
  const std::vector<float> kKeys{0, 2, 1, 0, 0, 3, 0, 0};
  const std::vector<float> kRest{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<std::int32_t> kParents{-1, 0};
  TrackSet<float> tracks_;
  std::vector<float> positions_, weights_, shares_, rows_, targets_, chain_pose_;
  std::vector<std::uint16_t> indices_;
  std::vector<std::int32_t> frames_, nexts_;
  SkinnedMesh mesh_;
  IkTree chain_;
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
