// SPDX-License-Identifier: MIT
#include "core/bake/rigid_texels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/animation/model_pose.h"
#include "core/animation/sampling.h"
#include "core/bake/pose_texture.h"
#include "core/simd/isa.h"
#include "core/skinning/palette.h"

namespace lissom {
namespace {

constexpr std::size_t kJoints = 3, kKeys = 9;
constexpr float kLeastCosine = 0.7f;

// A chain that bends at each joint: the root turns the whole way round, by more than the sign of a quaternion.
struct Chain {
  Chain() {
    rest.assign(10 * kJoints, 0.0f);
    for (std::size_t joint = 0; joint < kJoints; ++joint) {
      rest[10 * joint + 1] = 0.5f;
      rest[10 * joint + 6] = 1.0f;
      for (std::size_t axis = 7; axis < 10; ++axis) rest[10 * joint + axis] = 1.0f;
    }
    for (std::size_t key = 0; key < kKeys; ++key) keys.push_back(static_cast<float>(key));
    for (std::size_t joint = 0; joint < kJoints; ++joint) {
      Track track;
      track.joint = static_cast<std::int32_t>(joint);
      track.path = static_cast<std::int32_t>(TrackPath::kRotation);
      track.interpolation = static_cast<std::int32_t>(Interpolation::kLinear);
      track.key_count = kKeys;
      track.values = static_cast<std::int64_t>(keys.size());
      tracks.push_back(track);
      for (std::size_t key = 0; key < kKeys; ++key) {
        const float half = (joint == 0 ? 0.9f : 0.2f) * static_cast<float>(key);
        const float numbers[4] = {joint == 1 ? std::sin(half) : 0.0f, 0.0f,
                                  joint == 1 ? 0.0f : std::sin(half), std::cos(half)};
        keys.insert(keys.end(), numbers, numbers + 4);
      }
    }
    std::vector<Mat4<double>> binds(kJoints, Mat4<double>::identity());
    for (std::size_t joint = 0; joint < kJoints; ++joint)
      binds[joint].m[1][3] = -0.5 * static_cast<double>(joint + 1);
    EXPECT_FALSE(SkinBind::make(std::vector<std::int32_t>{0, 1, 2}, binds, skin));
    EXPECT_FALSE(TrackSet<float>::make(tracks, keys, rest, set));
  }

  std::vector<float> rest, keys;
  std::vector<Track> tracks;
  std::vector<std::int32_t> parents = {-1, 0, 1};
  SkinBind skin;
  TrackSet<float> set;
};

std::vector<double> times_of(std::size_t count) {
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i)
    times.push_back(static_cast<double>(kKeys - 1) * static_cast<double>(i) / static_cast<double>(count));
  return times;
}

RigidTexelsJob<float> job_of(const Chain& chain, const std::vector<double>& times, std::vector<float>& out) {
  out.assign(times.size() * kJoints * 8, -1.0f);
  RigidTexelsJob<float> job;
  job.tracks = &chain.set;
  job.parents = chain.parents;
  job.skin = &chain.skin;
  job.times = times;
  job.least_cosine = kLeastCosine;
  job.out = out;
  return job;
}

std::vector<float> texels_in_turn(const Chain& chain, const std::vector<double>& times) {
  const std::size_t frames = times.size();
  std::vector<float> poses(frames * kJoints * 10), texels(frames * kJoints * 8);
  std::vector<Mat4<float>> model(frames * kJoints);
  std::vector<DualQuat<float>> rows(frames * kJoints);
  SamplingJob<float> sampling{&chain.set, times, Loop::kNo, poses};
  EXPECT_FALSE(sampling.run());
  ModelPoseJob<float> compose{chain.parents, poses, {&model[0].m[0][0], model.size() * 16}};
  EXPECT_FALSE(compose.run());
  PaletteDualQuatsJob<float> split{{&chain.skin, model, kJoints}, rows};
  EXPECT_FALSE(split.run());
  WriteTexelsJob<float> write;
  write.frame_count = frames;
  write.row_count = kJoints;
  write.form = {2, 0, 2, kJoints};
  write.rows = {&rows[0].real.x, rows.size() * 8};
  write.out = texels;
  EXPECT_FALSE(write.run());
  return texels;
}

TEST(RigidTexels, AreThoseOfTheJobsInTurn) {
  const Chain chain;
  for (const bool deterministic : {true, false}) {
    set_deterministic(deterministic);
    for (const std::size_t frames : {50u, 127u, 128u, 129u, 300u}) {
      const std::vector<double> times = times_of(frames);
      std::vector<float> found;
      RigidTexelsJob<float> job = job_of(chain, times, found);
      ASSERT_FALSE(job.run());
      ASSERT_TRUE(job.is_done);
      const std::vector<float> expected = texels_in_turn(chain, times);
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (deterministic) {
          ASSERT_EQ(std::memcmp(&found[i], &expected[i], sizeof(float)), 0)
              << frames << " frames, number " << i;
        } else {
          ASSERT_NEAR(found[i], expected[i], 1e-6f) << frames << " frames, number " << i;
        }
      }
    }
  }
  set_deterministic(false);
}

TEST(RigidTexels, LeaveJumpsAndOtherOrdersOfTimes) {
  const Chain chain;
  std::vector<float> out;
  std::vector<double> times = times_of(5);
  RigidTexelsJob<float> job = job_of(chain, times, out);
  ASSERT_FALSE(job.run());
  EXPECT_FALSE(job.is_done);  // the root turns by 165 degrees from frame to frame
  times = times_of(50);
  times[3] = times[1];
  job = job_of(chain, times, out);
  ASSERT_FALSE(job.run());
  EXPECT_FALSE(job.is_done);
}

TEST(RigidTexels, RefuseOtherSizes) {
  const Chain chain;
  std::vector<float> out;
  std::vector<double> times = times_of(50);
  RigidTexelsJob<float> job = job_of(chain, times, out);
  job.out = job.out.first(8);
  EXPECT_EQ(job.run().sentence(), "out must hold eight numbers for each time and row");
  job = job_of(chain, times, out);
  job.parents = job.parents.first(2);
  EXPECT_EQ(job.run().sentence(), "parents must hold one number for each of the clip's 3 joints, got 2");
  times[7] = std::numeric_limits<double>::quiet_NaN();
  job = job_of(chain, times, out);
  EXPECT_EQ(job.run().sentence(), "times must be finite, got nan at element 7");
}

}  // namespace
}  // namespace lissom
