// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"

namespace lissom {

// Bins of the histogram of squared distances: 8 bits of exponent and the 6 highest bits of the mantissa of a
// float32, so that a bin is at most 1/64 wide in the square and 0.8 % in the distance, over the whole range.
inline constexpr int kDistanceBinShift = 17;  // of a float32, sign bit apart: 31 - 14
inline constexpr std::size_t kDistanceBinCount = std::size_t{1} << (31 - kDistanceBinShift);

// The bin of a squared distance, which must not be negative.
std::size_t distance_bin(float squared_distance);
// The upper end of a bin, as a distance.
double distance_bin_end(std::size_t bin);

// Measures the distances of vertices from their expected positions, and adds to the results of earlier calls. Samples
// (moments) are in groups, with a histogram and results per vertex for each. A vertex sums over the samples in their
// order and histograms are integers, so the result is the same for any number of threads and any split of the samples
// into calls.
struct ErrorMetricJob {
  Error validate() const;
  Error run() const;

  std::size_t sample_count = 0;          // N
  std::size_t vertex_count = 0;          // V
  std::span<const float> expected;       // (N*V*3) model units
  std::span<const float> actual;         // (N*V*3)
  std::span<const std::int32_t> groups;  // (N) 0 <= group < G
  std::span<const std::uint32_t>
      copies;                         // (V) vertices that each stands for: counted as often in the histogram
  std::span<float> maxima;            // (N) largest distance, written; NaN where a distance is NaN
  std::span<double> vertex_sums;      // (G*V) sums of squared distances, added to
  std::span<float> vertex_squares;    // (G*V) largest squared distances, raised from 0; NaN stays
  std::span<std::int64_t> histogram;  // (G*kDistanceBinCount) counts, added to
  std::span<float> bounds;            // (2*3) lowest and highest corner over `actual`, widened
};

}  // namespace lissom
