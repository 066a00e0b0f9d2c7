// SPDX-License-Identifier: MIT
#include "core/bake/pose_texture.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace lissom {
namespace {

constexpr TexelForm kDualQuat{2, 0, 2, 1};

// Two frames of one row: the second is the first with the other sign.
const std::vector<float> kRows = {0, 0, 0.6f, -0.8f, 1, 2, 3, 4, 0, 0, -0.6f, 0.8f, -1, -2, -3, -4};

WriteTexelsJob<float> writing(std::vector<float>& out) {
  WriteTexelsJob<float> job;
  job.frame_count = 2;
  job.row_count = 1;
  job.form = kDualQuat;
  job.rows = kRows;
  job.out = out;
  return job;
}

TEST(WriteTexels, AlignsSignsAndStartsWithWPositive) {
  std::vector<float> out(16);
  ASSERT_FALSE(writing(out).run());
  EXPECT_EQ(out, (std::vector<float>{0, 0, -0.6f, 0.8f, -1, -2, -3, -4, 0, 0, -0.6f, 0.8f, -1, -2, -3, -4}));
}

TEST(WriteTexels, FlipsWhatBelongsToTheQuaternionAlone) {
  std::vector<float> out(16);
  auto job = writing(out);
  job.form = {2, 0, 1, 1};
  ASSERT_FALSE(job.run());
  EXPECT_EQ(out, (std::vector<float>{0, 0, -0.6f, 0.8f, 1, 2, 3, 4, 0, 0, -0.6f, 0.8f, -1, -2, -3, -4}));
  job.form = {2, -1, 0, 1};
  ASSERT_FALSE(job.run());
  EXPECT_EQ(out, kRows);
  job.form = {2, 0, 2, 0};  // no row has a quaternion
  ASSERT_FALSE(job.run());
  EXPECT_EQ(out, kRows);
}

TEST(WriteTexels, WritesNothingOnError) {
  std::vector<float> rows = kRows;
  rows[9] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> out(16, -7.0f);
  auto job = writing(out);
  job.rows = rows;
  EXPECT_EQ(job.run().sentence(), "rows must be finite, got nan at frame 1, row 0");
  EXPECT_EQ(out, std::vector<float>(16, -7.0f));
  job.frame_count = 3;
  EXPECT_EQ(job.run().sentence(), "rows must hold 24 numbers, got 16");
  job.form = {2, 1, 2, 1};
  EXPECT_EQ(job.run().sentence(),
            "form must have its quaternion and what flips with it among 2 texels, got 2 texels from 1");
}

struct Reading {
  std::vector<std::int32_t> frames = {0};
  std::vector<std::int32_t> nexts = {1};
  std::vector<float> fractions = {0.5f};
  std::vector<float> out = std::vector<float>(8);

  template <class Texel>
  SampleTexelsJob<Texel> job(const std::vector<Texel>& texels) {
    SampleTexelsJob<Texel> job;
    job.frame_count = 2;
    job.row_count = 1;
    job.form = kDualQuat;
    job.texels = texels;
    job.frames = frames;
    job.nexts = nexts;
    job.fractions = fractions;
    job.rows = out;
    return job;
  }
};

TEST(SampleTexels, SignsTheSecondFrameToTheFirst) {
  const std::vector<float> texels = {0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, -1, -4, 0, 0, 0};
  Reading reading;
  ASSERT_FALSE(reading.job(texels).run());
  EXPECT_EQ(reading.out, (std::vector<float>{0, 0, 0, 1, 3, 0, 0, 0}));
}

TEST(SampleTexels, DecodesBytesByTheRangesOfTheClip) {
  const std::vector<std::uint8_t> texels = {0, 0, 0, 255, 10, 0, 0, 0, 0, 0, 0, 255, 20, 0, 0, 0};
  std::vector<float> ranges(32);
  ranges[16 + 4 + 3] = 0.5f;  // of the second clip: step of the first texel's w,
  ranges[16 + 8] = -1.0f;     // low
  ranges[16 + 8 + 4] = 2.0f;  // and step of the second texel's x
  const std::vector<std::int32_t> clips = {1};
  Reading reading;
  auto job = reading.job(texels);
  job.ranges = ranges;
  job.clips = clips;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(reading.out, (std::vector<float>{0, 0, 0, 127.5f, 29, 0, 0, 0}));
  job.ranges = job.ranges.first(16);
  EXPECT_EQ(job.run().sentence(), "clips must be at least 0 and below 1, got 1 at index 0");
  job.clips = {};
  EXPECT_EQ(job.run().sentence(), "clips must hold 1 numbers, got 0");
}

TEST(SampleTexels, RefusesWhatLiesOutside) {
  const std::vector<float> texels(16);
  Reading reading;
  reading.nexts[0] = 2;
  EXPECT_EQ(reading.job(texels).run().sentence(), "nexts must be at least 0 and below 2, got 2 at index 0");
  reading.nexts[0] = 1;
  reading.frames[0] = -1;
  EXPECT_EQ(reading.job(texels).run().sentence(), "frames must be at least 0 and below 2, got -1 at index 0");
  reading.frames[0] = 0;
  reading.fractions[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(reading.job(texels).run().sentence(), "fractions must lie in [0, 1], got nan at index 0");
}

TEST(MixRows, MixesAsFramesAre) {
  const std::vector<float> a = {0, 0, 0, 1, 2, 0, 0, 0};
  const std::vector<float> b = {0, 0, 0, -1, -4, 0, 0, 0};
  std::vector<float> weights = {0.25f};
  std::vector<float> out(8);
  MixRowsJob job{1, kDualQuat, a, b, weights, out};
  ASSERT_FALSE(job.run());
  EXPECT_EQ(out, (std::vector<float>{0, 0, 0, 1, 2.5f, 0, 0, 0}));
  weights[0] = 1.5f;
  EXPECT_EQ(job.run().sentence(), "weights must lie in [0, 1], got 1.500000 at index 0");
}

}  // namespace
}  // namespace lissom
