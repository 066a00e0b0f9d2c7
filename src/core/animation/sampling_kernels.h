// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/animation/channel.h"

namespace lissom {

// Times that are sampled together: the lanes of the widest instruction set.
constexpr std::size_t kTimeBlock = 16;

// The Moments of a block of times on one timeline.
template <class T>
struct alignas(64) MomentBlock {
  std::int32_t key[kTimeBlock], step[kTimeBlock];
  T fraction[kTimeBlock], interval[kTimeBlock];
};

// The poses of a block of times: `count` of them, `stride` elements apart.
template <class T>
struct PoseRows {
  T* first;
  std::size_t stride, count;
};

// The inner loops of sampling in float32.
struct SamplingKernels {
  // The last key at each time or before it, where keys before `begin` are not after any time and keys from `end` on are
  // after all: by counting those between. `times` and `keys` hold whole blocks of kTimeBlock.
  void (*count_keys)(const float* key_times, std::int32_t begin, std::int32_t end, const float* times,
                     std::size_t count, std::int32_t* keys);
  // moment_at() of moments.h for a block, with the same bits.
  void (*find_moments)(const float* key_times, std::int32_t key_count, const std::int32_t* keys,
                       const double* times, MomentBlock<float>& moments);

  // Each fills its channels' part of one pose; `moments` has one entry per timeline.
  // Translations and scales: (1 - fraction) a + fraction b, exact at both ends.
  void (*linear_vectors)(const Channel<float>* channels, std::size_t count, const Moment<float>* moments,
                         float* pose);
  // Rotations: slerp on the shorter arc, within 3e-7 rad of the exact one (keys need not be unit); unit within
  // 3e-7. `channels` is padded to a multiple of kChannelPadding by repeating an entry, and sorted by timeline.
  void (*linear_rotations)(const Channel<float>* channels, std::size_t count, const Moment<float>* moments,
                           float* pose);

  // The same for channels of one timeline and a block of times, with the same bits. Of times beyond `poses.count`
  // the moments are those of the last.
  void (*linear_vectors_at_times)(const Channel<float>* channels, std::size_t count,
                                  const MomentBlock<float>& moments, const PoseRows<float>& poses);
  void (*linear_rotations_at_times)(const Channel<float>* channels, std::size_t count,
                                    const MomentBlock<float>& moments, const PoseRows<float>& poses);
};

}  // namespace lissom
