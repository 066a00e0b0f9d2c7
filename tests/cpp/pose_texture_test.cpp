// SPDX-License-Identifier: MIT
#include "core/bake/pose_texture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "core/bake/texel_kernels.h"
#include "core/simd/isa.h"

namespace lissom {
LISSOM_EQUAL_KERNEL_TABLE(TexelKernels, texel_kernels)
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

// Row by row, as the contract says it.
std::vector<float> written(const TexelRows& texels) {
  std::vector<float> out(texels.frame_count * texels.row_count * texels.row_floats);
  const std::size_t frame_floats = texels.row_count * texels.row_floats;
  for (std::size_t row = 0; row < texels.row_count; ++row) {
    for (std::size_t frame = 0; frame < texels.frame_count; ++frame) {
      const std::size_t at = frame * frame_floats + row * texels.row_floats, q = at + texels.quat;
      const float* const in = texels.rows;
      float cosine = in[q + 3];
      if (frame > 0) {
        const float* const last = &out[q - frame_floats];
        cosine = (in[q] * last[0] + in[q + 1] * last[1]) + (in[q + 2] * last[2] + in[q + 3] * last[3]);
      }
      const bool flips = row < texels.signed_rows && cosine < 0;
      for (std::size_t i = 0; i < texels.row_floats; ++i)
        out[at + i] = flips && i >= texels.quat && i < texels.flipped_end ? -in[at + i] : in[at + i];
    }
  }
  return out;
}

TEST(WriteTexels, EveryInstructionSetWritesTheSameBits) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  struct Form {
    std::size_t rows, floats, quat, flipped_end, signed_rows;
  };
  for (const Form form : {Form{37, 8, 0, 8, 37}, Form{21, 12, 4, 8, 19}, Form{16, 20, 0, 8, 16},
                          Form{33, 4, 0, 4, 32}, Form{5, 12, 0, 0, 0}}) {
    std::vector<float> rows(6 * form.rows * form.floats);
    for (float& value : rows) value = normal(random) * std::exp2(12 * normal(random) - 14);
    for (std::size_t i = 0; i < rows.size(); i += 29) rows[i] = i % 2 ? 0.0f : -0.0f;
    for (float& value : rows) value = std::abs(value) < kHalfMax ? value : 1.0f;
    const TexelRows texels = {rows.data(),     6, form.rows, form.floats, form.quat, form.flipped_end,
                              form.signed_rows};
    const std::vector<float> want = written(texels);
    for (const Isa isa : runnable_isas()) {
      std::vector<float> floats(rows.size() + 1, 7.0f);
      std::vector<Half> halves(rows.size() + 1, Half{7});
      // In two parts, as threads take them.
      for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 16}, {16, form.rows}}) {
        texel_kernels(isa).write_floats(texels, std::min(begin, form.rows), std::min(end, form.rows),
                                        floats.data());
        texel_kernels(isa).write_halves(texels, std::min(begin, form.rows), std::min(end, form.rows),
                                        halves.data());
      }
      EXPECT_EQ(std::memcmp(floats.data(), want.data(), want.size() * sizeof(float)), 0) << isa_name(isa);
      for (std::size_t i = 0; i < want.size(); ++i)
        ASSERT_EQ(halves[i].bits, half_from_float(want[i]).bits) << isa_name(isa) << ", " << want[i];
      EXPECT_EQ(floats.back(), 7.0f);
      EXPECT_EQ(halves.back().bits, 7);
    }
  }
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
