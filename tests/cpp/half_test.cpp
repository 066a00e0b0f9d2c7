// SPDX-License-Identifier: MIT
#include "core/bake/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace lissom {
namespace {

// A half by its definition: sign, exponent with bias 15, mantissa of 10 bits.
double value_of(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(Half, EveryFiniteValueIsReadAndWrittenExactly) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits >> 10 & 31) == 31) continue;
    const Half half{static_cast<std::uint16_t>(bits)};
    ASSERT_EQ(float_from_half(half), value_of(half.bits)) << bits;
    ASSERT_EQ(half_from_float(float_from_half(half)).bits, half.bits);
  }
}

TEST(Half, RoundsToTheNearestTiesToEven) {
  for (std::uint16_t bits = 0; bits < 0x7BFF; ++bits) {
    const double low = value_of(bits);
    const double high = value_of(static_cast<std::uint16_t>(bits + 1));
    const auto middle = static_cast<float>((low + high) / 2);  // exact: one bit more than a half
    ASSERT_EQ(half_from_float(middle).bits, bits + (bits & 1)) << bits;
    ASSERT_EQ(half_from_float(std::nextafter(middle, 0.0f)).bits, bits);
    ASSERT_EQ(half_from_float(std::nextafter(middle, 1e9f)).bits, bits + 1);
  }
}

TEST(Half, OverflowsToInfinityAndKeepsNaN) {
  EXPECT_EQ(half_from_float(65519.996f).bits, 0x7BFF);
  EXPECT_EQ(half_from_float(65520.0f).bits, 0x7C00);
  EXPECT_EQ(half_from_float(-1e30f).bits, 0xFC00);
  EXPECT_TRUE(std::isnan(float_from_half(half_from_float(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(std::isinf(float_from_half({0x7C00})));
}

}  // namespace
}  // namespace lissom
