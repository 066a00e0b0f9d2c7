// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

namespace lissom {

// Functions of this header are static: kernels of several instruction sets include it, and a shared copy
// would be compiled for one of them.

// Half precision numbers as the GPU reads them (IEEE 754 binary16), kept as their bits.
struct Half {
  std::uint16_t bits;
};

// Largest finite half: (2 - 2^-10) 2^15. Values from 65520 on round to infinity.
inline constexpr float kHalfMax = 65504.0f;

// Rounds to the nearest half, ties to even, by integers alone, so that compilers vectorise it and the bits
// are the same on every machine. Subnormal halves are exact; NaN stays NaN.
static inline Half half_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  // Normal: 13 bits of the mantissa go; adding half of the last kept bit minus one, plus that bit, rounds to
  // even. The exponent moves by 127 - 15 = 112.
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0x0FFFu + odd) >> 13;
  // Subnormal (below 2^-14): adding 0.5, whose last bit is worth 2^-24, lets the float unit round.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000u;
  const std::uint32_t infinite = magnitude > 0x7F800000u ? 0x7E00u : 0x7C00u;
  std::uint32_t half = magnitude < (113u << 23) ? subnormal : normal;
  half = magnitude >= 0x477FF000u ? infinite : half;  // 65520
  return {static_cast<std::uint16_t>(sign | half)};
}

// Exact: every half is a float.
static inline float float_from_half(Half half) {
  const std::uint32_t sign = (half.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = half.bits & 0x7FFFu;
  const std::uint32_t normal = (magnitude << 13) + (112u << 23);
  // Subnormal: magnitude * 2^-24, made by subtracting 0.5 from a float whose last bits are the magnitude.
  const auto subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude | 0x3F000000u) - 0.5f);
  std::uint32_t bits = magnitude < 0x0400u ? subnormal : normal;
  bits = magnitude >= 0x7C00u ? (0x7F800000u | (magnitude << 13)) : bits;
  return std::bit_cast<float>(sign | bits);
}

}  // namespace lissom
