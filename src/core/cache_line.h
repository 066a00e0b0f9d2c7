// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace lissom {

inline constexpr std::size_t kCacheLine = 64;  // bytes

// Numbers of a line of the cache, where an array of them has to begin on one: what vectors of any width load at once.
template <class T>
struct alignas(kCacheLine) CacheLine {
  T numbers[kCacheLine / sizeof(T)];
};

}  // namespace lissom
