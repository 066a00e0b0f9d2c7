// SPDX-License-Identifier: MIT
#include "core/weights/influence_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lissom {
namespace {

// Whether a row needs no repair. Without branches: nearly all rows need none.
template <class Joint>
bool is_row_good(const InfluenceOrderJob<Joint>& job, std::size_t influences, const Joint* joints,
                 const float* weights) {
  double sum = 0;
  bool is_good = true;
  for (std::size_t i = 0; i < influences; ++i) {
    const std::int64_t joint = joints[i];
    is_good &= joint >= 0 && joint < job.joint_count;
    is_good &= weights[i] >= 0 && weights[i] <= std::numeric_limits<float>::max();
    sum += static_cast<double>(weights[i]);
    for (std::size_t left = 0; left < i; ++left) {
      is_good &= !(joints[left] == joints[i]) | !(weights[left] > 0) | !(weights[i] > 0);
    }
  }
  return is_good && std::abs(sum - 1) <= job.sum_tolerance;
}

// Orders all rows of so many columns, up to one that needs repair.
template <class Joint>
bool order(const InfluenceOrderJob<Joint>& job, std::size_t influences) {
  for (std::size_t start = 0; start < job.joints.size(); start += influences) {
    const Joint* const joints = job.joints.data() + start;
    const float* const weights = job.weights.data() + start;
    if (!is_row_good(job, influences, joints, weights)) return false;
    Joint* const names = job.joints_out.data() + start;
    float* const values = job.weights_out.data() + start;
    for (std::size_t i = 0; i < influences; ++i) {  // each goes in front of smaller ones
      std::size_t at = i;
      for (; at > 0 && values[at - 1] < weights[i]; --at) {
        names[at] = names[at - 1];
        values[at] = values[at - 1];
      }
      names[at] = joints[i];
      values[at] = weights[i];
    }
    for (std::size_t i = 1; i < influences; ++i) {
      if (!(values[i] > 0)) names[i] = names[0];
    }
  }
  return true;
}

}  // namespace

template <class Joint>
Error InfluenceOrderJob<Joint>::run() {
  const std::size_t size = joints.size();
  if (influences == 0 || size % influences != 0 || weights.size() != size || joints_out.size() != size ||
      weights_out.size() != size) {
    return Error("joints, weights and outputs must have as many rows and columns");
  }
  is_good = false;
  if (influences > kMostInfluences) return {};
  // A number that the compiler knows: it unrolls the loops.
  is_good = influences == 4 ? order(*this, std::size_t{4}) : order(*this, influences);
  return {};
}

template struct InfluenceOrderJob<std::uint8_t>;
template struct InfluenceOrderJob<std::uint16_t>;
template struct InfluenceOrderJob<std::int64_t>;

}  // namespace lissom
