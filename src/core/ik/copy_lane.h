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

// Lanes that go elsewhere: lane from[k] of some rows becomes lane k of others, where `which` holds.
template <class T>
struct LaneMoves {
  typename Lanes<T>::Bits from{};
  Mask<T> which{};

  LISSOM_INLINE void add(int to, int lane) { from[to] = lane, which.bits[to] = -1; }
  LISSOM_INLINE Lanes<T> moved(const Lanes<T>& row) const {
#if defined(__GNUC__) && !defined(__clang__)
    return __builtin_shuffle(row.v, from);
#else
    Lanes<T> result = row;
    for (int lane = 0; lane < Lanes<T>::kCount; ++lane) result.v[lane] = row.v[from[lane]];
    return result;
#endif
  }
  LISSOM_INLINE void apply(Lanes<T>& to, const Lanes<T>& row) const { to = select(which, moved(row), to); }
  // The same for as many rows as `bytes` hold.
  LISSOM_INLINE void apply(void* to_rows, const void* rows, std::size_t bytes) const {
    auto* const to = static_cast<Lanes<T>*>(to_rows);
    const auto* const row = static_cast<const Lanes<T>*>(rows);
    for (std::size_t i = 0; i < bytes / sizeof(Lanes<T>); ++i) apply(to[i], row[i]);
  }
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
