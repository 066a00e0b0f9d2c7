// SPDX-License-Identifier: MIT
#pragma once

#include "core/geometry/bvh_layout.h"

namespace lissom {

// See ClosestPointJob.
struct ClosestPointKernelArgs : BvhKernelArgs {
  const double* points;
  const double* normals;  // or null
  double least_cosine;
};

struct ClosestPointKernels {
  void (*find)(const ClosestPointKernelArgs&);       // float32 positions
  void (*find_wide)(const ClosestPointKernelArgs&);  // float64 positions
};

}  // namespace lissom
