// SPDX-License-Identifier: MIT
#pragma once

// Plain data that sampling kernels share with the code around them.
// No function here: kernels are compiled once per instruction set.

#include <cstddef>
#include <cstdint>

namespace lissom {

// Kernels take channels in blocks; their lists are padded to the widest of any instruction set.
constexpr std::size_t kChannelPadding = 16;

// One track: the source of its values, and its destination in a pose.
template <class T>
struct Channel {
  const T* values;
  std::int32_t timeline;  // index of its Moment
  std::int32_t out;       // element of the pose: 10 * joint + 0, 3 or 7
};

// A time between two keys of a timeline.
template <class T>
struct Moment {
  std::int32_t key;   // in [0, key_count - 2]
  std::int32_t step;  // the key of a step track: not known from `fraction`, which may round to 1
  T fraction;         // of the interval to the next key, in [0, 1]
  T interval;         // seconds between the two keys
};

}  // namespace lissom
