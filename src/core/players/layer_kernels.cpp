// SPDX-License-Identifier: MIT
#include "core/players/layer_kernels.h"

#include "core/math/conventions.h"
#include "core/math/near_slerp.h"
#include "core/math/quat_log.h"
#include "core/players/quintic.h"
#include "core/simd/four_lanes.h"
#include "core/simd/lane_pair.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

// Rotations of a pose, from joint `first` on: as many as a vector holds, or the last `count`, beyond which there is no
// rotation.
template <class L>
class RotationBlock;

template <class T>
class RotationBlock<Lanes<T>> {
 public:
  using L = Lanes<T>;
  static constexpr std::size_t kLanes = L::kCount;

  LISSOM_INLINE RotationBlock(std::size_t first, std::size_t joint_count)
      : begin_(first * kTrsScalars + 3), count_(joint_count - first) {}

  LISSOM_INLINE Quat<L> load(const T* pose) const {
    L n[4];
    const T* const from = pose + begin_;
    if (__builtin_expect(count_ >= kLanes, true)) {
      load_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return from + lane * kTrsScalars; }, n);
    } else {
      constexpr T kNone[] = {T(0), T(0), T(0), T(1)};
      Copies copies;
      for (std::size_t i = 0; i < kLanes; ++i) {
        __builtin_memcpy(copies.rows[i], i < count_ ? from + i * kTrsScalars : kNone, sizeof kNone);
      }
      load_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return copies.rows[lane]; }, n);
    }
    return {n[0], n[1], n[2], n[3]};
  }
  LISSOM_INLINE void store(const Quat<L>& q, T* pose) const {
    const L n[4] = {q.x, q.y, q.z, q.w};
    T* const to = pose + begin_;
    if (__builtin_expect(count_ >= kLanes, true)) {
      store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return to + lane * kTrsScalars; }, n);
    } else {
      Copies copies;
      store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return copies.rows[lane]; }, n);
      for (std::size_t i = 0; i < count_; ++i) {
        __builtin_memcpy(to + i * kTrsScalars, copies.rows[i], sizeof copies.rows[i]);
      }
    }
  }

 private:
  struct alignas(64) Copies {
    T rows[kLanes][kQuatScalars];
  };
  std::size_t begin_, count_;
};

template <class T>
class RotationBlock<FourLanes<T>> {
 public:
  using L = FourLanes<T>;

  LISSOM_INLINE RotationBlock(std::size_t first, std::size_t joint_count)
      : begin_(first * kTrsScalars + 3), count_(joint_count - first) {}

  LISSOM_INLINE Quat<L> load(const T* pose) const {
    static constexpr T kNone[] = {T(0), T(0), T(0), T(1)};
    const T* const from = pose + begin_;
    L n[4];
    load_four_rows(
        [&](int lane) LISSOM_LAMBDA_INLINE {
          return static_cast<std::size_t>(lane) < count_ ? from + lane * kTrsScalars : kNone;
        },
        n);
    return {n[0], n[1], n[2], n[3]};
  }
  LISSOM_INLINE void store(const Quat<L>& q, T* pose) const {
    const L n[4] = {q.x, q.y, q.z, q.w};
    T* const to = pose + begin_;
    store_four_rows(n, count_ < 4 ? static_cast<int>(count_) : 4,
                    [&](int lane) LISSOM_LAMBDA_INLINE { return to + lane * kTrsScalars; });
  }

 private:
  std::size_t begin_, count_;
};

// ---- Fades. ----

template <class L, class T>
LISSOM_INLINE Quat<L> load_columns(const T* first, std::size_t stride) {
  using Vector = typename L::Vector;
  return {load_as<Vector>(first), load_as<Vector>(first + stride), load_as<Vector>(first + 2 * stride),
          load_as<Vector>(first + 3 * stride)};
}
template <class L, class T>
LISSOM_INLINE void store_columns(T* first, std::size_t stride, const Quat<L>& q) {
  store(first, q.x.v), store(first + stride, q.y.v);
  store(first + 2 * stride, q.z.v), store(first + 3 * stride, q.w.v);
}

template <class L>
LISSOM_INLINE Quat<L> toward(const Quat<L>& q, const Quat<L>& side) {
  // One choice, of a sign, instead of one for each component.
  const auto flip = bits(select(dot(q, side) < L(0), L(-0.0), L(0)));
  const auto flipped = [&](L x) LISSOM_LAMBDA_INLINE { return L((typename L::Vector)(bits(x) ^ flip)); };
  return {flipped(q.x), flipped(q.y), flipped(q.z), flipped(q.w)};
}

// Since when each joint of a block is held, as numbers of lanes.
template <class L>
LISSOM_INLINE L since_when(const std::uint8_t* held) {
  L since;
  for (int lane = 0; lane < L::kCount; ++lane) since.v[lane] = held[lane];
  return since;
}
template <class L>
LISSOM_INLINE bool any_held(const std::uint8_t* held) {
  std::uint64_t bytes[2] = {};
  __builtin_memcpy(bytes, held, L::kCount);
  return (bytes[0] | bytes[1]) != 0;
}

// The points of both poses at a moment, at most a quarter of a great circle apart. Rotations come and points leave in
// `a`, of what lies below, and `b`, of the target.
template <class L, class T>
LISSOM_INLINE void find_points(const FadeMemory<T>& memory, std::size_t at, FadeMoment moment, Quat<L>& a,
                               Quat<L>& b) {
  T* const of_a = memory.points + at;
  T* const of_b = of_a + 4 * memory.stride;
  const Quat<L> old_a = load_columns<L>(of_a, memory.stride), old_b = load_columns<L>(of_b, memory.stride);
  a = toward(a, old_a), b = toward(b, old_b);
  std::uint8_t* const held = memory.held + at;
  T* const differences = memory.differences + at;
  if (moment == FadeMoment::kStep) {
    const auto crossed = (dot(a, b) < L(0)) | (max(dot(a, old_b), dot(b, old_a)) < L(0));
    if (__builtin_expect(any(crossed) || any_held<L>(held), false)) {
      const auto was_held = since_when<L>(held) > L(0), now = crossed & !was_held;
      const Quat<L> kept = load_columns<L>(differences, memory.stride);
      const Quat<L> difference = select(now, conjugate(old_b) * old_a, kept);
      store_columns(differences, memory.stride, difference);
      a = select(was_held | now, b * difference, a);
      for (int lane = 0; lane < L::kCount; ++lane)
        held[lane] = was_held.bits[lane] ? 2 : now.bits[lane] ? 1 : 0;
    }
    store_columns(of_a, memory.stride, a);
    store_columns(of_b, memory.stride, b);
  } else if (__builtin_expect(any_held<L>(held), false)) {
    const L since = since_when<L>(held);
    const Quat<L> carried = b * load_columns<L>(differences, memory.stride);
    if (moment == FadeMoment::kNow) {
      a = select(since > L(0), carried, a);
    } else {
      a = select(since > L(1), carried, select(since > L(0), toward(a, carried), a));
    }
  }
}

// What a fade does to the rotations of a block.
template <class T>
struct RotationFade {
  const T *below, *target;
  const FadeMemory<T>& memory;
  FadeMoment moment;
  bool is_whole;  // then `out` has them already
  T share;
  std::size_t joint_count;
  T* out;

  template <class L>
  LISSOM_INLINE void run(std::size_t first) const {
    const RotationBlock<L> block(first, joint_count);
    Quat<L> a = block.load(below), b = block.load(target);
    find_points(memory, first, moment, a, b);
    if (is_whole) return;
    Quat<L> q = slerp_near_inside(a, b, L(share));
    if (__builtin_expect(!(share > T(0) && share < T(1)), false)) q = with_ends(a, b, L(share), q);
    block.store(q, out);
  }

  // Two blocks, where the share is neither 0 nor 1.
  template <class L>
  LISSOM_INLINE void run_two(std::size_t first) const {
    const RotationBlock<L> block_a(first, joint_count), block_b(first + L::kCount, joint_count);
    Quat<L> below_a = block_a.load(below), target_a = block_a.load(target);
    find_points(memory, first, moment, below_a, target_a);
    Quat<L> below_b = block_b.load(below), target_b = block_b.load(target);
    find_points(memory, first + L::kCount, moment, below_b, target_b);
    const auto q =
        slerp_near_inside(paired(below_a, below_b), paired(target_a, target_b), LanePair<L>(share));
    block_a.store(first_of(q), out);
    block_b.store(second_of(q), out);
  }
};

template <class T>
void fade(const T* below, const T* target, const FadeMemory<T>& memory, double weight, FadeMoment moment,
          std::size_t joint_count, T* out) {
  const std::size_t size = joint_count * kTrsScalars;
  const bool is_whole = weight == 1.0;  // then the target to the last bit
  const T share = static_cast<T>(weight);
  if (is_whole) {
    for (std::size_t i = 0; i < size; ++i) out[i] = target[i];
  } else {
    for (std::size_t i = 0; i < size; ++i) out[i] = (target[i] - below[i]) * share + below[i];
  }
  const RotationFade<T> rotations = {below, target, memory, moment, is_whole, share, joint_count, out};
  constexpr std::size_t kLanes = Lanes<T>::kCount;
  std::size_t first = 0;
  if constexpr (kLanes > 4) {
    if (share > T(0) && share < T(1)) {
      for (; first + 2 * kLanes <= joint_count; first += 2 * kLanes)
        rotations.template run_two<Lanes<T>>(first);
    }
    for (; first + kLanes <= joint_count; first += kLanes) rotations.template run<Lanes<T>>(first);
    for (; first < joint_count; first += 4) rotations.template run<FourLanes<T>>(first);
  } else {
    for (; first < joint_count; first += kLanes) rotations.template run<Lanes<T>>(first);
  }
}

template <class L, class T>
LISSOM_INLINE void begin_block(const T* below, const T* target, const FadeMemory<T>& memory,
                               std::size_t joint_count, std::size_t first) {
  const RotationBlock<L> block(first, joint_count);
  const Quat<L> a = block.load(below);
  store_columns(memory.points + first, memory.stride, a);
  store_columns(memory.points + 4 * memory.stride + first, memory.stride, toward(block.load(target), a));
}

template <class T>
void begin(const T* below, const T* target, const FadeMemory<T>& memory, std::size_t joint_count) {
  constexpr std::size_t kLanes = Lanes<T>::kCount;
  std::size_t first = 0;
  for (; first + kLanes <= joint_count; first += kLanes)
    begin_block<Lanes<T>>(below, target, memory, joint_count, first);
  for (; first < joint_count; first += 4)
    begin_block<FourLanes<T>>(below, target, memory, joint_count, first);
  __builtin_memset(memory.held, 0, memory.stride);  // differences count where a joint is held
}

// ---- Differences that decay. ----

// `values_at(first, values)` sets the nine numbers of a block of joints: translation, rotation vector, scale.
template <class T, class ValuesAt>
LISSOM_INLINE void add_decayed(const T* pose, std::size_t joint_count, const ValuesAt& values_at, T* out) {
  using D = Lanes<double>;
  alignas(64) double rotations[D::kCount][kQuatScalars];
  for (std::size_t first = 0; first < joint_count; first += D::kCount) {
    D values[9], n[4];
    values_at(first, values);
    const std::size_t left = joint_count - first, count = left < D::kCount ? left : D::kCount;
    for (std::size_t lane = 0; lane < D::kCount; ++lane) {
      const T* const trs = pose + (first + (lane < count ? lane : count - 1)) * kTrsScalars;
      for (int i = 0; i < 4; ++i) rotations[lane][i] = static_cast<double>(trs[3 + i]);
    }
    load_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return rotations[lane]; }, n);
    const Vec3<D> vector = {values[3], values[4], values[5]};
    const Quat<D> q = Quat<D>{n[0], n[1], n[2], n[3]} * exp(quat_from(D(0.5) * vector, D(0)));
    n[0] = q.x, n[1] = q.y, n[2] = q.z, n[3] = q.w;
    store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return rotations[lane]; }, n);
    for (std::size_t k = 0; k < count; ++k) {
      const T* const from = pose + (first + k) * kTrsScalars;
      T* const to = out + (first + k) * kTrsScalars;
      const int lane = static_cast<int>(k);
      for (int i = 0; i < 3; ++i) {
        to[i] = static_cast<T>(static_cast<double>(from[i]) + values[i].v[lane]);
        to[7 + i] = static_cast<T>(static_cast<double>(from[7 + i]) + values[6 + i].v[lane]);
      }
      for (int i = 0; i < 4; ++i) to[3 + i] = static_cast<T>(rotations[k][i]);
    }
  }
}

LISSOM_INLINE Lanes<double> curve_row(const double* curve, std::size_t stride, int index, std::size_t at) {
  return load_as<Double>(curve + static_cast<std::size_t>(index) * stride + at);
}

template <class T>
void quintic(const T* pose, const double* curve, std::size_t stride, double time, std::size_t joint_count,
             T* out) {
  using D = Lanes<double>;
  const auto values_at = [&](std::size_t at, D* values) LISSOM_LAMBDA_INLINE {
    for (int kind = 0; kind < 3; ++kind) {
      const D quotient = D(time) / curve_row(curve, stride, 15 + kind, at);
      const D share = select(quotient < D(1), quotient, D(1));
      const D v0 = curve_row(curve, stride, 9 + kind, at), x0 = curve_row(curve, stride, 12 + kind, at);
      const D wanted = quintic_wanted(x0, v0);
      D x = quintic_at(x0, v0, select(wanted > D(0), wanted, D(0)), share);
      x = select((share == D(1)) | !(x > D(0)), D(0), x);
      for (int i = 0; i < 3; ++i) values[3 * kind + i] = x * curve_row(curve, stride, 3 * kind + i, at);
    }
  };
  add_decayed(pose, joint_count, values_at, out);
}

template <class T>
void spring(const T* pose, const double* curve, std::size_t stride, const SpringMoment& moment,
            std::size_t joint_count, T* out) {
  using D = Lanes<double>;
  const double u = moment.time / moment.end;
  const D cube = u * u * u, time = moment.time, end = moment.end, decay = moment.decay,
          decay_at_end = moment.decay_at_end;
  const auto values_at = [&](std::size_t at, D* values) LISSOM_LAMBDA_INLINE {
    for (int i = 0; i < 9; ++i) {
      const D start = curve_row(curve, stride, i, at), slope = curve_row(curve, stride, 9 + i, at);
      values[i] = decay * (start + slope * time) - cube * (decay_at_end * (start + slope * end));
    }
  };
  add_decayed(pose, joint_count, values_at, out);
}

template <class T>
constexpr LayerLoops<T> kLoops = {&fade<T>, &begin<T>, &quintic<T>, &spring<T>};

}  // namespace

extern const LayerKernels layer_kernels;
const LayerKernels layer_kernels = {kLoops<float>, kLoops<double>};

}  // namespace lissom::LISSOM_ISA
