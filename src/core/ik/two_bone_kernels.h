// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/ik/ik_plan.h"

namespace lissom {

// What two_bone takes beyond what all solvers do.
template <class T>
struct TwoBoneOptions {
  const T* poles;  // (E, 3) model space, or null; NaN in a row: no pole
  std::size_t pole_step;
  const T* twists;  // (E) radians, or null: none
  std::size_t twist_step;
  T soften;  // of the reach, in [0, 1]
};

template <class T>
struct TwoBoneLoop {
  void (*solve)(const IkPlan& plan, const IkBatch<T>& batch, const TwoBoneOptions<T>& options,
                std::size_t begin, std::size_t end, void* scratch);
  std::size_t (*scratch_bytes)(const IkPlan& plan);
};

struct TwoBoneKernels {
  TwoBoneLoop<float> floats;
  TwoBoneLoop<double> doubles;
};

}  // namespace lissom
