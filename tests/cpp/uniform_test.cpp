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

}  // namespace
}  // namespace lissom
