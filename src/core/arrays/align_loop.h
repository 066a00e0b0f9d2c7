// SPDX-License-Identifier: MIT
#pragma once

// Sign-coherent sequences: array functions "(n,4)->(n,4)" for quaternions and "(n,8)->(n,8)" for dual ones, of
// which the real part decides. For *_kernels.cpp files only.

#include "core/arrays/array_loop.h"

namespace lissom::LISSOM_ISA {
namespace {

// One sequence: its input and output. Bytes from item to item and from number to number.
struct Sequence {
  const char* from;
  char* to;
  std::ptrdiff_t count, from_item, from_number, to_item, to_number;
};

template <class T, int kSize>
LISSOM_INLINE void load_item(const Sequence& s, std::ptrdiff_t i, T* item) {
  for (int j = 0; j < kSize; ++j)
    std::memcpy(item + j, s.from + i * s.from_item + j * s.from_number, sizeof(T));
}
template <class T, int kSize>
LISSOM_INLINE void store_item(const Sequence& s, std::ptrdiff_t i, const T* item) {
  for (int j = 0; j < kSize; ++j) std::memcpy(s.to + i * s.to_item + j * s.to_number, item + j, sizeof(T));
}
// Of quaternions, or of the real parts of dual ones.
template <class T>
LISSOM_INLINE T dot_of_items(const T* a, const T* b) {
  return dot(QuatOperand::from(a), QuatOperand::from(b));
}

// Flips every item whose dot product with the one before is negative. Where `closed`, the last and the first are
// neighbours, too: an odd number of flips around leaves one pair with a negative dot product, the one with the least
// |dot|, the last and the first among equals.
template <class T, int kSize>
LISSOM_INLINE void align(const Sequence& s, bool closed) {
  if (s.count == 0) return;
  T first[kSize], before[kSize], item[kSize];
  load_item<T, kSize>(s, 0, first);
  store_item<T, kSize>(s, 0, first);
  for (int j = 0; j < kSize; ++j) before[j] = first[j];
  T least = __builtin_inf();
  std::ptrdiff_t parted = 0;  // the second item of the pair with the least |dot|
  for (std::ptrdiff_t i = 1; i < s.count; ++i) {
    load_item<T, kSize>(s, i, item);
    const T cosine = dot_of_items(before, item);
    for (int j = 0; j < kSize; ++j) before[j] = cosine < 0 ? -item[j] : item[j];
    store_item<T, kSize>(s, i, before);
    if (abs(cosine) < least) least = abs(cosine), parted = i;
  }
  if (!closed) return;
  const T cosine = dot_of_items(before, first);
  if (!(cosine < 0) || -cosine <= least) return;
  const Sequence out{s.to, s.to, s.count, s.to_item, s.to_number, s.to_item, s.to_number};
  for (std::ptrdiff_t i = parted; i < s.count; ++i) {
    load_item<T, kSize>(out, i, item);
    for (int j = 0; j < kSize; ++j) item[j] = -item[j];
    store_item<T, kSize>(out, i, item);
  }
}

template <class T, int kSize, bool kClosed>
std::ptrdiff_t align_all(char* const* args, const std::ptrdiff_t* counts, const std::ptrdiff_t* strides) {
  const std::ptrdiff_t* core = strides + 2;
  for (std::ptrdiff_t row = 0; row < counts[0]; ++row) {
    align<T, kSize>({args[0] + row * strides[0], args[1] + row * strides[1], counts[1], core[0], core[1],
                     core[2], core[3]},
                    kClosed);
  }
  return -1;
}

// Two lines of a table.
template <int kSize, bool kClosed>
constexpr ArrayFunction align_function(const char* name) {
  static_assert(kSize == 4 || kSize == 8);
  return {name,
          kSize == 4 ? "(n,4)->(n,4)" : "(n,8)->(n,8)",
          1,
          1,
          {},
          {align_all<float, kSize, kClosed>, nullptr},
          {align_all<double, kSize, kClosed>, nullptr}};
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
