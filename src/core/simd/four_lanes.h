// SPDX-License-Identifier: MIT
#pragma once

// FourLanes<float> and FourLanes<double>: four numbers, whatever the width of a vector, for what is left over by whole
// vectors. With the bits of Lanes, of which they have the operators that slerp needs. For *_kernels.cpp files only.

#include "core/math/scalar.h"
#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
struct FourTypes;
template <>
struct FourTypes<float> {
  using Vector = Float4;
  using Bits = std::int32_t __attribute__((vector_size(16)));
};
template <>
struct FourTypes<double> {
  using Vector = double __attribute__((vector_size(32)));
  using Bits = std::int64_t __attribute__((vector_size(32)));
};

template <class T>
struct FourMask {
  typename FourTypes<T>::Bits bits;  // all ones or zero

  friend LISSOM_INLINE FourMask operator&(FourMask a, FourMask b) { return {a.bits & b.bits}; }
  friend LISSOM_INLINE FourMask operator|(FourMask a, FourMask b) { return {a.bits | b.bits}; }
  friend LISSOM_INLINE FourMask operator!(FourMask a) { return {~a.bits}; }
};

template <class T>
struct FourLanes {
  using Vector = typename FourTypes<T>::Vector;
  using Bits = typename FourTypes<T>::Bits;
  static constexpr int kCount = 4;

  Vector v;

  FourLanes() = default;
  LISSOM_INLINE FourLanes(Vector vector) : v(vector) {}
  LISSOM_INLINE FourLanes(float value) : v(static_cast<T>(value) - Vector{}) {}
  LISSOM_INLINE FourLanes(double value) : v(static_cast<T>(value) - Vector{}) {}
  LISSOM_INLINE FourLanes(int value) : v(static_cast<T>(value) - Vector{}) {}

  friend LISSOM_INLINE FourLanes operator+(FourLanes a, FourLanes b) { return a.v + b.v; }
  friend LISSOM_INLINE FourLanes operator-(FourLanes a, FourLanes b) { return a.v - b.v; }
  friend LISSOM_INLINE FourLanes operator*(FourLanes a, FourLanes b) { return a.v * b.v; }
  friend LISSOM_INLINE FourLanes operator/(FourLanes a, FourLanes b) { return a.v / b.v; }
  friend LISSOM_INLINE FourLanes operator-(FourLanes a) { return -a.v; }
  friend LISSOM_INLINE FourMask<T> operator<(FourLanes a, FourLanes b) { return {(Bits)(a.v < b.v)}; }
  friend LISSOM_INLINE FourMask<T> operator>(FourLanes a, FourLanes b) { return {(Bits)(a.v > b.v)}; }
  friend LISSOM_INLINE FourMask<T> operator==(FourLanes a, FourLanes b) { return {(Bits)(a.v == b.v)}; }
};

template <class T>
struct Limits<FourLanes<T>> : Limits<T> {};

template <class T>
LISSOM_INLINE FourLanes<T> select(FourMask<T> condition, FourLanes<T> a, FourLanes<T> b) {
  return condition.bits ? a.v : b.v;
}
template <class T>
LISSOM_INLINE FourLanes<T> max(FourLanes<T> a, FourLanes<T> b) {
  return a.v > b.v ? a.v : b.v;
}
template <class T>
LISSOM_INLINE bool any(FourMask<T> mask) {
  return (mask.bits[0] | mask.bits[1] | mask.bits[2] | mask.bits[3]) != 0;
}
LISSOM_INLINE FourLanes<float> sqrt(FourLanes<float> x) {
#if defined(LISSOM_VECTOR_X86)
  return (Float4)_mm_sqrt_ps((__m128)x.v);
#else
  for (int i = 0; i < 4; ++i) x.v[i] = __builtin_sqrtf(x.v[i]);
  return x;
#endif
}
LISSOM_INLINE FourLanes<double> sqrt(FourLanes<double> x) {
  for (int i = 0; i < 4; ++i) x.v[i] = __builtin_sqrt(x.v[i]);
  return x;
}

template <class T>
LISSOM_INLINE typename FourLanes<T>::Bits bits(FourLanes<T> x) {
  return (typename FourLanes<T>::Bits)x.v;
}

// Lane i of columns[j] is number j of row i.
template <class RowOf>
LISSOM_INLINE void load_four_rows(const RowOf& row, FourLanes<float>* columns) {
  Float4 group[4];
  for (int i = 0; i < 4; ++i) group[i] = load_as<Float4>(row(i));
  transpose_lanes(group);
  for (int i = 0; i < 4; ++i) columns[i] = group[i];
}
template <class RowOf>
LISSOM_INLINE void load_four_rows(const RowOf& row, FourLanes<double>* columns) {
  for (int i = 0; i < 4; ++i) {
    columns[i] = FourTypes<double>::Vector{row(0)[i], row(1)[i], row(2)[i], row(3)[i]};
  }
}
// The first `count` of four rows.
template <class RowOf>
LISSOM_INLINE void store_four_rows(const FourLanes<float>* columns, int count, const RowOf& row) {
  Float4 group[4] = {columns[0].v, columns[1].v, columns[2].v, columns[3].v};
  transpose_lanes(group);
  for (int i = 0; i < count; ++i) store(row(i), group[i]);
}
template <class RowOf>
LISSOM_INLINE void store_four_rows(const FourLanes<double>* columns, int count, const RowOf& row) {
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < 4; ++j) row(i)[j] = columns[j].v[i];
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
