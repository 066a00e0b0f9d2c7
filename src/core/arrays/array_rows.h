// SPDX-License-Identifier: MIT
#pragma once

// The rows of an operand in memory, loaded to lanes and stored from them, kWidth at a time.
// For *_kernels.cpp files only.

#include "core/arrays/array_operands.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

// Bytes from the beginning of a row to its number `i`.
template <class Operand>
LISSOM_INLINE std::ptrdiff_t number_offset(const std::ptrdiff_t* core_strides, int i) {
  if constexpr (Operand::kRank == 2)
    return i / Operand::kRow * core_strides[0] + i % Operand::kRow * core_strides[1];
  else
    return i * core_strides[0];
}

// Rows that are fewer than lanes or strided, to a block and back. `core_strides` is null where the numbers of a row are
// contiguous. Not inlined: in every loop they would be most of its code.
template <class Operand, class T>
__attribute__((noinline)) void gather_rows(T* block, const char* first, std::ptrdiff_t stride,
                                           const std::ptrdiff_t* core_strides, std::ptrdiff_t count) {
  constexpr int kSize = Operand::kSize;
  for (std::ptrdiff_t row = 0; row < Lanes<T>::kCount; ++row) {
    const char* from = first + (row < count ? row : count - 1) * stride;  // the others repeat the last
    if (core_strides == nullptr) {
      std::memcpy(block + row * kSize, from, kSize * sizeof(T));
    } else {
      for (int i = 0; i < kSize; ++i)
        std::memcpy(block + row * kSize + i, from + number_offset<Operand>(core_strides, i), sizeof(T));
    }
  }
}
template <class Operand, class T>
__attribute__((noinline)) void scatter_rows(const T* block, char* first, std::ptrdiff_t stride,
                                            const std::ptrdiff_t* core_strides, std::ptrdiff_t count) {
  constexpr int kSize = Operand::kSize;
  for (std::ptrdiff_t row = 0; row < count; ++row) {
    char* to = first + row * stride;
    if (core_strides == nullptr) {
      std::memcpy(to, block + row * kSize, kSize * sizeof(T));
    } else {
      for (int i = 0; i < kSize; ++i)
        std::memcpy(to + number_offset<Operand>(core_strides, i), block + row * kSize + i, sizeof(T));
    }
  }
}

// The rows of one operand of a loop.
template <class Operand, class T>
struct Rows {
  static constexpr int kSize = Operand::kSize, kLanes = Lanes<T>::kCount;

  char* first;
  std::ptrdiff_t stride;
  const std::ptrdiff_t* core_strides;  // null where the numbers of a row are contiguous
  bool packed;                         // and the rows, too
  alignas(64) T block[kSize * kLanes];

  LISSOM_INLINE Rows(char* arg, std::ptrdiff_t row_stride, const std::ptrdiff_t* core)
      : first(arg), stride(row_stride) {
    constexpr std::ptrdiff_t kScalar = sizeof(T);
    const bool is_whole =
        Operand::kRank == 0 ||
        (core[Operand::kRank - 1] == kScalar && (Operand::kRank == 1 || core[0] == kScalar * Operand::kRow));
    core_strides = is_whole ? nullptr : core;
    packed = is_whole && stride == kScalar * kSize;
  }

  // Rows `from` to `from + kLanes`, of which `count` are there; the others repeat the last.
  LISSOM_INLINE void read(std::ptrdiff_t from, std::ptrdiff_t count, Lanes<T>* columns) {
    const T* rows = reinterpret_cast<const T*>(first) + from * kSize;
    if (!(packed && count == kLanes)) {
      rows = block;
      if (stride != 0 || from == 0)  // a single row for all stays where it is
        gather_rows<Operand>(block, first + from * stride, stride, core_strides, count);
    }
    load_packed<kSize>(rows, columns);
  }
  LISSOM_INLINE void write(std::ptrdiff_t from, std::ptrdiff_t count, const Lanes<T>* columns) {
    const bool is_direct = packed && count == kLanes;
    store_packed<kSize>(is_direct ? reinterpret_cast<T*>(first) + from * kSize : block, columns);
    if (!is_direct) scatter_rows<Operand>(block, first + from * stride, stride, core_strides, count);
  }
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
