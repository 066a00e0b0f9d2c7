// SPDX-License-Identifier: MIT
#pragma once

// The operations that the formulas of this folder need of their scalar: float and double here, kWidth of them at once
// in core/simd/lanes.h. Formulas for both use select() instead of `if`, and write conditions with & and |.

// Files compiled once per instruction set (*_kernels.cpp) get formulas of their own, with internal linkage:
// were they shared, the linker would keep one copy for all instruction sets, possibly the AVX-512 one.
#ifdef LISSOM_ISA
#define LISSOM_MATH_BEGIN        \
  namespace lissom::LISSOM_ISA { \
  namespace {
#define LISSOM_MATH_END \
  }                     \
  }
#else
#define LISSOM_MATH_BEGIN namespace lissom {
#define LISSOM_MATH_END }
#endif

LISSOM_MATH_BEGIN

// Builtins, for std::sqrt and its siblings are functions that a kernel must not emit.
inline float sqrt(float x) { return __builtin_sqrtf(x); }
inline double sqrt(double x) { return __builtin_sqrt(x); }
inline float abs(float x) { return __builtin_fabsf(x); }
inline double abs(double x) { return __builtin_fabs(x); }
inline float sin(float x) { return __builtin_sinf(x); }
inline double sin(double x) { return __builtin_sin(x); }
inline float cos(float x) { return __builtin_cosf(x); }
inline double cos(double x) { return __builtin_cos(x); }
inline float exp(float x) { return __builtin_expf(x); }
inline double exp(double x) { return __builtin_exp(x); }
inline float log(float x) { return __builtin_logf(x); }
inline double log(double x) { return __builtin_log(x); }
inline float atan2(float y, float x) { return __builtin_atan2f(y, x); }
inline double atan2(double y, double x) { return __builtin_atan2(y, x); }
// |x| with the sign of `sign`, which zeros have too.
inline float copysign(float x, float sign) { return __builtin_copysignf(x, sign); }
inline double copysign(double x, double sign) { return __builtin_copysign(x, sign); }
// The second where one is NaN.
template <class T>
constexpr T max(T a, T b) {
  return a > b ? a : b;
}
template <class T>
constexpr T min(T a, T b) {
  return a < b ? a : b;
}

// `a` where `condition` holds, else `b`; both are computed.
constexpr float select(bool condition, float a, float b) { return condition ? a : b; }
constexpr double select(bool condition, double a, double b) { return condition ? a : b; }

// Whether it holds in any lane, to skip rare work.
constexpr bool any(bool condition) { return condition; }

template <class T>
struct SinCos {
  T sin, cos;
};
template <class T>
SinCos<T> sincos(T angle) {
  return {sin(angle), cos(angle)};
}

// The distance from 1 to the next number, the smallest normal one, and powers of two for square_scale(): numbers
// beyond [1 / kSquares, kSquares] are multiplied or divided by kToSquares.
template <class T>
struct Limits;
template <>
struct Limits<float> {
  static constexpr float kEpsilon = __FLT_EPSILON__, kSmallest = __FLT_MIN__, kLargest = __FLT_MAX__;
  static constexpr float kSquares = 0x1p50f, kToSquares = 0x1p100f;
};
template <>
struct Limits<double> {
  static constexpr double kEpsilon = __DBL_EPSILON__, kSmallest = __DBL_MIN__, kLargest = __DBL_MAX__;
  static constexpr double kSquares = 0x1p400, kToSquares = 0x1p700;
};

// The factor, a power of two, after which squares of numbers of this size neither overflow nor underflow; 1 where they
// do not anyway.
template <class T>
T square_scale(T size) {
  const T up = Limits<T>::kToSquares, down = 1 / Limits<T>::kToSquares;
  return select(size < T(1 / Limits<T>::kSquares), up, select(size > T(Limits<T>::kSquares), down, T(1)));
}
// 1 / square_scale(size), without the quotient: all three are powers of two.
template <class T>
T reciprocal_of_scale(T scale) {
  const T up = Limits<T>::kToSquares, down = 1 / Limits<T>::kToSquares;
  return select(scale > T(1), down, select(scale < T(1), up, T(1)));
}

// The sum of coefficients[i] x^i.
template <class T, class Number, int kCount>
constexpr T polynomial(const Number (&coefficients)[kCount], T x) {
  T sum = coefficients[kCount - 1];
  for (int i = kCount - 2; i >= 0; --i) sum = sum * x + coefficients[i];
  return sum;
}

LISSOM_MATH_END
