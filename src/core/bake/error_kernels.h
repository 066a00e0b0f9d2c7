// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bake/error_metric.h"

namespace lissom {

// Vertices measured together: their squared distances and sums fit in the first cache.
inline constexpr std::size_t kErrorBlock = 128;

// One block of vertices at all moments. The bits of non-negative floats are ordered as the floats, and those of NaN are
// above infinity's: the largest squared distances are those with the largest bits.
struct ErrorKernelArgs {
  const float* expected;  // (N, sample_stride) from the block's first vertex on
  const float* actual;    // the same
  std::size_t sample_stride;
  std::size_t sample_count;     // N
  std::size_t vertex_count;     // of the block, at most kErrorBlock
  const std::int32_t* groups;   // (N)
  const std::uint32_t* copies;  // of the block: vertices that each stands for
  double* vertex_sums;          // (G, group_stride) from the first vertex on: of squared distances, added to
  float* vertex_squares;        // the same: largest squared distances, raised
  std::size_t group_stride;
  std::uint32_t* sample_peaks;  // (N) bits of the largest squared distances, raised
  std::uint32_t* counts;        // (G, 2, kDistanceBinCount) added to: of even and of odd vertices
  std::uint32_t* least;         // bits of the smallest squared distance above 0, minus one; lowered
  float* low;                   // (3) corners of `actual`, widened
  float* high;                  // (3)
};

// Lanes are vertices, and each sums over the moments in their order: the same bits in every instruction set.
struct ErrorKernels {
  void (*measure)(const ErrorKernelArgs& args);
};

}  // namespace lissom
