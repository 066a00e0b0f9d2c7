// SPDX-License-Identifier: MIT
#include "core/bake/pose_texture.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace lissom {
namespace {

// Two frames of one row: the second is the first with the other sign.
const std::vector<float> kRows = {0, 0, 0.6f, -0.8f, 1, 2, 3, 4, 0, 0, -0.6f, 0.8f, -1, -2, -3, -4};

WritePoseTextureJob<float> writing(std::vector<float>& out) {
  WritePoseTextureJob<float> job;
  job.frame_count = 2;
  job.row_count = 1;
  job.dual_quats = kRows;
  job.out = out;
  return job;
}

TEST(WritePoseTexture, AlignsSignsAndStartsWithWPositive) {
  std::vector<float> out(16);
  ASSERT_FALSE(writing(out).run());
  EXPECT_EQ(out, (std::vector<float>{0, 0, -0.6f, 0.8f, -1, -2, -3, -4, 0, 0, -0.6f, 0.8f, -1, -2, -3, -4}));
}

TEST(WritePoseTexture, PutsScaleBehindTheDualQuaternion) {
  const std::vector<float> scales = {2, 0, 0, 5, 0, 2, 0, 6, 0, 0, 2, 7, 3, 0, 0, 8, 0, 3, 0, 9, 0, 0, 3, 10};
  std::vector<float> uniform(24);
  auto job = writing(uniform);
  job.scales = scales;
  job.scale = ScaleTexels::kUniform;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(std::vector<float>(uniform.begin() + 8, uniform.begin() + 12), (std::vector<float>{5, 6, 7, 2}));
  EXPECT_EQ(std::vector<float>(uniform.begin() + 20, uniform.end()), (std::vector<float>{8, 9, 10, 3}));

  std::vector<float> general(40);
  job.out = general;
  job.scale = ScaleTexels::kGeneral;
  ASSERT_FALSE(job.run());
  EXPECT_TRUE(std::equal(general.begin() + 8, general.begin() + 20, scales.begin()));
  EXPECT_TRUE(std::equal(general.begin() + 28, general.end(), scales.begin() + 12));
}

TEST(WritePoseTexture, WritesNothingOnError) {
  std::vector<float> rows = kRows;
  rows[9] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> out(16, -7.0f);
  auto job = writing(out);
  job.dual_quats = rows;
  EXPECT_EQ(job.run().sentence(), "dual_quats must be finite, got nan at frame 1, row 0");
  EXPECT_EQ(out, std::vector<float>(16, -7.0f));
  job.frame_count = 3;
  EXPECT_EQ(job.run().sentence(), "dual_quats must hold 24 numbers, got 16");
}

TEST(SamplePoseTexture, SignsTheSecondFrameToTheFirst) {
  const std::vector<float> texels = {0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, -1, -4, 0, 0, 0};
  const std::vector<std::int32_t> frames = {0};
  const std::vector<std::int32_t> nexts = {1};
  const std::vector<float> fractions = {0.5f};
  std::vector<float> out(8);
  SamplePoseTextureJob<float> job;
  job.frame_count = 2;
  job.row_count = 1;
  job.texels = texels;
  job.frames = frames;
  job.nexts = nexts;
  job.fractions = fractions;
  job.dual_quats = out;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(out, (std::vector<float>{0, 0, 0, 1, 3, 0, 0, 0}));
}

TEST(SamplePoseTexture, RefusesWhatLiesOutside) {
  const std::vector<float> texels(16);
  std::vector<std::int32_t> frames = {0};
  std::vector<std::int32_t> nexts = {2};
  std::vector<float> fractions = {0.5f};
  std::vector<float> out(8);
  SamplePoseTextureJob<float> job;
  job.frame_count = 2;
  job.row_count = 1;
  job.texels = texels;
  job.frames = frames;
  job.nexts = nexts;
  job.fractions = fractions;
  job.dual_quats = out;
  EXPECT_EQ(job.run().sentence(), "frames must be at least 0 and below 2, got 2 at index 0");
  nexts[0] = 1;
  frames[0] = -1;
  EXPECT_EQ(job.run().sentence(), "frames must be at least 0 and below 2, got -1 at index 0");
  frames[0] = 0;
  fractions[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(job.run().sentence(), "fractions must lie in [0, 1], got nan at index 0");
}

}  // namespace
}  // namespace lissom
