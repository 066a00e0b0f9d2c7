// SPDX-License-Identifier: MIT
#include "core/animation/additive_kernels.h"

#include "core/animation/joint_block.h"
#include "core/animation/pose_groups.h"

namespace lissom::LISSOM_ISA {
namespace {

// One copy, as in blending_kernels.cpp.
template <class T>
LISSOM_NOINLINE void write_added(const T* base, const T* difference, Lanes<T> weight, T* out) {
  using L = Lanes<T>;
  using Vector = typename L::Vector;
  const Quat<L> none = {T(0), T(0), T(0), T(1)}, from = rotations_of(base);
  const Quat<L> added = from * slerp(none, rotations_of(difference), weight);
  const Quat<L> rotation = select(weight == L(0), from, inverse_length(added) * added);
  for_each_vector([&](auto index) LISSOM_LAMBDA_INLINE {
    constexpr int k = decltype(index)::kIndex;
    const Vector factor = spread<k>(weight, weight), number = load_as<Vector>(base + k * L::kCount);
    const Vector sum = number + factor * load_as<Vector>(difference + k * L::kCount);
    store(out + k * L::kCount, factor == 0 ? number : sum);  // at weight 0 unchanged, even by NaN
  });
  const L columns[4] = {rotation.x, rotation.y, rotation.z, rotation.w};
  store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return out + lane * kTrsScalars + 3; }, columns);
}

template <class T>
LISSOM_INLINE void add_each(const T* base, std::size_t base_step, const WeightedPoses<T>& additive,
                            std::size_t joint_count, std::size_t begin, std::size_t end, T* out) {
  for (std::size_t result = begin; result < end; ++result) {
    const T* base_pose = base + result * base_step;
    const T* difference = additive.poses + result * additive.pose_step;
    T* out_pose = out + result * joint_count * kTrsScalars;
    for_each_whole_block<T>(joint_count, [&](const JointBlock<T, true>& block) LISSOM_LAMBDA_INLINE {
      write_added(block.at(base_pose), block.at(difference), weights_of(additive, result, block),
                  block.at(out_pose));
    });
  }
}

template <class T>
LISSOM_NOINLINE void add_groups(const T* base, std::size_t base_step, const WeightedPoses<T>& additive,
                                const PoseGroups<T>& groups, T* out) {
  GroupedPoses<T> bases, differences;
  bases.begin(groups, {base, nullptr, nullptr, base_step, 0, 0});
  differences.begin(groups, additive);
  groups.for_each(out,
                  [&](std::size_t first, std::size_t count, std::size_t joints, T* to) LISSOM_LAMBDA_INLINE {
                    add_each(bases.poses(first, count), 0, differences.at(first, count), joints, 0, 1, to);
                  });
}

template <class T>
void add_layer(const T* base, std::size_t base_step, const WeightedPoses<T>& additive,
               std::size_t joint_count, std::size_t begin, std::size_t end, T* out) {
  if (PoseGroups<T>::serve(joint_count, end - begin)) {
    add_groups(base, base_step, additive, PoseGroups<T>(joint_count, begin, end), out);
  } else {
    add_each(base, base_step, additive, joint_count, begin, end, out);
  }
}

}  // namespace

extern const AdditiveKernels additive_kernels;
const AdditiveKernels additive_kernels = {&add_layer<float>, &add_layer<double>};

}  // namespace lissom::LISSOM_ISA
