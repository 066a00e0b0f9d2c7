// SPDX-License-Identifier: MIT
#pragma once

// As many joints of one pose as a vector has lanes, in two forms: one component per vector of lanes, and in memory
// order, in ten vectors. For *_kernels.cpp files only.

#include <cstddef>

#include "core/animation/blending_kernels.h"
#include "core/math/trs.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

// ---- Which joints. ----

// Joints [first, first + lanes) of a pose; of one of fewer joints, all of them, the last in every lane that is left.
template <class T, bool kIsWhole>
struct JointBlock {
  using L = Lanes<T>;
  std::size_t first, count;

  LISSOM_INLINE std::size_t joint(int lane) const {
    const auto i = static_cast<std::size_t>(lane);
    return kIsWhole ? first + i : i < count ? i : count - 1;
  }
  // The trs of a pose, one after another.
  template <class Number>
  LISSOM_INLINE Number* at(Number* pose) const {
    static_assert(kIsWhole);
    return pose + first * kTrsScalars;
  }
  // One number per joint.
  LISSOM_INLINE L numbers(const T* of_joints) const {
    if constexpr (kIsWhole) return load_as<typename L::Vector>(of_joints + first);
    L result;
    for (int lane = 0; lane < L::kCount; ++lane) result.v[lane] = of_joints[joint(lane)];
    return result;
  }
};

// Calls body(block) for all joints of a pose that has as many as lanes, or more. The last block overlaps the one before it,
// so outputs must not be inputs.
template <class T, class Body>
LISSOM_INLINE void for_each_whole_block(std::size_t joint_count, const Body& body) {
  constexpr std::size_t kLanes = Lanes<T>::kCount;
  std::size_t first = 0;
  for (; first + kLanes <= joint_count; first += kLanes) body(JointBlock<T, true>{first, kLanes});
  if (first < joint_count) body(JointBlock<T, true>{joint_count - kLanes, kLanes});
}
// The same for any number of joints.
template <class T, class Body>
LISSOM_INLINE void for_each_block(std::size_t joint_count, const Body& body) {
  if (joint_count >= Lanes<T>::kCount) {
    for_each_whole_block<T>(joint_count, body);
  } else if (joint_count) {
    body(JointBlock<T, false>{0, joint_count});
  }
}

// The weight of the pose times those of the mask.
template <class T, class Block>
LISSOM_INLINE Lanes<T> weights_of(const WeightedPoses<T>& input, std::size_t result, const Block& block) {
  const Lanes<T> weight = input.weights[result * input.weight_step];
  return input.mask ? weight * block.numbers(input.mask + result * input.mask_step) : weight;
}

// ---- In lanes. ----

template <class T>
LISSOM_INLINE Quat<Lanes<T>> rotations_of(const T* rows) {
  Lanes<T> n[4];
  load_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return rows + lane * kTrsScalars + 3; }, n);
  return {n[0], n[1], n[2], n[3]};
}

// 1 / |q|, in float within 2e-7 of itself: the last bits may differ from machine to machine.
LISSOM_INLINE Lanes<float> inverse_length(const Quat<Lanes<float>>& q) { return reciprocal_sqrt(dot(q, q)); }
LISSOM_INLINE Lanes<double> inverse_length(const Quat<Lanes<double>>& q) { return 1 / length(q); }

// ---- In memory order. ----
//
// Vector k holds numbers k * lanes and following of a block. Most of a blend is a multiple of each number, which
// needs no transposition.

constexpr int kBlockVectors = kTrsScalars;

template <int kVector>
struct VectorIndex {
  static constexpr int kIndex = kVector;
};
// Calls body(VectorIndex<k>) for all of them.
template <int kVector = 0, class Body>
LISSOM_INLINE void for_each_vector(const Body& body) {
  if constexpr (kVector < kBlockVectors) {
    body(VectorIndex<kVector>{});
    for_each_vector<kVector + 1>(body);
  }
}

// Of the joint that number `i` of a block belongs to: its lane, counted on among those of a second vector
// where the number is of a rotation.
template <int kLanes>
constexpr int factor_lane(int i) {
  const int joint = i / kTrsScalars, number = i % kTrsScalars;
  return number >= 3 && number < 7 ? kLanes + joint : joint;
}

// For each number in vector k the one of its joint: of `of_rotations` in rotations, of `of_others` elsewhere.
template <int kVector, class T>
LISSOM_INLINE typename Lanes<T>::Vector spread(Lanes<T> of_others, Lanes<T> of_rotations) {
  constexpr int n = Lanes<T>::kCount, i = kVector * n;
  const auto a = of_others.v, b = of_rotations.v;
  if constexpr (n == 2) {
    return __builtin_shufflevector(a, b, factor_lane<n>(i), factor_lane<n>(i + 1));
  } else if constexpr (n == 4) {
    return __builtin_shufflevector(a, b, factor_lane<n>(i), factor_lane<n>(i + 1), factor_lane<n>(i + 2),
                                   factor_lane<n>(i + 3));
  } else if constexpr (n == 8) {
    return __builtin_shufflevector(a, b, factor_lane<n>(i), factor_lane<n>(i + 1), factor_lane<n>(i + 2),
                                   factor_lane<n>(i + 3), factor_lane<n>(i + 4), factor_lane<n>(i + 5),
                                   factor_lane<n>(i + 6), factor_lane<n>(i + 7));
  } else {
    return __builtin_shufflevector(
        a, b, factor_lane<n>(i), factor_lane<n>(i + 1), factor_lane<n>(i + 2), factor_lane<n>(i + 3),
        factor_lane<n>(i + 4), factor_lane<n>(i + 5), factor_lane<n>(i + 6), factor_lane<n>(i + 7),
        factor_lane<n>(i + 8), factor_lane<n>(i + 9), factor_lane<n>(i + 10), factor_lane<n>(i + 11),
        factor_lane<n>(i + 12), factor_lane<n>(i + 13), factor_lane<n>(i + 14), factor_lane<n>(i + 15));
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
