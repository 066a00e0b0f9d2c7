// SPDX-License-Identifier: MIT
#include "core/ik/ik_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/ik/ccd.h"
#include "core/parallel/thread_pool.h"

namespace lissom {
namespace {

constexpr std::size_t kJoints = 4;

// Three bones of length 1 along y, under a root joint that does not turn.
std::vector<float> pose() {
  std::vector<float> result;
  for (std::size_t i = 0; i < kJoints; ++i) {
    result.insert(result.end(), {0, i ? 1.0f : 0.0f, 0, 0, 0, 0, 1, 1, 1, 1});
  }
  return result;
}

IkTree tree() {
  IkTree result;
  const std::vector<std::int32_t> parents{-1, 0, 1, 2};
  const std::vector<std::vector<std::int32_t>> chains{{1, 2, 3}};
  const Error error =
      IkTree::make(parents, pose(), {"root", "upper", "lower", "end"}, chains, {}, {}, {}, result);
  EXPECT_FALSE(error) << error.sentence();
  return result;
}

// A job over `count` poses and all that it points at.
struct Arm {
  explicit Arm(std::size_t count)
      : out(count * kJoints * 10, -7),
        residuals(count),
        iterations(count),
        reached(count),
        limited(count * 4) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto x = static_cast<float>(i);
      targets.insert(targets.end(), {std::sin(x), 2 + 0.5f * std::cos(x), 1});
    }
    job.tree = &chain;
    job.poses = poses;
    job.targets = targets;
    job.weights = weight;
    job.max_iterations = 50;
    job.out = out;
    job.residuals = residuals;
    job.iterations = iterations;
    job.reached = reached;
    job.limited = limited;
  }
  std::string sentence() {
    const std::string text = job.run().sentence();
    for (const float number : out) EXPECT_EQ(number, -7) << "written although: " << text;
    return text;
  }

  IkTree chain = tree();
  std::vector<float> poses = pose(), targets, weight{1}, out, residuals;
  std::vector<std::int32_t> iterations;
  std::vector<std::uint8_t> reached, limited;
  CcdJob<float> job;
};

TEST(IkJob, ReachesAndSaysSo) {
  Arm arm(5);
  ASSERT_FALSE(arm.job.run());
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(arm.reached[i]);
    EXPECT_LE(arm.residuals[i], 2e-4f);
    EXPECT_GT(arm.iterations[i], 0);
  }
}

TEST(IkJob, GivesTheSameBitsWithAnyNumberOfThreads) {
  const int before = thread_count();
  Arm one(20'000), three(20'000);
  ASSERT_FALSE(set_thread_count(1));
  ASSERT_FALSE(one.job.run());
  ASSERT_FALSE(set_thread_count(3));
  ASSERT_FALSE(three.job.run());
  ASSERT_FALSE(set_thread_count(before));
  EXPECT_EQ(one.out, three.out);
  EXPECT_EQ(one.residuals, three.residuals);
}

TEST(IkJob, WithoutIterationsOnlyMeasures) {
  Arm arm(1);
  arm.job.max_iterations = 0;
  ASSERT_FALSE(arm.job.run());
  EXPECT_EQ(arm.out, arm.poses);
  const float x = arm.targets[0], y = arm.targets[1] - 3, z = arm.targets[2];
  EXPECT_NEAR(arm.residuals[0], std::sqrt(x * x + y * y + z * z), 1e-6f);
  EXPECT_FALSE(arm.reached[0]);
}

TEST(IkJob, IsRefusedByTheRuleItBreaks) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  {
    Arm arm(2);
    arm.targets[4] = nan;
    EXPECT_EQ(arm.sentence(), "targets must be finite, got nan at item 1");
  }
  {
    Arm arm(1);
    arm.weight[0] = 1.5f;
    EXPECT_EQ(arm.sentence(), "weight must lie in [0, 1], got 1.5");
  }
  {
    Arm arm(1);
    arm.job.tolerance = 0;
    EXPECT_EQ(arm.sentence(), "tolerance must be above 0 and finite, got 0");
  }
  {
    Arm arm(1);
    arm.job.max_iterations = -1;
    EXPECT_EQ(arm.sentence(), "max_iterations must be at least 0, got -1");
  }
  {
    // Counted in float: one more would be counted no more, and never reached.
    Arm arm(1);
    arm.job.max_iterations = (1 << 24) + 1;
    EXPECT_EQ(arm.sentence(), "max_iterations must be at most 16777216, got 16777217");
  }
  {
    Arm arm(1);
    arm.poses[20] = nan;
    EXPECT_EQ(arm.sentence(), "poses: joint 'lower' must be finite");
  }
  {
    Arm arm(1);
    arm.poses[16] = 2;
    EXPECT_NE(arm.sentence().find("poses: joint 'upper' must have a unit rotation"), std::string::npos);
  }
  {
    Arm arm(1);
    arm.poses[28] = 2;
    EXPECT_NE(arm.sentence().find("poses: joint 'lower' must be scaled equally"), std::string::npos);
  }
  {
    Arm arm(1);
    arm.poses[8] = 0;
    EXPECT_NE(arm.sentence().find("poses: joint 'root' must not be scaled to zero"), std::string::npos);
  }
  {
    Arm arm(3);
    arm.job.frames = 2;
    EXPECT_EQ(arm.sentence(), "there must be whole sequences of frames");
  }
  {
    Arm arm(2);
    arm.job.out = std::span(arm.out).first(40);
    EXPECT_EQ(arm.sentence(), "outputs must have one entry for each pose");
  }
}

TEST(IkJob, ScaleAboveAndAtTheEndIsAllowed) {
  Arm arm(1);
  for (const std::size_t number : {7, 8, 9}) arm.poses[number] = 2.0f + static_cast<float>(number);  // root
  arm.poses[38] = 0;                                                                                 // end
  arm.targets = {3, 25, 4};
  arm.job.targets = arm.targets;
  ASSERT_FALSE(arm.job.run());
  EXPECT_TRUE(arm.reached[0]) << arm.residuals[0];
}

}  // namespace
}  // namespace lissom
