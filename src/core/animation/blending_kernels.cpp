// SPDX-License-Identifier: MIT
#include "core/animation/blending_kernels.h"

#include "core/animation/joint_block.h"
#include "core/animation/pose_groups.h"

namespace lissom::LISSOM_ISA {
namespace {

// ---- Two poses. ----

// Of two products in a sum compilers fuse either, in one vector this, in another that. Not of rounded ones: so numbers do not
// depend on the lane that they are in, or on their neighbours.
template <class T>
LISSOM_INLINE typename Lanes<T>::Vector rounded(typename Lanes<T>::Vector product) {
#if defined(LISSOM_VECTOR_X86)
  asm("" : "+v"(product));
#elif defined(__aarch64__)
  asm("" : "+w"(product));
#endif
  return product;
}

// One copy: were it inlined, compilers could fuse other products and sums at each place.
template <class T>
LISSOM_NOINLINE void write_between(const T* a, const T* b, Lanes<T> weight, T* out) {
  using L = Lanes<T>;
  using Vector = typename L::Vector;
  const Quat<L> from = rotations_of(a), to = rotations_of(b);
  const L rest = 1 - weight, signed_weight = select(dot(from, to) < L(0), -weight, weight);
  const Mask<T> is_end = (weight == L(0)) | (rest == L(0));
  L scale = inverse_length(rest * from + signed_weight * to);
  const bool has_end = any(is_end);
  if (has_end) scale = select(is_end, L(1), scale);
  const L of_a = scale * rest, of_b = scale * signed_weight;
  for_each_vector([&](auto index) LISSOM_LAMBDA_INLINE {
    constexpr int k = decltype(index)::kIndex, n = L::kCount;
    const Vector from_a = rounded<T>(spread<k>(rest, of_a) * load_as<Vector>(a + k * n));
    const Vector factor = spread<k>(weight, of_b);
    const Vector from_b = rounded<T>(factor * load_as<Vector>(b + k * n));
    Vector sum = from_a + from_b;
    if (has_end) {  // then independent of the other pose, even of NaN
      sum = factor == 0 ? from_a : sum;
      sum = spread<k>(rest, rest) == 0 ? from_b : sum;
    }
    store(out + k * n, sum);
  });
}

// Of poses of as many joints as lanes, or more.
template <class T>
LISSOM_INLINE void blend_each(const T* a, std::size_t a_step, const WeightedPoses<T>& b,
                              std::size_t joint_count, std::size_t begin, std::size_t end, T* out) {
  for (std::size_t result = begin; result < end; ++result) {
    const T* a_pose = a + result * a_step;
    const T* b_pose = b.poses + result * b.pose_step;
    T* out_pose = out + result * joint_count * kTrsScalars;
    for_each_whole_block<T>(joint_count, [&](const JointBlock<T, true>& block) LISSOM_LAMBDA_INLINE {
      write_between(block.at(a_pose), block.at(b_pose), weights_of(b, result, block), block.at(out_pose));
    });
  }
}

template <class T>
LISSOM_NOINLINE void blend_groups(const T* a, std::size_t a_step, const WeightedPoses<T>& b,
                                  const PoseGroups<T>& groups, T* out) {
  GroupedPoses<T> from_a, from_b;
  from_a.begin(groups, {a, nullptr, nullptr, a_step, 0, 0});
  from_b.begin(groups, b);
  groups.for_each(out,
                  [&](std::size_t first, std::size_t count, std::size_t joints, T* to) LISSOM_LAMBDA_INLINE {
                    blend_each(from_a.poses(first, count), 0, from_b.at(first, count), joints, 0, 1, to);
                  });
}

template <class T>
void blend_two(const T* a, std::size_t a_step, const WeightedPoses<T>& b, std::size_t joint_count,
               std::size_t begin, std::size_t end, T* out) {
  if (PoseGroups<T>::serve(joint_count, end - begin)) {
    blend_groups(a, a_step, b, PoseGroups<T>(joint_count, begin, end), out);
  } else {
    blend_each(a, a_step, b, joint_count, begin, end, out);
  }
}

// ---- Any number of poses. ----

// The sum and the largest of the weights of a block's joints, from a first pass.
template <class T>
struct Heaviest {
  Lanes<T> weight = T(0), total = T(0);
  Lanes<T> layer = T(0);  // a count: exact

  LISSOM_INLINE void look_at(std::size_t index, Lanes<T> other) {
    const Mask<T> is_heavier = other > weight;
    total += other;
    weight = select(is_heavier, other, weight);
    layer = select(is_heavier, Lanes<T>(static_cast<T>(index)), layer);
  }
};

// The rotations of each joint's layer of largest weight; `pose_of` returns the pose of a layer.
template <class T, class PoseOf>
LISSOM_INLINE Quat<Lanes<T>> heaviest_rotations(Lanes<T> layers, const JointBlock<T, true>& block,
                                                const PoseOf& pose_of) {
  using L = Lanes<T>;
  const auto layer_of = [&](int lane)
                            LISSOM_LAMBDA_INLINE { return static_cast<std::size_t>(layers.v[lane]); };
  if (!any(layers != L(layers.v[0]))) return rotations_of(block.at(pose_of(layer_of(0))));
  L n[4];
  load_rows<4>(
      [&](int lane)
          LISSOM_LAMBDA_INLINE { return pose_of(layer_of(lane)) + block.joint(lane) * kTrsScalars + 3; },
      n);
  return {n[0], n[1], n[2], n[3]};
}

// Adds the numbers of a layer to those of a block: rotations times one factor, all others times another.
template <class T>
struct LayerPart {
  typename Lanes<T>::Vector others, rotations;
  const T* pose;
};

// Five vectors of the sum, from kFirst on, so that they and their operands stay in registers. The initial zeros
// are negative: a single layer is unchanged to the bit. Where its factor is 0 a layer adds nothing, not even NaN.
template <int kFirst, bool kHasNoParts, class T>
LISSOM_INLINE void write_sum(const LayerPart<T>* parts, std::size_t count, Lanes<T> scale,
                             const JointBlock<T, true>& block, T* out) {
  using L = Lanes<T>;
  using Vector = typename L::Vector;
  const Vector zero = L(T(-0.0)).v;
  Vector a = zero, b = zero, c = zero, d = zero, e = zero;
  for (const LayerPart<T>* part = parts; part != parts + count; ++part) {
    const T* rows = block.at(part->pose);
    const L others = part->others, rotations = part->rotations;
    const auto add = [&](auto index, Vector& sum) LISSOM_LAMBDA_INLINE {
      constexpr int k = kFirst + decltype(index)::kIndex;
      const Vector factor = spread<k>(others, rotations);
      const Vector more = sum + factor * load_as<Vector>(rows + k * L::kCount);
      sum = kHasNoParts ? (factor == 0 ? sum : more) : more;
    };
    add(VectorIndex<0>{}, a), add(VectorIndex<1>{}, b), add(VectorIndex<2>{}, c);
    add(VectorIndex<3>{}, d), add(VectorIndex<4>{}, e);
  }
  const L one = T(1);
  T* to = out + kFirst * L::kCount;
  store(to, spread<kFirst>(one, scale) * a);
  store(to + L::kCount, spread<kFirst + 1>(one, scale) * b);
  store(to + 2 * L::kCount, spread<kFirst + 2>(one, scale) * c);
  store(to + 3 * L::kCount, spread<kFirst + 3>(one, scale) * d);
  store(to + 4 * L::kCount, spread<kFirst + 4>(one, scale) * e);
}

template <class T>
LISSOM_NOINLINE void write_blended(const WeightedPoses<T>* layers, std::size_t layer_count, const T* rest,
                                   T threshold, std::size_t result, const JointBlock<T, true>& block,
                                   LayerPart<T>* parts, T* out) {
  using L = Lanes<T>;
  Heaviest<T> heaviest;
  for (std::size_t i = 0; i < layer_count; ++i) heaviest.look_at(i, weights_of(layers[i], result, block));
  L fill = T(0);
  if (rest) {
    fill = max(L(threshold) - heaviest.total, fill);
    heaviest.look_at(layer_count, fill);
  }
  const auto pose_of = [&](std::size_t i) LISSOM_LAMBDA_INLINE {
    return i < layer_count ? layers[i].poses + result * layers[i].pose_step : rest;
  };
  const Quat<L> side = heaviest_rotations(heaviest.layer, block, pose_of);
  Quat<L> sum = {T(-0.0), T(-0.0), T(-0.0), T(-0.0)};
  std::size_t count = 0;
  bool has_no_parts = false;
  const auto look_at = [&](const T* pose, L weight) LISSOM_LAMBDA_INLINE {
    if (!any(weight > L(0))) return;
    // A quotient, not a product with 1 / total: exactly 1 where there is one layer, and accurate for the smallest
    // weights.
    const L part = weight / heaviest.total;
    const Quat<L> rotation = rotations_of(block.at(pose));
    const L signed_part = select(dot(rotation, side) < L(0), -part, part);
    const Mask<T> has_none = part == L(0);
    has_no_parts |= any(has_none);
    sum = select(has_none, sum, sum + signed_part * rotation);
    parts[count++] = {part.v, signed_part.v, pose};
  };
  for (std::size_t i = 0; i < layer_count; ++i) look_at(pose_of(i), weights_of(layers[i], result, block));
  look_at(rest, fill);
  const L scale = select(heaviest.weight == heaviest.total, L(1), inverse_length(sum));
  if (has_no_parts) {
    write_sum<0, true>(parts, count, scale, block, out);
    write_sum<5, true>(parts, count, scale, block, out);
  } else {
    write_sum<0, false>(parts, count, scale, block, out);
    write_sum<5, false>(parts, count, scale, block, out);
  }
}

template <class T>
LISSOM_INLINE void blend_each_of_layers(const WeightedPoses<T>* layers, std::size_t layer_count,
                                        const T* rest, T threshold, std::size_t joint_count,
                                        std::size_t begin, std::size_t end, LayerPart<T>* parts, T* out) {
  for (std::size_t result = begin; result < end; ++result) {
    T* out_pose = out + result * joint_count * kTrsScalars;
    for_each_whole_block<T>(joint_count, [&](const JointBlock<T, true>& block) LISSOM_LAMBDA_INLINE {
      write_blended(layers, layer_count, rest, threshold, result, block, parts, block.at(out_pose));
    });
  }
}

template <class T>
std::size_t scratch_bytes(std::size_t layer_count, std::size_t joint_count, std::size_t result_count) {
  std::size_t of_layer = sizeof(LayerPart<T>);
  if (PoseGroups<T>::serve(joint_count, result_count))
    of_layer += sizeof(GroupedPoses<T>) + sizeof(WeightedPoses<T>);
  return (1 + layer_count) * of_layer;  // that of the rest, too
}

template <class T>
void blend_layers(const WeightedPoses<T>* layers, std::size_t layer_count, const T* rest, T threshold,
                  std::size_t joint_count, std::size_t begin, std::size_t end, void* scratch, T* out) {
  if (!PoseGroups<T>::serve(joint_count, end - begin)) {
    blend_each_of_layers(layers, layer_count, rest, threshold, joint_count, begin, end,
                         static_cast<LayerPart<T>*>(scratch), out);
    return;
  }
  const PoseGroups<T> groups(joint_count, begin, end);
  auto* const grouped = static_cast<GroupedPoses<T>*>(scratch);  // its size is a multiple of 64 bytes
  auto* const parts = reinterpret_cast<LayerPart<T>*>(grouped + 1 + layer_count);
  auto* const now = reinterpret_cast<WeightedPoses<T>*>(parts + 1 + layer_count);
  for (std::size_t i = 0; i < layer_count; ++i) grouped[i].begin(groups, layers[i]);
  GroupedPoses<T>& of_rest = grouped[layer_count];
  of_rest.begin(groups, {rest, nullptr, nullptr, 0, 0, 0});
  groups.for_each(out,
                  [&](std::size_t first, std::size_t count, std::size_t joints, T* to) LISSOM_LAMBDA_INLINE {
                    for (std::size_t i = 0; i < layer_count; ++i) now[i] = grouped[i].at(first, count);
                    blend_each_of_layers(now, layer_count, rest ? of_rest.poses(first, count) : nullptr,
                                         threshold, joints, 0, 1, parts, to);
                  });
}

template <class T>
WrongSum<T> first_wrong_sum(const WeightedPoses<T>* layers, std::size_t layer_count, bool has_rest,
                            std::size_t joint_count, std::size_t begin, std::size_t end) {
  using L = Lanes<T>;
  WrongSum<T> wrong;
  for (std::size_t result = begin; result < end && !wrong.is_found; ++result) {
    for_each_block<T>(joint_count, [&](const auto& block) LISSOM_LAMBDA_INLINE {
      L total = T(0);
      for (std::size_t i = 0; i < layer_count; ++i) total += weights_of(layers[i], result, block);
      Mask<T> has_mean = total <= L(Limits<T>::kLargest);
      if (!has_rest) has_mean = has_mean & (total > L(T(0)));
      if (wrong.is_found || !any(!has_mean)) return;
      int lane = 0;
      while (has_mean.bits[lane]) ++lane;
      wrong = {true, result * joint_count + block.joint(lane), total.v[lane]};
    });
  }
  return wrong;
}

template <class T>
constexpr BlendLoops<T> kLoops = {&blend_two<T>, &blend_layers<T>, &first_wrong_sum<T>, &scratch_bytes<T>};

}  // namespace

extern const BlendingKernels blending_kernels;
const BlendingKernels blending_kernels = {kLoops<float>, kLoops<double>};

}  // namespace lissom::LISSOM_ISA
