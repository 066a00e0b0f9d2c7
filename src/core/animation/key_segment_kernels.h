// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lissom {

// Lengths of segments, in intervals between keys: 2, 3, ... kEveryLength, then every second one up to kEverySecond,
// then every fourth one up to the longest. One of a single interval has no error.
inline constexpr int kEveryLength = 32, kEverySecond = 64, kLongestSegment = 128;
inline constexpr int kSegmentLengths =
    (kEveryLength - 1) + (kEverySecond - kEveryLength) / 2 + (kLongestSegment - kEverySecond) / 4;
constexpr int next_length(int length) {
  return length + (length < kEveryLength ? 1 : length < kEverySecond ? 2 : 4);
}
// Lengths in succession above the limit, after which longer ones are not tried.
inline constexpr int kMostFailures = 3;
// Most first keys that kernels take at a time.
inline constexpr std::size_t kMostSegmentLanes = 8;
// Keys that must be readable behind the last.
inline constexpr std::size_t kSegmentPadding = kLongestSegment + kMostSegmentLanes;

struct SegmentKernelArgs {
  const double* times;      // (K + padding) strictly increasing
  const double* values[4];  // components, (K + padding) each
  const double* squares;    // (K + padding) of levers
  std::size_t first;        // key of the first lane
  std::size_t key_count;    // K
  double limit;
  float* errors;  // (kSegmentLengths, lanes), written up to the length that is returned
};

// Write the errors of the segments from `lanes` first keys on, infinite where they are above the limit, and return the
// number of lengths tried.
struct SegmentKernels {
  int (*vectors)(const SegmentKernelArgs& args);
  int (*rotations)(const SegmentKernelArgs& args);
  std::size_t lanes;
};

}  // namespace lissom
