// SPDX-License-Identifier: MIT
#include "core/animation/additive_kernels.h"

#include "core/animation/joint_block.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
LISSOM_INLINE void write_added(const T* base, const T* difference, Lanes<T> weight, T* out) {
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
void add_layer(const T* base, std::size_t base_step, const WeightedPoses<T>& additive,
               std::size_t joint_count, std::size_t begin, std::size_t end, T* out) {
  for (std::size_t result = begin; result < end; ++result) {
    const T* base_pose = base + result * base_step;
    const T* difference = additive.poses + result * additive.pose_step;
    T* out_pose = out + result * joint_count * kTrsScalars;
    for_each_block<T>(joint_count, [&](const auto& block) LISSOM_LAMBDA_INLINE {
      MemoryOf<decltype(block)> base_memory, difference_memory, out_memory;
      write_added(block.rows(base_pose, base_memory), block.rows(difference, difference_memory),
                  weights_of(additive, result, block), block.rows_of(out_pose, out_memory));
      block.wrote(out_pose, out_memory);
    });
  }
}

}  // namespace

extern const AdditiveKernels additive_kernels;
const AdditiveKernels additive_kernels = {&add_layer<float>, &add_layer<double>};

}  // namespace lissom::LISSOM_ISA
