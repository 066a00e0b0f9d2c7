// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

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
