// SPDX-License-Identifier: MIT
#pragma once

#include "core/geometry/bvh_layout.h"

namespace lissom {

// See RayCastJob.
struct RayCastKernelArgs : BvhKernelArgs {
  const double* origins;
  const double* directions;
  double max_distance;
  bool front_only;
  double* normals;  // or null
};

struct RayCastKernels {
  void (*cast)(const RayCastKernelArgs&);       // float32 positions
  void (*cast_wide)(const RayCastKernelArgs&);  // float64 positions
};

}  // namespace lissom
