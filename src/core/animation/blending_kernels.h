// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace lissom {

// Poses with a weight each. A step is the distance to those of the next result in elements, 0 where one serves all.
template <class T>
struct WeightedPoses {
  const T* poses;
  const T* weights;
  const T* mask;  // null: 1 everywhere
  std::size_t pose_step, weight_step, mask_step;
};

// The joint whose weights have no mean.
template <class T>
struct WrongSum {
  bool is_found = false;
  std::size_t joint = 0;  // counted over all results
  T sum = 0;
};

// The jobs of blending.h over results [begin, end), whose poses are out + result * joint_count
// * 10.
template <class T>
struct BlendLoops {
  void (*two)(const T* a, std::size_t a_step, const WeightedPoses<T>& b, std::size_t joint_count,
              std::size_t begin, std::size_t end, T* out);
  // `scratch` holds scratch_bytes, aligned to 64.
  void (*layers)(const WeightedPoses<T>* layers, std::size_t layer_count, const T* rest, T threshold,
                 std::size_t joint_count, std::size_t begin, std::size_t end, void* scratch, T* out);
  // The first joint whose weights do not sum to a finite number, or to zero where there is no rest.
  WrongSum<T> (*first_wrong_sum)(const WeightedPoses<T>* layers, std::size_t layer_count, bool has_rest,
                                 std::size_t joint_count, std::size_t begin, std::size_t end);
  std::size_t (*scratch_bytes)(std::size_t layer_count, std::size_t joint_count, std::size_t result_count);
};

struct BlendingKernels {
  BlendLoops<float> floats;
  BlendLoops<double> doubles;
};

}  // namespace lissom
