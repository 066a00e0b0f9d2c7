// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/ik/ik_plan.h"

namespace lissom {

// Items [begin, end) of a batch: multiples of batch.frames. `scratch` holds scratch_bytes(plan), aligned to 64 and
// not initialised.
template <class T>
struct IkLoop {
  void (*solve)(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin, std::size_t end,
                void* scratch);
  std::size_t (*scratch_bytes)(const IkPlan& plan);
};

// One solver.
struct IkKernels {
  IkLoop<float> floats;
  IkLoop<double> doubles;
};

// What all solvers ask of poses before they begin.
template <class T>
using IkCheck = IkFaultPlace (*)(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin,
                                 std::size_t end);
struct IkCheckKernels {
  IkCheck<float> floats;
  IkCheck<double> doubles;
};

}  // namespace lissom
