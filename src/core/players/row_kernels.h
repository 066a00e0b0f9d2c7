// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lissom {

inline constexpr std::size_t kRowNumbers = 16;  // with which each layer begins

// What each of them must lie in, where it counts.
struct RowLimits {
  double low[kRowNumbers], high[kRowNumbers];
  std::int64_t counts[kRowNumbers];  // 0 or -1
};

// Whether the first numbers of some layers, `stride` numbers apart, lie within limits; NaN lies nowhere.
using RowCheck = bool (*)(const double* first, std::size_t stride, std::int32_t layer_count,
                          const RowLimits& limits);

struct RowKernels {
  RowCheck lie_within;
};

}  // namespace lissom
