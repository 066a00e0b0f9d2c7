// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/springs/spring_plan.h"

namespace lissom {

// A SpringJob in plain pointers; null for what is not given.
template <class T>
struct SpringBatch {
  const T *poses, *moves, *turns, *start;
  T *tails, *rotations;
  std::size_t characters, frames;
};

// The first pose that is not finite or not unit; joint -1 for none.
struct SpringFault {
  std::size_t frame = 0, character = 0;
  std::int32_t joint = -1;
};

template <class T>
struct SpringLoop {
  // Characters [begin, end), through all frames.
  SpringFault (*step)(const SpringPlan& plan, const SpringBatch<T>& batch, std::size_t begin, std::size_t end,
                      void* scratch);
  std::size_t (*scratch_bytes)(const SpringPlan& plan);
};

struct SpringKernels {
  SpringLoop<float> floats;
  SpringLoop<double> doubles;
};

}  // namespace lissom
