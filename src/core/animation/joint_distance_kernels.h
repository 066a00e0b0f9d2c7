// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lissom {

template <class T>
struct JointDistanceArgs {
  const std::int32_t* parents;  // (J)
  const double* offsets;        // (J, 3)
  std::size_t joint_count;      // J
  const T* before;              // (count, J, 10)
  const T* after;               // (count, J, 10)
  std::size_t count;            // poses, at least 1
  double* distances;            // (count, J)
  double* scratch;              // (J * scratch_per_joint), aligned to 64 bytes
};

struct JointDistanceKernels {
  void (*measure_float)(const JointDistanceArgs<float>& args);
  void (*measure_double)(const JointDistanceArgs<double>& args);
  std::size_t scratch_per_joint;  // doubles
};

}  // namespace lissom
