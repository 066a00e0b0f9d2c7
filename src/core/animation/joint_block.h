// SPDX-License-Identifier: MIT
#pragma once

// As many joints of one pose as a vector has lanes, and the way of their trs and numbers into lanes and back.
// For *_kernels.cpp files only.

#include <cstddef>

#include "core/animation/blending_kernels.h"
#include "core/math/trs.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

// Joints `first` and following. Lanes beyond `last` have no joint of their own and repeat that of lane
// `last`, which is the last of the pose; a whole block has none of them.
template <class T, bool kIsWhole>
struct JointBlock {
  using L = Lanes<T>;
  std::ptrdiff_t first, last;

  LISSOM_INLINE std::ptrdiff_t joint(int lane) const {
    return first + (kIsWhole || lane < last ? lane : last);
  }
  LISSOM_INLINE L numbers(const T* of_joints) const {
    if constexpr (kIsWhole) return load_as<typename L::Vector>(of_joints + first);
    L result;
    for (int lane = 0; lane < L::kCount; ++lane) result.v[lane] = of_joints[joint(lane)];
    return result;
  }
  LISSOM_INLINE Trs<L> load(const T* pose) const {
    L n[kTrsScalars];
    load_rows<kTrsScalars>([&](int lane) LISSOM_LAMBDA_INLINE { return pose + joint(lane) * kTrsScalars; },
                           n);
    return {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}};
  }
  LISSOM_INLINE Quat<L> load_rotations(const T* pose) const {
    L n[4];
    load_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return pose + joint(lane) * kTrsScalars + 3; }, n);
    return {n[0], n[1], n[2], n[3]};
  }
  LISSOM_INLINE void store(const Trs<L>& trs, T* pose) const {
    const Vec3<L> t = trs.translation, s = trs.scale;
    const Quat<L> q = trs.rotation;
    const L n[kTrsScalars] = {t.x, t.y, t.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z};
    store_rows<kTrsScalars>([&](int lane) LISSOM_LAMBDA_INLINE { return pose + joint(lane) * kTrsScalars; },
                            n);
  }
};

// Calls body(block) for all joints of a pose.
template <class T, class Body>
LISSOM_INLINE void for_each_block(std::size_t joint_count, const Body& body) {
  constexpr std::ptrdiff_t kLanes = Lanes<T>::kCount;
  const auto count = static_cast<std::ptrdiff_t>(joint_count);
  std::ptrdiff_t first = 0;
  for (; first + kLanes <= count; first += kLanes) body(JointBlock<T, true>{first, kLanes - 1});
  if (first < count) body(JointBlock<T, false>{first, count - first - 1});
}

// Of the joints of a block: the weight of the pose times those of the mask.
template <class T, class Block>
LISSOM_INLINE Lanes<T> weights_of(const WeightedPoses<T>& input, std::size_t result, const Block& block) {
  const Lanes<T> weight = input.weights[result * input.weight_step];
  return input.mask ? weight * block.numbers(input.mask + result * input.mask_step) : weight;
}

template <class Condition, class T>
LISSOM_INLINE Trs<T> select(const Condition& condition, const Trs<T>& a, const Trs<T>& b) {
  return {select(condition, a.translation, b.translation), select(condition, a.rotation, b.rotation),
          select(condition, a.scale, b.scale)};
}

// q / |q|, within 3e-7 in float: the last bits may differ from machine to machine.
LISSOM_INLINE Quat<Lanes<float>> nearly_unit(const Quat<Lanes<float>>& q) {
  return reciprocal_sqrt(dot(q, q)) * q;
}
LISSOM_INLINE Quat<Lanes<double>> nearly_unit(const Quat<Lanes<double>>& q) { return normalized(q); }

}  // namespace
}  // namespace lissom::LISSOM_ISA
