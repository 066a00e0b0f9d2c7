// SPDX-License-Identifier: MIT
#include "core/geometry/row_checks.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace lissom {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

TEST(RowChecks, NumbersAreFiniteUnlessOneIsNot) {
  EXPECT_TRUE(are_finite({}));
  for (const std::size_t place : {0u, 16u, 99u}) {
    std::vector<float> numbers(100, std::numeric_limits<float>::max());
    EXPECT_TRUE(are_finite(numbers));
    for (const float odd : {kNan, kInf, -kInf}) {
      numbers[place] = odd;
      EXPECT_FALSE(are_finite(numbers));
    }
  }
}

TEST(RowChecks, TheWorstRowOfWeightsIsFound) {
  for (const std::size_t influences : {1u, 2u, 4u, 5u}) {
    std::vector<float> weights(10 * influences);
    for (std::size_t row = 0; row < 10; ++row) weights[row * influences] = 1;
    EXPECT_EQ(largest_weight_sum_error(weights, influences), 0);
    weights[7 * influences] = 0.75f;
    weights[3 * influences] = 1.125f;
    EXPECT_EQ(largest_weight_sum_error(weights, influences), 0.25);
    for (const float odd : {kNan, kInf, -0.5f}) {
      weights.back() = odd;
      EXPECT_EQ(largest_weight_sum_error(weights, influences), double{kInf});
    }
  }
  EXPECT_EQ(largest_weight_sum_error({}, 4), 0);
  EXPECT_EQ(largest_weight_sum_error(std::vector<float>(5, 1), 2), double{kInf});
  EXPECT_EQ(largest_weight_sum_error(std::vector<float>(5, 1), 0), double{kInf});
}

}  // namespace
}  // namespace lissom
