// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ik/ik_plan.h"

namespace lissom {

// What aim takes beyond what all solvers do.
template <class T>
struct AimOptions {
  double axis[3], offset[3], up[3];  // in the effector's frame: axis and up unit; no up: zero
  const T* poles;                    // (3) model space, direction for up to point to; not read without up
  std::size_t pole_step;
  const double* fractions;  // of each node, root to effector: its share of the rotation that is left
  double behind;            // 1 - cos of how near to half a turn the rotation is attenuated; 0: not at all
  std::uint8_t* signs;      // (N) sums of AimSign, to explain results by
};

// What is so of an item, whatever came of it.
enum AimSign : std::uint8_t {
  kAimedBefore = 1,    // the input pose looks at the target already, and up points to the pole
  kNoUpThere = 2,      // up or the pole is too near to the line of sight to be followed as a whole
  kTargetTooNear = 4,  // the target is nearer to the effector than the line of sight
  kTargetBehind = 8,   // so near to half a turn that the gaze returns to where the input pose looks
};

template <class T>
struct AimLoop {
  void (*solve)(const IkPlan& plan, const IkBatch<T>& batch, const AimOptions<T>& options, std::size_t begin,
                std::size_t end, void* scratch);
  std::size_t (*scratch_bytes)(const IkPlan& plan);
};

struct AimKernels {
  AimLoop<float> floats;
  AimLoop<double> doubles;
};

}  // namespace lissom
