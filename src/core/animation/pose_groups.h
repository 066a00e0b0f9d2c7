// SPDX-License-Identifier: MIT
#pragma once

// Poses of few joints: several results at once as one pose of many joints, and less than a block of lanes as a whole one. So
// the last block, which repeats joints, is one of many, and the numbers of a joint are the same to the bit wherever it lies.
// For *_kernels.cpp files only.

#include <cstddef>
#include <cstring>

#include "core/animation/blending_kernels.h"
#include "core/math/conventions.h"
#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// Results that are computed together.
template <class T>
class PoseGroups {
 public:
  static constexpr std::size_t kLanes = Lanes<T>::kCount;
  // Joints of a group, so that the last block costs an eighth at most, and of the largest one.
  static constexpr std::size_t kEnough = 8 * kLanes, kMost = 2 * kEnough;

  LISSOM_INLINE PoseGroups(std::size_t joint_count, std::size_t begin, std::size_t end)
      : joint_count_(joint_count), begin_(begin), end_(end) {
    const std::size_t enough = (kEnough + joint_count - 1) / joint_count, all = end - begin;
    results_ = all < enough ? all : enough;
  }
  // Of poses whose last block has few idle lanes, or of one alone, groups would gain nothing.
  static LISSOM_INLINE bool serve(std::size_t joint_count, std::size_t result_count) {
    if (joint_count < kLanes) return true;
    const std::size_t idle = (kLanes - joint_count % kLanes) % kLanes;
    return result_count > 1 && joint_count < kEnough && 5 * idle > joint_count;
  }
  std::size_t joint_count() const { return joint_count_; }
  std::size_t results() const { return results_; }  // of a group

  // Calls body(first, count, joint_count, out) for groups of `count` results, whose poses go to `out`.
  template <class Body>
  LISSOM_INLINE void for_each(T* out, const Body& body) const {
    for (std::size_t first = begin_, count; first < end_; first += count) {
      count = end_ - first < results_ ? end_ - first : results_;
      T* const to = out + first * joint_count_ * kTrsScalars;
      const std::size_t joints = count * joint_count_;
      if (__builtin_expect(joints >= kLanes, true)) {
        body(first, count, joints, to);
      } else {
        alignas(64) T block[kLanes * kTrsScalars];
        body(first, count, kLanes, block);
        std::memcpy(to, block, joints * kTrsScalars * sizeof(T));
      }
    }
  }

 private:
  std::size_t joint_count_, begin_, end_, results_;
};

// One input of groups: what serves all results is repeated, each joint has a weight, and there are as many joints as lanes.
template <class T>
class GroupedPoses {
 public:
  LISSOM_INLINE void begin(const PoseGroups<T>& groups, const WeightedPoses<T>& input) {
    input_ = input;
    joint_count_ = groups.joint_count();
    if (!input.pose_step && input.poses) copy(input.poses, groups.results());
  }
  // Both are valid until the next call.
  LISSOM_INLINE const T* poses(std::size_t first, std::size_t count) {
    if (!input_.pose_step) return copies_;
    const T* const poses = input_.poses + first * input_.pose_step;
    if (__builtin_expect(count * joint_count_ >= kLanes, true)) return poses;
    copy(poses, 1);
    if (count > 1) std::memcpy(copies_, poses, count * joint_count_ * kTrsScalars * sizeof(T));
    return copies_;
  }
  LISSOM_INLINE WeightedPoses<T> at(std::size_t first, std::size_t count) {
    T* to = weights_;
    for (std::size_t result = first; result < first + count; ++result, to += joint_count_) {
      const T weight = input_.weights[result * input_.weight_step];
      if (input_.mask) {
        const T* const mask = input_.mask + result * input_.mask_step;
        for (std::size_t joint = 0; joint < joint_count_; ++joint) to[joint] = weight * mask[joint];
      } else {  // whole vectors: the next result writes again what is too much
        for (std::size_t joint = 0; joint < joint_count_; joint += kLanes)
          store(to + joint, Lanes<T>(weight).v);
      }
    }
    for (; to < weights_ + kLanes; ++to) *to = to[-1];
    return {poses(first, count), &kOne, weights_, 0, 0, 0};
  }

 private:
  static constexpr std::size_t kLanes = Lanes<T>::kCount;
  static constexpr T kOne = T(1);

  // One pose, as often as there are results, and to the end of a block.
  LISSOM_INLINE void copy(const T* pose, std::size_t results) {
    const std::size_t size = joint_count_ * kTrsScalars;
    const std::size_t least = results * joint_count_;
    for (std::size_t joint = 0; joint < least || joint < kLanes; joint += joint_count_)
      std::memcpy(copies_ + joint * kTrsScalars, pose, size * sizeof(T));
  }

  WeightedPoses<T> input_;
  std::size_t joint_count_;
  alignas(64) T weights_[PoseGroups<T>::kMost + kLanes];
  alignas(64) T copies_[PoseGroups<T>::kMost * kTrsScalars];
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
