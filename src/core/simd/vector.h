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
// For large and rare functions: one copy, as code has a size, too.
#define LISSOM_NOINLINE __attribute__((noinline))
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

// Memory need not be aligned.
template <class Vector>
LISSOM_INLINE Vector load_as(const void* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
LISSOM_INLINE Float load(const float* from) { return load_as<Float>(from); }
template <class Vector>
LISSOM_INLINE void store(void* to, Vector value) {
  std::memcpy(to, &value, sizeof value);
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

}  // namespace
}  // namespace lissom::LISSOM_ISA
