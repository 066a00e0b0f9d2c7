// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"

namespace lissom {

// Influences as files store them, the largest of each vertex first; equal ones stay in order, and those without weight
// name the first joint. Only where there is nothing to repair. Joints are int64, or uint8 or uint16 as files have them.
// Owns none of its buffers.
template <class Joint>
struct InfluenceOrderJob {
  Error run();

  std::span<const Joint> joints;   // (V, K)
  std::span<const float> weights;  // (V, K)
  std::size_t influences = 0;      // K
  std::int64_t joint_count = 0;
  double sum_tolerance = 0;  // of rows, which should sum to 1
  std::span<Joint> joints_out;
  std::span<float> weights_out;

  // False above this many columns: the work grows with their square.
  static constexpr std::size_t kMostInfluences = 16;
  // Whether each joint is below joint_count and none is named twice with weight, and weights are finite, not negative
  // and sum to 1. Where not, the outputs mean nothing.
  bool is_good = false;
};

}  // namespace lissom
