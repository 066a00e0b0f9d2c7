// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace lissom {

// Poses with a weight each, and where those of the next result are: so many elements further, 0 where one
// serves all.
template <class T>
struct WeightedPoses {
  const T* poses;
  const T* weights;
  const T* mask;  // null: 1 everywhere
  std::size_t pose_step, weight_step, mask_step;
};

// What the jobs of blending.h describe, over results [begin, end), whose poses are out + result * joint_count
// * 10.
template <class T>
struct BlendLoops {
  void (*two)(const T* a, std::size_t a_step, const WeightedPoses<T>& b, std::size_t joint_count,
              std::size_t begin, std::size_t end, T* out);
  // `scratch` holds scratch_per_layer bytes for each layer and for the rest, aligned to 64.
  void (*layers)(const WeightedPoses<T>* layers, std::size_t layer_count, const T* rest, T threshold,
                 std::size_t joint_count, std::size_t begin, std::size_t end, void* scratch, T* out);
  // The first joint, counted over all results, whose weights do not sum to a finite number above zero; -1 for
  // none.
  std::ptrdiff_t (*first_weightless)(const WeightedPoses<T>* layers, std::size_t layer_count,
                                     std::size_t joint_count, std::size_t begin, std::size_t end);
  std::size_t scratch_per_layer;
};

struct BlendingKernels {
  BlendLoops<float> floats;
  BlendLoops<double> doubles;
};

}  // namespace lissom
