// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/geometry/bvh_layout.h"

namespace lissom {

// What the kernels are handed: plain pointers, all checked. See ClosestPointJob.
struct ClosestPointKernelArgs {
  const BvhNode* nodes;
  const void* leaves;  // BvhLeaf<T>
  const BvhSpace* space;
  const double* points;
  const double* normals;  // or null
  double least_cosine;
  std::size_t begin, end;  // points
  double* distances;
  std::int64_t* triangles;  // or null
  double* weights;          // or null
};

struct ClosestPointKernels {
  void (*find)(const ClosestPointKernelArgs&);       // float32 positions
  void (*find_wide)(const ClosestPointKernelArgs&);  // float64 positions
};

}  // namespace lissom
