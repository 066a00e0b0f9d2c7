// SPDX-License-Identifier: MIT
#include "core/weights/influence_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lissom {
namespace {

// Whether a row needs no repair.
bool is_row_good(const InfluenceOrderJob& job, const std::int64_t* joints, const float* weights) {
  double sum = 0;
  for (std::size_t i = 0; i < job.influences; ++i) {
    if (joints[i] < 0 || joints[i] >= job.joint_count) return false;
    if (!(weights[i] >= 0 && weights[i] <= std::numeric_limits<float>::max())) return false;
    sum += static_cast<double>(weights[i]);
    for (std::size_t left = 0; left < i; ++left) {
      if (joints[left] == joints[i] && weights[left] > 0 && weights[i] > 0) return false;
    }
  }
  return std::abs(sum - 1) <= job.sum_tolerance;
}

}  // namespace

Error InfluenceOrderJob::run() {
  const std::size_t size = joints.size();
  if (influences == 0 || size % influences != 0 || weights.size() != size || joints_out.size() != size ||
      weights_out.size() != size) {
    return Error("joints, weights and outputs must have as many rows and columns");
  }
  is_good = false;
  if (influences > kMostInfluences) return {};
  for (std::size_t start = 0; start < size; start += influences) {
    if (!is_row_good(*this, joints.data() + start, weights.data() + start)) return {};
    std::int64_t* const names = joints_out.data() + start;
    float* const values = weights_out.data() + start;
    for (std::size_t i = 0; i < influences; ++i) {  // each goes in front of smaller ones
      std::size_t at = i;
      for (; at > 0 && values[at - 1] < weights[start + i]; --at) {
        names[at] = names[at - 1];
        values[at] = values[at - 1];
      }
      names[at] = joints[start + i];
      values[at] = weights[start + i];
    }
    for (std::size_t i = 1; i < influences; ++i) {
      if (!(values[i] > 0)) names[i] = names[0];
    }
  }
  is_good = true;
  return {};
}

}  // namespace lissom
