// SPDX-License-Identifier: MIT
#include "core/animation/sampling_kernels.h"

#include "core/animation/slerp_lanes.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;

// `number`, plus one where a <= b.
LISSOM_INLINE Int plus_one_where(L a, L b, Int number) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  // By a mask register: GCC 12 would make a vector of it first.
  const __mmask16 holds = _mm512_cmp_ps_mask((__m512)a.v, (__m512)b.v, _CMP_LE_OQ);
  return (Int)_mm512_mask_sub_epi32((__m512i)number, holds, (__m512i)number, _mm512_set1_epi32(-1));
#else
  return number - (a <= b).bits;  // true is -1
#endif
}

void count_keys(const float* key_times, std::int32_t key_begin, std::int32_t key_end, const float* times,
                std::size_t count, std::int32_t* keys) {
  for (std::size_t begin = 0; begin < count; begin += kWidth) {
    const L time = load(times + begin);
    Int found = Int{} + (key_begin - 1);
#pragma GCC unroll 4
    for (std::int32_t key = key_begin; key < key_end; ++key)
      found = plus_one_where(key_times[key], time, found);
    store(keys + begin, found);
  }
}

constexpr int kHalf = kWidth / 2;
using HalfFloat = float __attribute__((vector_size(2 * LISSOM_WIDTH)));

// Of pairs of floats the first ones, or the second.
template <int kPart>
LISSOM_INLINE Lanes<double> doubles_of(Float pairs) {
#if LISSOM_WIDTH == 16
  const HalfFloat part = __builtin_shufflevector(pairs, pairs, kPart, kPart + 2, kPart + 4, kPart + 6,
                                                 kPart + 8, kPart + 10, kPart + 12, kPart + 14);
#elif LISSOM_WIDTH == 8
  const HalfFloat part = __builtin_shufflevector(pairs, pairs, kPart, kPart + 2, kPart + 4, kPart + 6);
#else
  const HalfFloat part = __builtin_shufflevector(pairs, pairs, kPart, kPart + 2);
#endif
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  // GCC 12 would convert halves, and warns of an uninitialised value inside the form without a mask.
  return (Double)_mm512_maskz_cvtps_pd(0xff, (__m256)part);
#else
  return __builtin_convertvector(part, Double);
#endif
}

void find_moments(const float* key_times, std::int32_t key_count, const std::int32_t* keys,
                  const double* times, MomentBlock<float>& moments) {
  for (std::size_t i = 0; i < kTimeBlock; i += kWidth) {
    const Int zero = {}, last = zero + (key_count - 2), key = load_as<Int>(keys + i);
    const Int step = key > zero ? key : zero;
    store(moments.step + i, step);
    store(moments.key + i, step < last ? step : last);
  }
  asm volatile("" ::: "memory");  // read what was stored: extracting numbers from vectors is slower
  for (std::size_t i = 0; i < kTimeBlock; i += kHalf) {
    // The times of a key and of the next are adjacent: one load of eight bytes.
    Double2 parts[kQuads];
    for (int quad = 0; quad < kQuads; ++quad) {
      const std::int32_t* left = moments.key + i + 2 * quad;
      parts[quad] = Double2{load_as<double>(key_times + left[0]), load_as<double>(key_times + left[1])};
    }
    const Float pairs = (Float)join_quads(parts);
    using D = Lanes<double>;
    const D from = doubles_of<0>(pairs), interval = doubles_of<1>(pairs) - from;
    const D fraction = (D(load_as<Double>(times + i)) - from) / interval;
    const D inside = max(min(fraction, D(1)), D(0));
    store(moments.fraction + i, __builtin_convertvector(inside.v, HalfFloat));
    store(moments.interval + i, __builtin_convertvector(interval.v, HalfFloat));
  }
}

LISSOM_INLINE void write_vector(const float* values, std::int32_t at_key, float fraction, float* to) {
  const float* key = values + 3 * static_cast<std::ptrdiff_t>(at_key);
  // Six floats are ours: two loads of four that stay inside them.
  const Float4 a = load_as<Float4>(key);
  const Float4 shifted = load_as<Float4>(key + 2);
  const Float4 b = __builtin_shufflevector(shifted, shifted, 1, 2, 3, 3);
  const Float4 value = (1.0f - fraction) * a + fraction * b;
  __builtin_memcpy(to, &value, 2 * sizeof(float));  // three at once would be copied through memory
  to[2] = value[2];
}

void linear_vectors(const Channel<float>* channels, std::size_t count, const Moment<float>* moments,
                    float* pose) {
  for (const Channel<float>* channel = channels; channel != channels + count; ++channel) {
    const Moment<float>& at = moments[channel->timeline];
    write_vector(channel->values, at.key, at.fraction, pose + channel->out);
  }
}

void linear_vectors_at_times(const Channel<float>* channels, std::size_t count,
                             const MomentBlock<float>& moments, const PoseRows<float>& poses) {
  for (const Channel<float>* channel = channels; channel != channels + count; ++channel) {
    float* to = poses.first + channel->out;
    for (std::size_t i = 0; i < poses.count; ++i, to += poses.stride) {
      write_vector(channel->values, moments.key[i], moments.fraction[i], to);
    }
  }
}

// kWidth slerps, from the key that `key` points to for each lane to the next, as columns of x, y, z, w.
template <class KeyOf>
LISSOM_INLINE void slerp_rows(const KeyOf& key, L fraction, L* columns) {
  L keys[8];
  load_rows<8>(key, keys);
  Quat<L> q[1] = {{keys[0], keys[1], keys[2], keys[3]}};
  slerp_each<1>(q, {{keys[4], keys[5], keys[6], keys[7]}}, {fraction});
  columns[0] = q[0].x, columns[1] = q[0].y, columns[2] = q[0].z, columns[3] = q[0].w;
}

LISSOM_INLINE const float* rotation_key(const Channel<float>& channel, std::int32_t key) {
  return channel.values + 4 * static_cast<std::ptrdiff_t>(key);
}

void linear_rotations(const Channel<float>* channels, std::size_t count, const Moment<float>* moments,
                      float* pose) {
  for (std::size_t begin = 0; begin < count; begin += kWidth, channels += kWidth) {
    L columns[4];
    // Channels are in the order of their timelines, so most blocks have one.
    if (channels[0].timeline == channels[kWidth - 1].timeline) {
      const Moment<float> shared = moments[channels[0].timeline];
      slerp_rows([&](int lane) LISSOM_LAMBDA_INLINE { return rotation_key(channels[lane], shared.key); },
                 shared.fraction, columns);
    } else {
      float fractions[kWidth];
      for (int lane = 0; lane < kWidth; ++lane) fractions[lane] = moments[channels[lane].timeline].fraction;
      slerp_rows(
          [&](int lane) LISSOM_LAMBDA_INLINE {
            return rotation_key(channels[lane], moments[channels[lane].timeline].key);
          },
          load(fractions), columns);
    }
    store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return pose + channels[lane].out; }, columns);
  }
}

void linear_rotations_at_times(const Channel<float>* channels, std::size_t count,
                               const MomentBlock<float>& moments, const PoseRows<float>& poses) {
  for (const Channel<float>* channel = channels; channel != channels + count; ++channel) {
    float* first = poses.first + channel->out;
    for (std::size_t begin = 0; begin < poses.count; begin += kWidth) {
      L columns[4];
      slerp_rows(
          [&](int lane) LISSOM_LAMBDA_INLINE {
            return rotation_key(*channel, moments.key[begin + static_cast<std::size_t>(lane)]);
          },
          load(moments.fraction + begin), columns);
      const auto row = [&](int lane) LISSOM_LAMBDA_INLINE {
        return first + (begin + static_cast<std::size_t>(lane)) * poses.stride;
      };
      if (begin + kWidth <= poses.count) {
        store_rows<4>(row, columns);
      } else {  // idle lanes write the last pose again
        const auto last = static_cast<int>(poses.count - 1 - begin);
        store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return row(lane < last ? lane : last); }, columns);
      }
    }
  }
}

}  // namespace

extern const SamplingKernels sampling_kernels;
const SamplingKernels sampling_kernels = {&count_keys,
                                          &find_moments,
                                          &linear_vectors,
                                          &linear_rotations,
                                          &linear_vectors_at_times,
                                          &linear_rotations_at_times};

}  // namespace lissom::LISSOM_ISA
