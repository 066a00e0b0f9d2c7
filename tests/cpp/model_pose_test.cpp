// SPDX-License-Identifier: MIT
#include "core/animation/model_pose.h"

#include <gtest/gtest.h>

#include <vector>

namespace lissom {
namespace {

// A quarter turn about z, one along y, twice as large along x.
const std::vector<float> kJoint{0, 1, 0, 0, 0, 0.70710678f, 0.70710678f, 2, 1, 1};

TEST(ModelPose, ComposesParentThenChild) {
  const std::vector<std::int32_t> parents{-1, 0};
  std::vector<float> poses(kJoint);
  poses.insert(poses.end(), kJoint.begin(), kJoint.end());
  std::vector<float> out(32);
  ModelPoseJob<float> job{parents, poses, out};
  ASSERT_FALSE(job.run());
  // x -> (0, 2, 0), y -> (-1, 0, 0); twice: x -> (-2, 0,
  // 0), y -> (0, -2, 0), origin -> (0, 1, 0) + (-1, 0, 0).
  const std::vector<float> want{-2, 0, 0, -1, 0, -2, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1};
  for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(out[16 + i], want[i], 1e-6f) << i;
}

TEST(ModelPose, IsRefusedByTheRuleItBreaks) {
  const std::vector<float> poses(20);
  std::vector<float> out(32, -7);
  {  // A parent that is not an earlier joint.
    for (const std::int32_t parent : {1, 2, -2}) {
      const std::vector<std::int32_t> parents{-1, parent};
      EXPECT_TRUE((ModelPoseJob<float>{parents, poses, out}.run()));
    }
  }
  {  // A pose cut short.
    const std::vector<std::int32_t> parents{-1, 0, 1};
    EXPECT_TRUE((ModelPoseJob<float>{parents, poses, out}.run()));
  }
  {  // An output of another size.
    const std::vector<std::int32_t> parents{-1, 0};
    EXPECT_TRUE((ModelPoseJob<float>{parents, poses, std::span(out).first(31)}.run()));
  }
  for (const float element : out) EXPECT_EQ(element, -7.0f);
}

}  // namespace
}  // namespace lissom
