// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"

namespace lissom {

// The distance of each joint between two poses, in model space: the largest of those of four points that move with it,
// its origin and one along each of its axes. Computed in float64, also of float32 poses. The metric follows Frechette,
// "Measuring Animation Compression Accuracy" (2016).
template <class T>
struct JointDistanceJob {
  Error validate() const;  // sizes, and that parents come first
  Error run() const;       // validates, then fills `out`; writes nothing on error

  std::span<const std::int32_t> parents;  // (J) each before its joint, or -1
  std::span<const double> offsets;        // (J * 3) of the points along the axes, in the joint's own space
  std::span<const T> before, after;       // (N * J * 10) local trs, rotations unit
  std::span<double> out;                  // (N * J) model units
};

}  // namespace lissom
