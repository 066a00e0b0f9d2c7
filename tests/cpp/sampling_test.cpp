// SPDX-License-Identifier: MIT
#include "core/animation/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/animation/moments.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(SamplingKernels, sampling_kernels)

namespace {

// One joint whose x runs from 1 at 0 s to 3 at 2 s.
const std::vector<double> kRest{0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
const std::vector<double> kKeys{0, 2, 1, 0, 0, 3, 0, 0};
const Track kTrack{0, 0, 1, 2, 0, 2};

class Sampling : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(TrackSet<double>::make(std::span(&kTrack, 1), kKeys, kRest, tracks_));
    job_.tracks = &tracks_;
  }
  Error run(const std::vector<double>& times) {
    out_.assign(times.size() * 10, -7.0);
    job_.times = times;
    job_.out = out_;
    return job_.run();
  }
  TrackSet<double> tracks_;
  SamplingJob<double> job_;
  std::vector<double> out_;
};

TEST_F(Sampling, FillsOnePosePerTime) {
  ASSERT_FALSE(run({-1, 0, 0.5, 2, 9}));
  for (const auto& [pose, x] : {std::pair{0, 1.0}, {1, 1.0}, {2, 1.5}, {3, 3.0}, {4, 3.0}}) {
    EXPECT_EQ(out_[static_cast<std::size_t>(10 * pose)], x);
    EXPECT_EQ(out_[static_cast<std::size_t>(10 * pose + 6)], 1.0);
  }
}

TEST_F(Sampling, WrapsLoops) {
  job_.loop = Loop::kYes;
  ASSERT_FALSE(run({2, 2.5, -0.5}));
  EXPECT_EQ(out_[0], 1.0);
  EXPECT_EQ(out_[10], 1.5);
  EXPECT_EQ(out_[20], 2.5);
}

TEST_F(Sampling, FindsKeysWhoseDistanceOverflows) {
  constexpr double kWidest = std::numeric_limits<double>::max();
  const std::vector<double> keys{-kWidest, 0, 1, kWidest, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0};
  const Track track{0, 0, 1, 4, 0, 4};
  ASSERT_FALSE(TrackSet<double>::make(std::span(&track, 1), keys, kRest, tracks_));
  ASSERT_FALSE(run({2}));  // not where the search begins, so the key is guessed: from infinity over infinity
  EXPECT_EQ(out_[0], 3.0);
}

TEST_F(Sampling, WritesNothingOnError) {
  const Error error = run({0, NAN});
  EXPECT_EQ(error.sentence(), "times must be finite, got nan at element 1");
  for (const double element : out_) EXPECT_EQ(element, -7.0);
}

TEST_F(Sampling, RefusesAnOutputOfAnotherSize) {
  const std::vector<double> times{0, 1};
  std::vector<double> out(19);
  job_.times = times;
  job_.out = out;
  EXPECT_TRUE(job_.run());
}

// Three keys of one joint: a translation and a rotation with times of their own. Buffers end where they must.
class SamplingFloats : public testing::Test {
 protected:
  const std::vector<float> keys_{0, 1, 3, 0, 0.5f, 3, 1, 2, 3, 4, 5, 6, 7, 8,
                                 9, 0, 0, 0, 1,    1, 0, 0, 0, 0, 1, 0, 0};
  const std::vector<Track> tracks_{{0, 0, 1, 3, 0, 6}, {0, 1, 1, 3, 3, 15}};
  const std::vector<float> rest_{0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
};

TEST_F(SamplingFloats, AreTheSameForOneTimeAndForMany) {
  TrackSet<float> set;
  ASSERT_FALSE(TrackSet<float>::make(tracks_, keys_, rest_, set));
  std::vector<double> times;
  for (int i = 0; i < 44; ++i) times.push_back(0.1 * ((7 * i) % 41) - 0.3);
  for (const bool ordered : {false, true}) {
    if (ordered) std::sort(times.begin(), times.end());
    for (const std::size_t count :
         {std::size_t{7}, std::size_t{8}, std::size_t{16}, std::size_t{27}, times.size()}) {
      std::vector<float> together(10 * count), alone(10);
      SamplingJob<float> job{&set, {times.data(), count}, Loop::kNo, together};
      ASSERT_FALSE(job.run());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_FALSE((SamplingJob<float>{&set, {times.data() + i, 1}, Loop::kNo, alone}.run()));
        const auto begin = together.begin() + static_cast<std::ptrdiff_t>(10 * i);
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), begin)) << "time " << times[i] << " of " << count;
      }
    }
  }
}

TEST_F(SamplingFloats, FindMomentsAsForOneTimeOnEveryInstructionSet) {
  const std::vector<float> times{-1, 0.1f, 0.30000001f, 2, 7};
  const TrackSet<float>::Timeline timeline{times.data(), 5};
  const std::vector<double> seconds{
      -1e300, -1.5, -1,  -0.2,       0.1, 0.1 + 1e-17, 0.2, std::nextafter(0.3, 1),
      0.31,   1.9,  2.0, 2.00000001, 6.9, 7,           7.1, 1e300};
  ASSERT_EQ(seconds.size(), kTimeBlock);
  std::vector<float> floors;
  for (const double second : seconds) floors.push_back(rounded_down<float>(second));
  for (const Isa isa : runnable_isas()) {
    const SamplingKernels& kernels = sampling_kernels(isa);
    for (const bool ordered : {false, true}) {
      std::int32_t keys[kTimeBlock];
      MomentBlock<float> moments;
      find_keys<float>(timeline, floors, ordered, -1, kernels, keys);
      kernels.find_moments(times.data(), timeline.key_count, keys, seconds.data(), moments);
      for (std::size_t i = 0; i < kTimeBlock; ++i) {
        ASSERT_EQ(keys[i], last_key_at<float>(timeline, floors[i])) << isa_name(isa) << ' ' << seconds[i];
        const Moment<float> at = moment_at<float>(timeline, keys[i], seconds[i]);
        EXPECT_EQ(moments.key[i], at.key) << isa_name(isa) << ' ' << seconds[i];
        EXPECT_EQ(moments.step[i], at.step) << isa_name(isa) << ' ' << seconds[i];
        EXPECT_EQ(moments.fraction[i], at.fraction) << isa_name(isa) << ' ' << seconds[i];
        EXPECT_EQ(moments.interval[i], at.interval) << isa_name(isa) << ' ' << seconds[i];
      }
    }
  }
}

TEST(WrappedTime, IsHalfOpenAndExactInside) {
  const TimeSpan span{0.1, 0.7};
  EXPECT_EQ(wrapped_time(0.1, span), 0.1);
  EXPECT_EQ(wrapped_time(0.7, span), 0.1);
  for (double time = 0.1; time < 0.7; time += 0.013) EXPECT_EQ(wrapped_time(time, span), time);
  for (const double time : {-1e9, -3.3, 0.0, 0.1 - 1e-18, 5.0, 1e9}) {
    const double wrapped = wrapped_time(time, span);
    EXPECT_GE(wrapped, span.start);
    EXPECT_LT(wrapped, span.end);
  }
  EXPECT_EQ(wrapped_time(5.0, TimeSpan{2.0, 2.0}), 2.0);
}

TEST(ReflectedTime, IsExactInsideAndStaysThere) {
  const TimeSpan span{0.1, 0.7};
  EXPECT_EQ(reflected_time(0.1, span), 0.1);
  EXPECT_EQ(reflected_time(0.7, span), 0.7);
  EXPECT_NEAR(reflected_time(0.9, span), 0.5, 1e-15);
  EXPECT_NEAR(reflected_time(-0.1, span), 0.3, 1e-15);
  for (const double time : {-1e9, -3.3, 0.0, 0.1 - 1e-18, 5.0, 1e9}) {
    const double reflected = reflected_time(time, span);
    EXPECT_GE(reflected, span.start);
    EXPECT_LE(reflected, span.end);
  }
  EXPECT_EQ(reflected_time(5.0, TimeSpan{2.0, 2.0}), 2.0);
}

}  // namespace
}  // namespace lissom
