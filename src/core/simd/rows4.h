// SPDX-License-Identifier: MIT
#pragma once

// Rows of four floats at kWidth places, turned into four vectors and
// back. For *_kernels.cpp files only, like the header it builds on.

#include "core/simd/vector.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr int kRowLanes = kWidth / 4;  // rows that one Float holds side by side

// Lane i of columns[j] is from(i)[j]. `from` gives a pointer
// for each lane; it is inlined, so fixed strides cost nothing.
template <class From>
LISSOM_INLINE void gather_rows4(const From& from, Float (&columns)[4]) {
  for (int i = 0; i < 4; ++i) {
#if LISSOM_WIDTH == 16
    columns[i] = join(join(load_as<Float4>(from(i)), load_as<Float4>(from(i + 4))),
                      join(load_as<Float4>(from(i + 8)), load_as<Float4>(from(i + 12))));
#elif LISSOM_WIDTH == 8
    columns[i] = join(load_as<Float4>(from(i)), load_as<Float4>(from(i + 4)));
#else
    columns[i] = load(from(i));
#endif
  }
  transpose_lanes(columns);
}

// The inverse; leaves `columns` transposed.
template <class To>
LISSOM_INLINE void scatter_rows4(Float (&columns)[4], const To& to) {
  transpose_lanes(columns);
  for (int i = 0; i < 4; ++i) {
    Float4 rows[kRowLanes];  // a copy that compilers turn into stores of 128 bits
    std::memcpy(rows, &columns[i], sizeof rows);
    for (int lane = 0; lane < kRowLanes; ++lane) store(to(i + 4 * lane), rows[lane]);
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
