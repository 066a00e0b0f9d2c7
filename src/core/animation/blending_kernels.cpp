// SPDX-License-Identifier: MIT
#include "core/animation/blending_kernels.h"

#include "core/animation/joint_block.h"

namespace lissom::LISSOM_ISA {
namespace {

// ---- Two poses. ----

template <class T>
LISSOM_INLINE Trs<Lanes<T>> between(const Trs<Lanes<T>>& a, Trs<Lanes<T>> b, Lanes<T> weight) {
  using L = Lanes<T>;
  const L rest = 1 - weight;
  b.rotation = aligned(b.rotation, a.rotation);
  Trs<L> result = {rest * a.translation + weight * b.translation,
                   nearly_unit(rest * a.rotation + weight * b.rotation), rest * a.scale + weight * b.scale};
  const Mask<T> is_a = weight == L(0), is_b = weight == L(1);
  if (any(is_a | is_b)) result = select(is_a, a, select(is_b, b, result));
  return result;
}

template <class T>
void blend_two(const T* a, std::size_t a_step, const WeightedPoses<T>& b, std::size_t joint_count,
               std::size_t begin, std::size_t end, T* out) {
  for (std::size_t result = begin; result < end; ++result) {
    const T* a_pose = a + result * a_step;
    const T* b_pose = b.poses + result * b.pose_step;
    T* out_pose = out + result * joint_count * kTrsScalars;
    for_each_block<T>(joint_count, [&](const auto& block) LISSOM_LAMBDA_INLINE {
      block.store(between(block.load(a_pose), block.load(b_pose), weights_of(b, result, block)), out_pose);
    });
  }
}

// ---- Any number. ----

// What a first look at the weights of a block's joints tells.
template <class T>
struct Heaviest {
  Lanes<T> weight = T(0), total = T(0);
  Quat<Lanes<T>> rotation = {T(0), T(0), T(0), T(0)};

  template <class Block>
  LISSOM_INLINE void look_at(const T* pose, Lanes<T> other, const Block& block) {
    const Mask<T> is_heavier = other > weight;
    total += other;
    if (!any(is_heavier)) return;
    weight = select(is_heavier, other, weight);
    rotation = select(is_heavier, block.load_rotations(pose), rotation);
  }
};

// The sum that a blend is. Its zeros are negative: a single layer comes through to the bit.
template <class T>
struct WeightedSum {
  using L = Lanes<T>;
  Trs<L> trs = {
      {T(-0.0), T(-0.0), T(-0.0)}, {T(-0.0), T(-0.0), T(-0.0), T(-0.0)}, {T(-0.0), T(-0.0), T(-0.0)}};

  LISSOM_INLINE void add(const Trs<L>& layer, L weight, const Heaviest<T>& heaviest) {
    // A quotient, not a product with 1 / total: exactly 1 where a layer is alone, and right for the smallest
    // weights.
    const L part = weight / heaviest.total;
    const L signed_part = select(dot(layer.rotation, heaviest.rotation) < L(0), -part, part);
    const Trs<L> more = {trs.translation + part * layer.translation,
                         trs.rotation + signed_part * layer.rotation, trs.scale + part * layer.scale};
    trs = select(weight > L(0), more, trs);  // nothing of a layer without weight, not even NaN
  }
};

template <class T, class Block>
LISSOM_INLINE Trs<Lanes<T>> blended(const WeightedPoses<T>* layers, std::size_t layer_count, const T* rest,
                                    T threshold, std::size_t result, const Block& block) {
  using L = Lanes<T>;
  Heaviest<T> heaviest;
  for (std::size_t i = 0; i < layer_count; ++i) {
    const WeightedPoses<T>& layer = layers[i];
    heaviest.look_at(layer.poses + result * layer.pose_step, weights_of(layer, result, block), block);
  }
  L fill = T(0);
  if (rest) {
    fill = max(L(threshold) - heaviest.total, fill);
    heaviest.look_at(rest, fill, block);
  }
  WeightedSum<T> sum;
  for (std::size_t i = 0; i < layer_count; ++i) {
    const WeightedPoses<T>& layer = layers[i];
    const L weight = weights_of(layer, result, block);
    if (any(weight > L(0))) sum.add(block.load(layer.poses + result * layer.pose_step), weight, heaviest);
  }
  if (any(fill > L(0))) sum.add(block.load(rest), fill, heaviest);
  const Mask<T> is_alone = heaviest.weight == heaviest.total;
  sum.trs.rotation = select(is_alone, heaviest.rotation, nearly_unit(sum.trs.rotation));
  return sum.trs;
}

template <class T>
void blend_layers(const WeightedPoses<T>* layers, std::size_t layer_count, const T* rest, T threshold,
                  std::size_t joint_count, std::size_t begin, std::size_t end, T* out) {
  for (std::size_t result = begin; result < end; ++result) {
    T* out_pose = out + result * joint_count * kTrsScalars;
    for_each_block<T>(joint_count, [&](const auto& block) LISSOM_LAMBDA_INLINE {
      block.store(blended(layers, layer_count, rest, threshold, result, block), out_pose);
    });
  }
}

template <class T>
std::ptrdiff_t first_weightless(const WeightedPoses<T>* layers, std::size_t layer_count,
                                std::size_t joint_count, std::size_t begin, std::size_t end) {
  std::ptrdiff_t found = -1;
  for (std::size_t result = begin; result < end && found < 0; ++result) {
    for_each_block<T>(joint_count, [&](const auto& block) LISSOM_LAMBDA_INLINE {
      using L = Lanes<T>;
      L total = T(0);
      for (std::size_t i = 0; i < layer_count; ++i) total += weights_of(layers[i], result, block);
      const Mask<T> has_weight = (total > L(0)) & (total <= L(Limits<T>::kLargest));
      if (found >= 0 || !any(!has_weight)) return;
      int lane = 0;
      while (has_weight.bits[lane]) ++lane;
      found = static_cast<std::ptrdiff_t>(result * joint_count) + block.joint(lane);
    });
  }
  return found;
}

template <class T>
constexpr BlendLoops<T> kLoops = {&blend_two<T>, &blend_layers<T>, &first_weightless<T>};

}  // namespace

extern const BlendingKernels blending_kernels;
const BlendingKernels blending_kernels = {kLoops<float>, kLoops<double>};

}  // namespace lissom::LISSOM_ISA
