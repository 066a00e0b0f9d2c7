// SPDX-License-Identifier: MIT
#pragma once

// The search for the keys around times.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "core/animation/channel.h"
#include "core/animation/sampling_kernels.h"
#include "core/animation/tracks.h"

namespace lissom {

// The largest number of T that is not above `time`: comparisons of key times with it have the same result.
template <class T>
T rounded_down(double time) {
  const T rounded = static_cast<T>(time);
  return static_cast<double>(rounded) > time ? std::nextafter(rounded, -std::numeric_limits<T>::infinity())
                                             : rounded;
}

// The last key at `time` or before it, or -1 before the first. A fixed number of steps without branches, as branches on
// random times cannot be predicted.
template <class T>
std::int32_t last_key_at(const typename TrackSet<T>::Timeline& timeline, T time) {
  const T* times = timeline.times;
  for (std::int32_t count = timeline.key_count; count > 1;) {  // the answer is in [times, times + count)
    const std::int32_t half = count / 2;
    times = times[half] <= time ? times + half : times;
    count -= half;
  }
  return static_cast<std::int32_t>(times - timeline.times) - static_cast<std::int32_t>(time < *times);
}

// `key` is the last one at `time` or before it. SamplingKernels::find_moments does the same for a block of times.
template <class T>
Moment<T> moment_at(const typename TrackSet<T>::Timeline& timeline, std::int32_t key, double time) {
  const std::int32_t left = std::clamp(key, 0, timeline.key_count - 2);
  const auto from = static_cast<double>(timeline.times[left]);
  const double interval = static_cast<double>(timeline.times[left + 1]) - from;
  // Below 0 before the first key. NaN, from keys at the ends of double's range, becomes 0.
  const double quotient = (time - from) / interval;
  const double fraction = key > left ? 1.0 : quotient > 0.0 ? std::min(quotient, 1.0) : 0.0;
  return {left, std::max(key, 0), static_cast<T>(fraction), static_cast<T>(interval)};
}

// The last key at each time or before it, times given as `floors` (see rounded_down); where they are `ordered`,
// `hint` is a key at the first of them or before it, or -1. Several methods for the same result. For float `floors` and
// `keys` hold whole blocks of kTimeBlock.
template <class T>
void find_keys(const typename TrackSet<T>::Timeline& timeline, std::span<const T> floors, bool ordered,
               std::int32_t hint, const SamplingKernels& kernels, std::int32_t* keys) {
  const std::size_t count = floors.size();
  if constexpr (std::is_same_v<T, float>) {
    constexpr std::int32_t kFewKeys = 96;  // beyond, searching is faster than counting
    std::int32_t begin = 0, end = timeline.key_count;
    if (ordered) {  // the keys between the first time and the last: mostly few, which are tried first
      constexpr std::int32_t kNext = 4;
      begin = hint + 1;
      end = std::min(begin + kNext, timeline.key_count);
      if (end < timeline.key_count && timeline.times[end] <= floors[count - 1])
        end = last_key_at<T>(timeline, floors[count - 1]) + 1;
    }
    if (end - begin <= kFewKeys) {
      kernels.count_keys(timeline.times, begin, end, floors.data(), count, keys);
      return;
    }
  } else if (ordered) {
    keys[0] = last_key_at<T>(timeline, floors[0]);
    const auto goes_on = [&](std::int32_t key, T time) {
      return key + 1 < timeline.key_count && timeline.times[key + 1] <= time;
    };
    for (std::size_t i = 1; i < count; ++i) {  // mostly the same key as before, or the next
      keys[i] = keys[i - 1] + goes_on(keys[i - 1], floors[i]);
      if (goes_on(keys[i], floors[i])) keys[i] = last_key_at<T>(timeline, floors[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) keys[i] = last_key_at<T>(timeline, floors[i]);
}

}  // namespace lissom
