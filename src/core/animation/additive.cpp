// SPDX-License-Identifier: MIT
#include "core/animation/additive.h"

#include <type_traits>

#include "core/animation/additive_kernels.h"
#include "core/animation/pose_checks.h"
#include "core/math/conventions.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(AdditiveKernels, additive_kernels)

namespace {

template <class T>
AddLayerLoop<T> loop() {
  if constexpr (std::is_same_v<T, float>) {
    return additive_kernels().floats;
  } else {
    return additive_kernels().doubles;
  }
}

}  // namespace

template <class T>
Error AddLayerJob<T>::validate() const {
  if (!joint_count) return {};  // then the number of poses is unknown, and nothing is to be written
  const std::size_t pose_size = joint_count * kTrsScalars, count = out.size() / pose_size;
  if (out.size() != count * pose_size) return Error("out must hold whole poses");
  if (!serves(base, count, pose_size) || !serves(additive, count, pose_size)) {
    return Error("base and additive must hold one pose, or as many as out");
  }
  if (!serves(weights, count, 1)) return Error("weight must hold one number, or one for each pose of out");
  if (!mask.empty() && !serves(mask, count, joint_count)) {
    return Error("mask must hold one number per joint, or as many for each pose of out");
  }
  const auto is_finite = [](T x) { return x - x == T(0); };
  if (Error error = check_numbers<T>("weight", "must be finite", weights, 1, is_finite)) return error;
  return check_numbers<T>("mask", "must be finite", mask, joint_count, is_finite);
}

template <class T>
Error AddLayerJob<T>::run() const {
  if (Error error = validate()) return error;
  if (out.empty()) return {};
  const std::size_t pose_size = joint_count * kTrsScalars, count = out.size() / pose_size;
  const WeightedPoses<T> layer = weighted_poses(count, joint_count, additive, weights, mask);
  const std::size_t base_step = step_of(base, count, pose_size);
  const AddLayerLoop<T> add_layer = loop<T>();
  constexpr double kNanosecondsPerJoint = 6.0;
  parallel_for(count, 1, kNanosecondsPerJoint * static_cast<double>(joint_count),
               [&](std::size_t begin, std::size_t end) {
                 add_layer(base.data(), base_step, layer, joint_count, begin, end, out.data());
               });
  return {};
}

template struct AddLayerJob<float>;
template struct AddLayerJob<double>;

}  // namespace lissom
