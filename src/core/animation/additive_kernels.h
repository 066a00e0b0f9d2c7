// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/animation/blending_kernels.h"

namespace lissom {

// AddLayerJob over results [begin, end), whose poses are out + result * joint_count * 10.
template <class T>
using AddLayerLoop = void (*)(const T* base, std::size_t base_step, const WeightedPoses<T>& additive,
                              std::size_t joint_count, std::size_t begin, std::size_t end, T* out);

struct AdditiveKernels {
  AddLayerLoop<float> floats;
  AddLayerLoop<double> doubles;
};

}  // namespace lissom
