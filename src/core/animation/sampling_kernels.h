// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/animation/channel.h"

namespace lissom {

// The inner loops of sampling in float32. Each fills its channels'
// part of one pose; `moments` has one entry per timeline.
struct SamplingKernels {
  // Of each time the last key at it or before it, -1 before the first: by counting those keys, which for few keys
  // and many times is the fastest. `times` and `keys` hold whole blocks of kChannelPadding.
  void (*count_keys)(const float* key_times, std::int32_t key_count, const float* times, std::size_t count,
                     std::int32_t* keys);
  // Translations and scales: a + fraction (b - a), exact at both ends.
  void (*linear_vectors)(const Channel<float>* channels, std::size_t count, const Moment<float>* moments,
                         float* pose);
  // Rotations: slerp the short way, within 3e-7 rad of the exact one (keys
  // need not be unit); unit within 3e-7. `channels` is padded to a multiple
  // of kChannelPadding by repeating an entry, and sorted by timeline.
  void (*linear_rotations)(const Channel<float>* channels, std::size_t count, const Moment<float>* moments,
                           float* pose);
};

}  // namespace lissom
