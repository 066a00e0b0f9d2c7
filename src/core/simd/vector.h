// SPDX-License-Identifier: MIT
#pragma once

// The vectors that kernels are written in: GNU vector extensions, as wide as
// LISSOM_WIDTH says. Only *_kernels.cpp files include this, which are compiled once per
// instruction set. Everything here has internal linkage and is inlined: were it shared,
// the linker would keep one copy for all instruction sets, possibly the AVX-512 one.

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#define LISSOM_VECTOR_X86 1
#endif

#if !defined(LISSOM_ISA) || !defined(LISSOM_WIDTH)
#error "compile kernels by the rule in src/core/CMakeLists.txt, which sets LISSOM_ISA and LISSOM_WIDTH"
#endif

#define LISSOM_INLINE inline __attribute__((always_inline))
// Stands between the parameters and the body of a lambda.
#define LISSOM_LAMBDA_INLINE __attribute__((always_inline))

namespace lissom::LISSOM_ISA {
namespace {

constexpr int kWidth = LISSOM_WIDTH;  // lanes of a Float

using Float = float __attribute__((vector_size(4 * LISSOM_WIDTH)));
using Int = std::int32_t __attribute__((vector_size(4 * LISSOM_WIDTH)));
using Float4 = float __attribute__((vector_size(16)));
using Float8 = float __attribute__((vector_size(32)));
using Float16 = float __attribute__((vector_size(64)));

#if defined(__AVX512F__)
static_assert(kWidth == 16, "AVX-512 kernels are 16 wide");
#elif defined(__AVX2__)
static_assert(kWidth == 8, "AVX2 kernels are 8 wide");
#else
static_assert(kWidth == 4, "128-bit kernels are 4 wide");
#endif

LISSOM_INLINE Float splat(float value) { return value - Float{}; }

// Memory need not be aligned.
template <class Vector>
LISSOM_INLINE Vector load_as(const float* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
LISSOM_INLINE Float load(const float* from) { return load_as<Float>(from); }
template <class Vector>
LISSOM_INLINE void store(float* to, Vector value) {
  std::memcpy(to, &value, sizeof value);
}

LISSOM_INLINE Float max(Float a, Float b) { return a > b ? a : b; }
LISSOM_INLINE Float min(Float a, Float b) { return a < b ? a : b; }

// 1 / sqrt(x) to about 2e-7 of itself, for positive, finite, normal x.
LISSOM_INLINE Float reciprocal_sqrt(Float x) {
#if defined(LISSOM_VECTOR_X86)
#if LISSOM_WIDTH == 16
  // All lanes by mask: GCC 12 warns of an uninitialised value inside its own plain form.
  const Float y = (Float)_mm512_maskz_rsqrt14_ps(0xffff, (__m512)x);
#elif LISSOM_WIDTH == 8
  const Float y = (Float)_mm256_rsqrt_ps((__m256)x);
#else
  const Float y = (Float)_mm_rsqrt_ps((__m128)x);
#endif
  // One step of Newton's method doubles the right bits of the estimate.
  return y * (1.5f - (0.5f * x * y) * y);
#else
  Float y = x;  // set whole first: compilers do not see that the loop fills every lane
  for (int i = 0; i < kWidth; ++i) y[i] = 1 / __builtin_sqrtf(x[i]);
  return y;
#endif
}

// In each 128-bit lane: a[A], a[B], b[C], b[D].
template <int A, int B, int C, int D>
LISSOM_INLINE Float4 in_lanes(Float4 a, Float4 b) {
  return __builtin_shufflevector(a, b, A, B, 4 + C, 4 + D);
}
template <int A, int B, int C, int D>
LISSOM_INLINE Float8 in_lanes(Float8 a, Float8 b) {
  return __builtin_shufflevector(a, b, A, B, 8 + C, 8 + D, 4 + A, 4 + B, 12 + C, 12 + D);
}
template <int A, int B, int C, int D>
LISSOM_INLINE Float16 in_lanes(Float16 a, Float16 b) {
  return __builtin_shufflevector(a, b, A, B, 16 + C, 16 + D, 4 + A, 4 + B, 20 + C, 20 + D,  //
                                 8 + A, 8 + B, 24 + C, 24 + D, 12 + A, 12 + B, 28 + C, 28 + D);
}

// Whole 128-bit lanes: a's A and B, b's C and D.
template <int A, int B, int C, int D>
LISSOM_INLINE Float16 lanes(Float16 a, Float16 b) {
  return __builtin_shufflevector(a, b, 4 * A, 4 * A + 1, 4 * A + 2, 4 * A + 3, 4 * B, 4 * B + 1, 4 * B + 2,
                                 4 * B + 3, 16 + 4 * C, 17 + 4 * C, 18 + 4 * C, 19 + 4 * C,  //
                                 16 + 4 * D, 17 + 4 * D, 18 + 4 * D, 19 + 4 * D);
}
template <int A, int B>
LISSOM_INLINE Float8 lanes(Float8 a, Float8 b) {
  return __builtin_shufflevector(a, b, 4 * A, 4 * A + 1, 4 * A + 2, 4 * A + 3,  //
                                 8 + 4 * B, 9 + 4 * B, 10 + 4 * B, 11 + 4 * B);
}
LISSOM_INLINE Float8 join(Float4 a, Float4 b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
LISSOM_INLINE Float16 join(Float8 a, Float8 b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

// The 4x4 transpose of each 128-bit lane: rows[i] lane [j] goes to rows[j] lane [i].
template <class Vector>
LISSOM_INLINE void transpose_lanes(Vector (&rows)[4]) {
  // Pairs of rows first (x: a0 a1 b0 b1), so that two kinds of shuffle with one instruction each do it all.
  const Vector ab_low = in_lanes<0, 1, 0, 1>(rows[0], rows[1]);
  const Vector ab_high = in_lanes<2, 3, 2, 3>(rows[0], rows[1]);
  const Vector cd_low = in_lanes<0, 1, 0, 1>(rows[2], rows[3]);
  const Vector cd_high = in_lanes<2, 3, 2, 3>(rows[2], rows[3]);
  rows[0] = in_lanes<0, 2, 0, 2>(ab_low, cd_low);
  rows[1] = in_lanes<1, 3, 1, 3>(ab_low, cd_low);
  rows[2] = in_lanes<0, 2, 0, 2>(ab_high, cd_high);
  rows[3] = in_lanes<1, 3, 1, 3>(ab_high, cd_high);
}

struct Vec3s {
  Float x, y, z;
};

// kWidth rows of x, y, z from memory that holds them one after another, as in an (N, 3) array.
LISSOM_INLINE Vec3s load_rows3(const float* from) {
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

LISSOM_INLINE void store_rows3(float* to, const Vec3s& v) {
#if LISSOM_WIDTH == 16
  const Float xy0 = __builtin_shufflevector(v.x, v.y, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
  const Float xy1 = __builtin_shufflevector(v.x, v.y, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
  const Float xy2 =
      __builtin_shufflevector(v.x, v.y, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
  store(to, __builtin_shufflevector(xy0, v.z, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15));
  store(to + 16, __builtin_shufflevector(xy1, v.z, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15));
  store(to + 32, __builtin_shufflevector(xy2, v.z, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31));
#else
  const Float xy = in_lanes<0, 2, 0, 2>(v.x, v.y);  // x0 x2 y0 y2
  const Float yz = in_lanes<1, 3, 1, 3>(v.y, v.z);  // y1 y3 z1 z3
  const Float zx = in_lanes<0, 2, 1, 3>(v.z, v.x);  // z0 z2 x1 x3
  const Float a = in_lanes<0, 2, 0, 2>(xy, zx);     // x0 y0 z0 x1
  const Float b = in_lanes<0, 2, 1, 3>(yz, xy);     // y1 z1 x2 y2
  const Float c = in_lanes<1, 3, 1, 3>(zx, yz);     // z2 x3 y3 z3
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

LISSOM_INLINE Float dot(const Vec3s& a, const Vec3s& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
LISSOM_INLINE Vec3s cross(const Vec3s& a, const Vec3s& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
LISSOM_INLINE Vec3s operator+(const Vec3s& a, const Vec3s& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
LISSOM_INLINE Vec3s operator*(Float s, const Vec3s& a) { return {s * a.x, s * a.y, s * a.z}; }

// v / |v|; zero stays zero, and what is too small or too large to square stays finite.
LISSOM_INLINE Vec3s normalized_or_zero(const Vec3s& v) {
  const Float square = min(max(dot(v, v), splat(__FLT_MIN__)), splat(__FLT_MAX__));
  return reciprocal_sqrt(square) * v;
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
