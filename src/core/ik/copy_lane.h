// SPDX-License-Identifier: MIT
#pragma once

// For *_kernels.cpp files only.

#include <cstddef>
#include <cstring>

#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// Lane `from` of some rows becomes lane `to` of others.
template <class T>
LISSOM_INLINE void copy_lane(void* to_rows, int to, const void* from_rows, int from, std::size_t bytes) {
  char* out = static_cast<char*>(to_rows) + sizeof(T) * static_cast<std::size_t>(to);
  const char* in = static_cast<const char*>(from_rows) + sizeof(T) * static_cast<std::size_t>(from);
  for (std::size_t at = 0; at < bytes; at += sizeof(Lanes<T>)) std::memcpy(out + at, in + at, sizeof(T));
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
