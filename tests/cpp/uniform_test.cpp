// SPDX-License-Identifier: MIT
#include "core/animation/uniform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lissom {
namespace {

// One joint whose x runs from 1 at 0 s to 3 at 2 s.
const std::vector<double> kRest{0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
const std::vector<double> kKeys{0, 2, 1, 0, 0, 3, 0, 0};
const Track kTrack{0, 0, 1, 2, 0, 2};

class Uniform : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(UniformFrames<double>::make(std::span(&kTrack, 1), kKeys, kRest, frames_));
    job_.tracks = &frames_;
  }
  Error run(const std::vector<double>& times) {
    out_.assign(times.size() * 10, -7.0);
    job_.times = times;
    job_.out = out_;
    return job_.run();
  }
  UniformFrames<double> frames_;
  UniformSamplingJob<double> job_;
  std::vector<double> out_;
};

TEST_F(Uniform, FillsOnePosePerTime) {
  ASSERT_FALSE(run({-1, 0, 0.5, 2, 9}));
  for (const auto& [pose, x] : {std::pair{0, 1.0}, {1, 1.0}, {2, 1.5}, {3, 3.0}, {4, 3.0}}) {
    EXPECT_EQ(out_[static_cast<std::size_t>(10 * pose)], x);
    EXPECT_EQ(out_[static_cast<std::size_t>(10 * pose + 6)], 1.0);
  }
}

TEST_F(Uniform, WritesNothingOnError) {
  EXPECT_TRUE(run({0, NAN}));
  EXPECT_EQ(out_, std::vector<double>(20, -7.0));
  out_.resize(10);
  job_.out = out_;
  job_.times = kRest;
  EXPECT_NE(job_.run().sentence().find("one pose of 1 joints for each of 10 times"), std::string::npos);
}

TEST_F(Uniform, RefusesDistancesThatOverflow) {
  constexpr double kWidest = std::numeric_limits<double>::max();
  const std::vector<double> keys{-kWidest, kWidest, 1, 0, 0, 2, 0, 0};
  const Error error = UniformFrames<double>::make(std::span(&kTrack, 1), keys, kRest, frames_);
  EXPECT_NE(error.sentence().find("regular grid"), std::string::npos);
}

// A long clip of `joints` joints that turn, of which each `nth` is also moved and scaled, and the others of a block of 16 in
// the middle are still.
template <class T>
struct LongClip {
  static constexpr int kKeys = 1500;
  std::vector<T> keys, rest;
  std::vector<Track> tracks;

  LongClip(std::size_t joints, std::size_t nth) {
    for (int key = 0; key < kKeys; ++key) keys.push_back(static_cast<T>(key) / T(8));
    const auto add = [&](std::size_t joint, int path, int size) {
      tracks.push_back(
          {static_cast<std::int32_t>(joint), path, 1, kKeys, 0, static_cast<std::int64_t>(keys.size())});
      for (int key = 0; key < kKeys; ++key) {
        const double angle = (joint / 16 == 1 ? 1.0 : key) * 0.37 + static_cast<double>(joint);
        const double four[] = {0.6 * std::sin(angle), 0.8 * std::sin(angle), 0.0, std::cos(angle)};
        for (int i = 0; i < size; ++i) keys.push_back(static_cast<T>(size == 4 ? four[i] : angle + i));
      }
    };
    for (std::size_t joint = 0; joint < joints; ++joint) {
      for (const double number : {1, -2, 3, 0, 0, 0, 1, 1, 1, 1}) rest.push_back(static_cast<T>(number));
      add(joint, 1, 4);
      if (joint % nth == 0) add(joint, 0, 3), add(joint, 2, 3);
    }
  }
};

TEST(LongUniformClip, IsThatOfDoublePrecision) {
  for (const std::size_t joints : {1, 5, 15, 16, 17, 33, 48, 70}) {
    for (const std::size_t nth : {1, 2, 9, 100}) {
      const LongClip<float> clip(joints, nth);
      const LongClip<double> exact(joints, nth);
      UniformFrames<float> frames;
      UniformFrames<double> exact_frames;
      ASSERT_FALSE(UniformFrames<float>::make(clip.tracks, clip.keys, clip.rest, frames));
      ASSERT_FALSE(UniformFrames<double>::make(exact.tracks, exact.keys, exact.rest, exact_frames));
      // A clip that moves everywhere, or is short, holds all numbers.
      EXPECT_EQ(frames.packed().still != nullptr, nth >= 9 && joints >= 5);
      const std::vector<double> times{-1, 0, 0.1, 17.375, 100.3, 187.3, 187.375, 999};
      std::vector<float> out(times.size() * joints * 10);
      std::vector<double> want(out.size());
      UniformSamplingJob<float> job{&frames, times, Loop::kNo, out};
      UniformSamplingJob<double> exact_job{&exact_frames, times, Loop::kNo, want};
      ASSERT_FALSE(job.run());
      ASSERT_FALSE(exact_job.run());
      for (std::size_t i = 0; i < out.size(); ++i) {
        ASSERT_NEAR(out[i], want[i],
                    2e-7 * std::fmax(1.0, std::fabs(want[i])) + 2e-5 * (i % 10 < 3 || i % 10 > 6))
            << joints << " joints, " << nth << ", " << i;
      }
    }
  }
}

}  // namespace
}  // namespace lissom
