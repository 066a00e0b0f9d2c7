// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/retarget/retarget_plan.h"

namespace lissom {

// A RetargetJob in plain pointers; null for what is not asked for.
template <class T>
struct RetargetBatch {
  const T* poses;
  const T* offsets;
  T *out, *goals, *orientations, *beyond, *headings;
};

// The first pose that is not finite or not unit; `item` is that of none.
struct RetargetFault {
  std::size_t item = static_cast<std::size_t>(-1);
  std::int32_t joint = -1;  // of the source
};

template <class T>
struct RetargetLoop {
  RetargetFault (*carry)(const RetargetPlan& plan, const RetargetBatch<T>& batch, const T* rest,
                         std::size_t begin, std::size_t end, void* scratch);
  std::size_t (*scratch_bytes)(const RetargetPlan& plan);
};

struct RetargetKernels {
  RetargetLoop<float> floats;
  RetargetLoop<double> doubles;
};

}  // namespace lissom
