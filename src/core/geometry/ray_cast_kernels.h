// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/geometry/bvh_layout.h"

namespace lissom {

// What the kernels are handed: plain pointers, all checked. See RayCastJob.
struct RayCastKernelArgs {
  const BvhNode* nodes;
  const void* leaves;  // BvhLeaf<T>
  const BvhSpace* space;
  const double* origins;
  const double* directions;
  double max_distance;
  bool front_only;
  std::size_t begin, end;  // rays
  double* distances;
  double* normals;          // or null
  std::int64_t* triangles;  // or null
  double* weights;          // or null
};

struct RayCastKernels {
  void (*cast)(const RayCastKernelArgs&);       // float32 positions
  void (*cast_wide)(const RayCastKernelArgs&);  // float64 positions
};

}  // namespace lissom
