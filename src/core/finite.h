// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace lissom {

// Whether no value has the exponent of infinities and NaNs. On integers and without a branch, so that the
// compiler may take many at a time.
template <class T>
bool all_finite(std::span<const T> values) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kExponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  Bits broken = 0;
  for (const T value : values) broken |= Bits((std::bit_cast<Bits>(value) & kExponent) == kExponent);
  return broken == 0;
}

// The index of the first value that is not finite, or the number of values.
template <class T>
std::size_t first_not_finite(std::span<const T> values) {
  if (all_finite(values)) return values.size();
  std::size_t i = 0;
  while (std::isfinite(values[i])) ++i;
  return i;
}

}  // namespace lissom
