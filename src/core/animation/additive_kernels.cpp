// SPDX-License-Identifier: MIT
#include "core/animation/additive_kernels.h"

#include "core/animation/joint_block.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
LISSOM_INLINE Trs<Lanes<T>> added(const Trs<Lanes<T>>& base, const Trs<Lanes<T>>& difference,
                                  Lanes<T> weight) {
  using L = Lanes<T>;
  const Quat<L> none = {T(0), T(0), T(0), T(1)};
  const Trs<L> sum = {base.translation + weight * difference.translation,
                      nearly_unit(base.rotation * slerp(none, difference.rotation, weight)),
                      base.scale + weight * difference.scale};
  return select(weight == L(0), base, sum);
}

template <class T>
void add_layer(const T* base, std::size_t base_step, const WeightedPoses<T>& additive,
               std::size_t joint_count, std::size_t begin, std::size_t end, T* out) {
  for (std::size_t result = begin; result < end; ++result) {
    const T* base_pose = base + result * base_step;
    const T* difference = additive.poses + result * additive.pose_step;
    T* out_pose = out + result * joint_count * kTrsScalars;
    for_each_block<T>(joint_count, [&](const auto& block) LISSOM_LAMBDA_INLINE {
      const Lanes<T> weight = weights_of(additive, result, block);
      block.store(added(block.load(base_pose), block.load(difference), weight), out_pose);
    });
  }
}

}  // namespace

extern const AdditiveKernels additive_kernels;
const AdditiveKernels additive_kernels = {&add_layer<float>, &add_layer<double>};

}  // namespace lissom::LISSOM_ISA
