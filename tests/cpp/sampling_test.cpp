// SPDX-License-Identifier: MIT
#include "core/animation/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lissom {
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
