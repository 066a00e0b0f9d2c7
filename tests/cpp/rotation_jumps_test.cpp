// SPDX-License-Identifier: MIT
#include "core/bake/rotation_jumps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace lissom {
namespace {

const float kHalf = std::sqrt(0.5f);
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Three frames of four rows of five numbers: one turns by 90 degrees at the end, one changes its sign, one is still
// except for its fifth number, and one is no number.
const std::vector<float> kRows = {
    0,     0, 0, 1,     9, 0, 0, 0, 1,  9, 0, 0, 0, 1, 9,  0, 0, 0, kNan, 9,  //
    0,     0, 0, 1,     9, 0, 0, 0, -1, 9, 0, 0, 0, 1, -9, 0, 0, 0, 1,    9,  //
    kHalf, 0, 0, kHalf, 9, 0, 0, 0, -1, 9, 0, 0, 0, 1, 9,  0, 0, 0, kNan, 9,  //
};

TEST(RotationJumps, AreTurnsBeyondTheLimit) {
  std::vector<std::uint8_t> jumps(4, 7);
  RotationJumpsJob job{3, 4, 5, 0.8f, kRows, jumps};
  ASSERT_FALSE(job.run());
  EXPECT_EQ(jumps, (std::vector<std::uint8_t>{1, 0, 0, 0}));
  job.limit = 0.6f;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(jumps, (std::vector<std::uint8_t>{0, 0, 0, 0}));
}

TEST(RotationJumps, RefusesOtherLengths) {
  std::vector<std::uint8_t> jumps(3, 7);
  RotationJumpsJob job{3, 4, 5, 0.8f, kRows, jumps};
  EXPECT_EQ(job.run().sentence(), "jumps must hold 4 numbers, got 3");
  job.row_floats = 3;
  EXPECT_EQ(job.run().sentence(), "rows must have 4 numbers or more, got 3");
  job.row_floats = 6;
  EXPECT_EQ(job.run().sentence(), "rows must hold 72 numbers, got 60");
  EXPECT_EQ(jumps, (std::vector<std::uint8_t>{7, 7, 7}));
}

}  // namespace
}  // namespace lissom
