// SPDX-License-Identifier: MIT
#pragma once

// Rows of numbers in memory, transposed to as many columns of lanes and back: input and output of the kernels that take
// kWidth rows at a time. For *_kernels.cpp files only, like the headers it builds on.

#include "core/math/vec.h"
#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// What a 128-bit vector holds is moved at once: four floats, two doubles.
template <class T>
constexpr int kGroup = 16 / sizeof(T);
constexpr int kQuads = kWidth / 4;  // such groups in a whole vector

using Double2 = double __attribute__((vector_size(16)));

LISSOM_INLINE Float join_quads(const Float4* parts) {
#if LISSOM_WIDTH == 16
  return join(join(parts[0], parts[1]), join(parts[2], parts[3]));
#elif LISSOM_WIDTH == 8
  return join(parts[0], parts[1]);
#else
  return parts[0];
#endif
}
LISSOM_INLINE Double join_quads(const Double2* parts) {
#if LISSOM_WIDTH == 16
  const auto low = __builtin_shufflevector(parts[0], parts[1], 0, 1, 2, 3);
  const auto high = __builtin_shufflevector(parts[2], parts[3], 0, 1, 2, 3);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#elif LISSOM_WIDTH == 8
  return __builtin_shufflevector(parts[0], parts[1], 0, 1, 2, 3);
#else
  return parts[0];
#endif
}

// In each 128-bit lane: a[kPart], b[kPart].
template <int kPart>
LISSOM_INLINE Double interleave(Double a, Double b) {
#if LISSOM_WIDTH == 16
  return __builtin_shufflevector(a, b, kPart, 8 + kPart, 2 + kPart, 10 + kPart, 4 + kPart, 12 + kPart,
                                 6 + kPart, 14 + kPart);
#elif LISSOM_WIDTH == 8
  return __builtin_shufflevector(a, b, kPart, 4 + kPart, 2 + kPart, 6 + kPart);
#else
  return __builtin_shufflevector(a, b, kPart, 2 + kPart);
#endif
}

// One group of each row, `offset` numbers into it.
template <class RowOf>
LISSOM_INLINE void load_group(const RowOf& row, int offset, Lanes<float>* columns) {
  Float group[4];
  for (int i = 0; i < 4; ++i) {
    Float4 parts[kQuads];
    for (int quad = 0; quad < kQuads; ++quad) parts[quad] = load_as<Float4>(row(i + 4 * quad) + offset);
    group[i] = join_quads(parts);
  }
  transpose_lanes(group);
  for (int i = 0; i < 4; ++i) columns[i] = group[i];
}
template <class RowOf>
LISSOM_INLINE void store_group(const RowOf& row, int offset, const Lanes<float>* columns) {
  Float group[4] = {columns[0].v, columns[1].v, columns[2].v, columns[3].v};
  transpose_lanes(group);
  for (int i = 0; i < 4; ++i) {
    Float4 parts[kQuads];  // a copy that compilers turn into stores of 128 bits
    std::memcpy(parts, &group[i], sizeof parts);
    for (int quad = 0; quad < kQuads; ++quad) store(row(i + 4 * quad) + offset, parts[quad]);
  }
}
template <class RowOf>
LISSOM_INLINE void load_group(const RowOf& row, int offset, Lanes<double>* columns) {
  Double pairs[2];
  for (int i = 0; i < 2; ++i) {
    Double2 parts[kQuads];
    for (int quad = 0; quad < kQuads; ++quad) parts[quad] = load_as<Double2>(row(i + 2 * quad) + offset);
    pairs[i] = join_quads(parts);
  }
  columns[0] = interleave<0>(pairs[0], pairs[1]);
  columns[1] = interleave<1>(pairs[0], pairs[1]);
}
template <class RowOf>
LISSOM_INLINE void store_group(const RowOf& row, int offset, const Lanes<double>* columns) {
  const Double pairs[2] = {interleave<0>(columns[0].v, columns[1].v),
                           interleave<1>(columns[0].v, columns[1].v)};
  for (int i = 0; i < 2; ++i) {
    Double2 parts[kQuads];
    std::memcpy(parts, &pairs[i], sizeof parts);
    for (int quad = 0; quad < kQuads; ++quad) store(row(i + 2 * quad) + offset, parts[quad]);
  }
}

#if LISSOM_WIDTH == 16
// The 4x4 transpose of whole 128-bit lanes: lane [j] of rows[i] goes to lane [i] of rows[j].
LISSOM_INLINE void transpose_quads(Float (&rows)[4]) {
  const Float ab_low = lanes<0, 1, 0, 1>(rows[0], rows[1]), ab_high = lanes<2, 3, 2, 3>(rows[0], rows[1]);
  const Float cd_low = lanes<0, 1, 0, 1>(rows[2], rows[3]), cd_high = lanes<2, 3, 2, 3>(rows[2], rows[3]);
  rows[0] = lanes<0, 2, 0, 2>(ab_low, cd_low);
  rows[1] = lanes<1, 3, 1, 3>(ab_low, cd_low);
  rows[2] = lanes<0, 2, 0, 2>(ab_high, cd_high);
  rows[3] = lanes<1, 3, 1, 3>(ab_high, cd_high);
}
#endif

// Rows k, k + 4, ... of 16 floats in four groups: lane [i] of quad q of groups[g] is number 4 g + i of row k + 4 q.
template <class RowOf>
LISSOM_INLINE void load_quads16(const RowOf& row, int k, Float (&groups)[4]) {
#if LISSOM_WIDTH == 16  // whole cache lines
  for (int quad = 0; quad < 4; ++quad) groups[quad] = load(row(k + 4 * quad));
  transpose_quads(groups);
#else
  for (int g = 0; g < 4; ++g) {
    Float4 parts[kQuads];
    for (int quad = 0; quad < kQuads; ++quad) parts[quad] = load_as<Float4>(row(k + 4 * quad) + 4 * g);
    groups[g] = join_quads(parts);
  }
#endif
}
// All of them: groups[g][k]. They become columns by transpose_lanes(groups[g]).
template <class RowOf>
LISSOM_INLINE void load_groups16(const RowOf& row, Float (&groups)[4][4]) {
  for (int k = 0; k < 4; ++k) {
    Float quads[4];
    load_quads16(row, k, quads);
    for (int g = 0; g < 4; ++g) groups[g][k] = quads[g];
  }
}

#if LISSOM_WIDTH == 16
// Eight numbers of each row: half as many loads and a fifth fewer shuffles than two groups.
template <class RowOf>
LISSOM_INLINE void load_eight(const RowOf& row, int offset, Lanes<float>* columns) {
  Float low[4], high[4];
  for (int i = 0; i < 4; ++i) {
    low[i] = join(load_as<Float8>(row(i) + offset), load_as<Float8>(row(i + 4) + offset));
    high[i] = join(load_as<Float8>(row(i + 8) + offset), load_as<Float8>(row(i + 12) + offset));
  }
  transpose_lanes(low);
  transpose_lanes(high);
  for (int i = 0; i < 4; ++i) {
    columns[i] = lanes<0, 2, 0, 2>(low[i], high[i]);
    columns[i + 4] = lanes<1, 3, 1, 3>(low[i], high[i]);
  }
}
#endif

// Lane i of columns[j] is number j of row i. `row(i)` returns a pointer to the beginning of row i; it is inlined, so
// fixed strides cost nothing. Where the length is no multiple of a group, the last two groups overlap.
template <int kSize, class RowOf, class T>
LISSOM_INLINE void load_rows(const RowOf& row, Lanes<T>* columns) {
  static_assert(kSize >= kGroup<T>, "shorter rows are taken from packed memory only");
  int offset = 0;
#if LISSOM_WIDTH == 16
  if constexpr (sizeof(T) == sizeof(float)) {
    for (; offset + 8 <= kSize; offset += 8) load_eight(row, offset, columns + offset);
  }
#endif
  for (; offset + kGroup<T> <= kSize; offset += kGroup<T>) load_group(row, offset, columns + offset);
  if constexpr (kSize % kGroup<T> != 0) load_group(row, kSize - kGroup<T>, columns + kSize - kGroup<T>);
}
template <int kSize, class RowOf, class T>
LISSOM_INLINE void store_rows(const RowOf& row, const Lanes<T>* columns) {
  static_assert(kSize >= kGroup<T>);
  for (int offset = 0; offset + kGroup<T> <= kSize; offset += kGroup<T>)
    store_group(row, offset, columns + offset);
  if constexpr (kSize % kGroup<T> != 0) store_group(row, kSize - kGroup<T>, columns + kSize - kGroup<T>);
}

#if LISSOM_WIDTH > 4
// Of rows of 8 floats that lie one after another, those of quads `k` and k + 1 of low and high numbers, as transpose_lanes()
// leaves them: whole cache lines where a vector is one.
LISSOM_INLINE void store_two_quads8(float* to, int k, const Float* low, const Float* high) {
#if LISSOM_WIDTH == 16
  Float lines[4] = {low[k], high[k], low[k + 1], high[k + 1]};
  transpose_quads(lines);
  for (int quad = 0; quad < 4; ++quad) store(to + 8 * (k + 4 * quad), lines[quad]);
#else
  for (int i = k; i < k + 2; ++i) {
    store(to + 8 * i, lanes<0, 0>(low[i], high[i]));
    store(to + 8 * (i + 4), lanes<1, 1>(low[i], high[i]));
  }
#endif
}
#endif

// Rows of 8 floats that lie one after another.
LISSOM_INLINE void store_packed8(float* to, const Lanes<float>* columns) {
#if LISSOM_WIDTH > 4
  Float low[4] = {columns[0].v, columns[1].v, columns[2].v, columns[3].v};
  Float high[4] = {columns[4].v, columns[5].v, columns[6].v, columns[7].v};
  transpose_lanes(low);
  transpose_lanes(high);
  for (int k = 0; k < 4; k += 2) store_two_quads8(to, k, low, high);
#else
  store_rows<8>([&](int row) LISSOM_LAMBDA_INLINE { return to + 8 * row; }, columns);
#endif
}

// The same for rows of x, y, z that lie one after another, as in an (N, 3) array.
LISSOM_INLINE Vec3<Lanes<float>> load_packed3(const float* from) {
#if LISSOM_WIDTH == 16
  const Float a = load(from), b = load(from + 16), c = load(from + 32);
  // Two permutes per component: what a and b hold of it, then the rest from c.
  const Float x = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
  const Float y = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0);
  const Float z = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0);
  return {__builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29),
          __builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30),
          __builtin_shufflevector(z, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31)};
#else
#if LISSOM_WIDTH == 8
  const Float a = join(load_as<Float4>(from), load_as<Float4>(from + 12));
  const Float b = join(load_as<Float4>(from + 4), load_as<Float4>(from + 16));
  const Float c = join(load_as<Float4>(from + 8), load_as<Float4>(from + 20));
#else
  const Float a = load(from), b = load(from + 4), c = load(from + 8);
#endif
  // a: x0 y0 z0 x1, b: y1 z1 x2 y2, c: z2 x3 y3 z3
  const Float xy = in_lanes<2, 3, 1, 2>(b, c);  // x2 y2 x3 y3
  const Float yz = in_lanes<1, 2, 0, 1>(a, b);  // y0 z0 y1 z1
  return {in_lanes<0, 3, 0, 2>(a, xy), in_lanes<0, 2, 1, 3>(yz, xy), in_lanes<1, 3, 0, 3>(yz, c)};
#endif
}

LISSOM_INLINE void store_packed3(float* to, const Vec3<Lanes<float>>& vector) {
  const Float vx = vector.x.v, vy = vector.y.v, vz = vector.z.v;
#if LISSOM_WIDTH == 16
  const Float xy0 = __builtin_shufflevector(vx, vy, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
  const Float xy1 = __builtin_shufflevector(vx, vy, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
  const Float xy2 = __builtin_shufflevector(vx, vy, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
  store(to, __builtin_shufflevector(xy0, vz, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15));
  store(to + 16, __builtin_shufflevector(xy1, vz, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15));
  store(to + 32, __builtin_shufflevector(xy2, vz, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31));
#else
  const Float xy = in_lanes<0, 2, 0, 2>(vx, vy);  // x0 x2 y0 y2
  const Float yz = in_lanes<1, 3, 1, 3>(vy, vz);  // y1 y3 z1 z3
  const Float zx = in_lanes<0, 2, 1, 3>(vz, vx);  // z0 z2 x1 x3
  const Float a = in_lanes<0, 2, 0, 2>(xy, zx);   // x0 y0 z0 x1
  const Float b = in_lanes<0, 2, 1, 3>(yz, xy);   // y1 z1 x2 y2
  const Float c = in_lanes<1, 3, 1, 3>(zx, yz);   // z2 x3 y3 z3
#if LISSOM_WIDTH == 8
  store(to, lanes<0, 0>(a, b));
  store(to + 8, lanes<0, 1>(c, a));
  store(to + 16, lanes<1, 1>(b, c));
#else
  store(to, a);
  store(to + 4, b);
  store(to + 8, c);
#endif
#endif
}

// Rows of any length that lie one after another.
template <int kSize, class T>
LISSOM_INLINE void load_packed(const T* rows, Lanes<T>* columns) {
  if constexpr (kSize == 1) {
    columns[0] = load_as<typename Lanes<T>::Vector>(rows);
  } else if constexpr (kSize < kGroup<T>) {
    static_assert(kSize == 3);
    const Vec3<Lanes<T>> v = load_packed3(rows);
    columns[0] = v.x, columns[1] = v.y, columns[2] = v.z;
  } else {
    load_rows<kSize>([&](int row) LISSOM_LAMBDA_INLINE { return rows + row * kSize; }, columns);
  }
}
template <int kSize, class T>
LISSOM_INLINE void store_packed(T* rows, const Lanes<T>* columns) {
  if constexpr (kSize == 1) {
    store(rows, columns[0].v);
  } else if constexpr (kSize < kGroup<T>) {
    static_assert(kSize == 3);
    store_packed3(rows, {columns[0], columns[1], columns[2]});
  } else {
    store_rows<kSize>([&](int row) LISSOM_LAMBDA_INLINE { return rows + row * kSize; }, columns);
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
