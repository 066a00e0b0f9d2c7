// SPDX-License-Identifier: MIT
#pragma once

// The split of M = model_from_bind into R A for many M at once (palette.h), of those that are rigid up to rounding. For
// *_kernels.cpp files only.

#include "core/math/dual_quat.h"
#include "core/math/mat3.h"
#include "core/simd/lane_pair.h"
#include "core/simd/lanes.h"

// All that the function calls is inlined, except for what is LISSOM_NOINLINE: formulas that are used twice GCC 12 calls, and
// their matrices pass through memory.
#define LISSOM_FLATTEN __attribute__((flatten))

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;

// Flushes rounding of zeros, such as 1e-16, to zero: determinants multiply three of them, and operations on subnormal
// results take a hundred times as long. The cube of what remains is a normal number. Where all entries are so small
// that one of these would count, `sure` below is false, and double precision is used.
template <class T>
LISSOM_INLINE Mat3<T> without_dust(Mat3<T> m) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m.m[i][j] = select(abs(m.m[i][j]) < 0x1p-41f, T(0), m.m[i][j]);
  }
  return m;
}

// What M^T M of a symmetric result differs by from the identity, halved.
template <class T>
struct HalfOff {
  T xx, yy, zz, xy, xz, yz;
};
template <class T>
LISSOM_INLINE HalfOff<T> half_off_identity(const Mat3<T>& m) {
  const Vec3<T> x = m.column(0), y = m.column(1), z = m.column(2);
  return {0.5f - 0.5f * dot(x, x), 0.5f - 0.5f * dot(y, y), 0.5f - 0.5f * dot(z, z),
          -0.5f * dot(x, y),       -0.5f * dot(x, z),       -0.5f * dot(y, z)};
}
LISSOM_INLINE L largest(const HalfOff<L>& e) {
  return max(max(max(abs(e.xx), abs(e.yy)), max(abs(e.zz), abs(e.xy))), max(abs(e.xz), abs(e.yz)));
}

// One step of Newton and Schulz, X (3 - X^T X) / 2: leaves 3/2 of the square of the error.
template <class T>
LISSOM_INLINE Mat3<T> straightened(const Mat3<T>& x, const HalfOff<T>& e) {
  Mat3<T> result;
  for (int i = 0; i < 3; ++i) {
    const T a = x.m[i][0], b = x.m[i][1], c = x.m[i][2];
    result.m[i][0] = a + (a * e.xx + b * e.xy + c * e.xz);
    result.m[i][1] = b + (a * e.xy + b * e.yy + c * e.yz);
    result.m[i][2] = c + (a * e.xz + b * e.yz + c * e.zz);
  }
  return result;
}

// About 1 / sqrt(square), to 12 bits.
LISSOM_INLINE L near_inverse_root(L square) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  return (Float)_mm512_maskz_rsqrt14_ps(0xffff, (__m512)square.v);
#elif defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 8
  return (Float)_mm256_rsqrt_ps((__m256)square.v);
#else
  return 1 / sqrt(square);
#endif
}
LISSOM_INLINE LanePair<L> near_inverse_root(const LanePair<L>& square) {
  return {near_inverse_root(square.first), near_inverse_root(square.second)};
}

// 1 / sqrt(square) to the last bit but one, without a square root and a division.
template <class T>
LISSOM_INLINE T inverse_root(const T& square) {
  const T near = near_inverse_root(square);
  // Two terms of the series of 1 / sqrt(1 - e): the error of an estimate of 12 bits is below rounding.
  const T e = 1 - (square * near) * near;
  return near + near * e * (0.5f + 0.375f * e);
}

// dual_quat_from(). The 128-bit kernels, whose bits are the same on every machine, add products with a zero in its place,
// which decide signs of zeros.
template <class T>
LISSOM_INLINE DualQuat<T> dual_quat_in_lanes(const Quat<T>& r, const Vec3<T>& translation) {
  if constexpr (kWidth == 4) return dual_quat_from(r, translation);
  const Vec3<T> t = T(0.5f) * translation;
  return {r,
          {t.x * r.w + t.y * r.z - t.z * r.y, t.y * r.w + t.z * r.x - t.x * r.z,
           t.z * r.w + t.x * r.y - t.y * r.x, -(t.x * r.x + t.y * r.y + t.z * r.z)}};
}

// The dual quaternion of R, of M, its rotation and the pivot c; w >= 0.
template <class T>
LISSOM_INLINE DualQuat<T> rigid_part(const Mat3<T>& linear, const Vec3<T>& translation,
                                     const Mat3<T>& rotation, const Vec3<T>& c) {
  // M c - rotation c, with the difference taken first: the terms are large and nearly equal.
  const Vec3<T> shift = translation + (linear - rotation) * c;
  // Scaled to unit size at the end: the square root takes as long as the product beside it.
  const DualQuat<T> q = dual_quat_in_lanes(quat_multiple_from(rotation), shift);
  const T inverse = inverse_root(dot(q.real, q.real));
  return select(q.real.w < 0, -inverse, inverse) * q;
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
