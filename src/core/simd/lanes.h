// SPDX-License-Identifier: MIT
#pragma once

// Lanes<float> and Lanes<double>: as many numbers as a vector holds, with the operators and functions of one
// number, so that the formulas of core/math run on them unchanged. For *_kernels.cpp files only.
//
// Built without contraction of products and sums (src/core/CMakeLists.txt), every lane of every instruction
// set has the same bits: only + - * / and sqrt are used, which are exact to the last place. Two exceptions:
// reciprocal_sqrt is an estimate in sets wider than 128 bits, for kernels outside core/math, and sines of angles
// beyond Circle::kMaxAngle are the C library's.

#include "core/math/scalar.h"
#include "core/simd/vector.h"

namespace lissom::LISSOM_ISA {
namespace {

using Double = double __attribute__((vector_size(4 * LISSOM_WIDTH)));
using Long = std::int64_t __attribute__((vector_size(4 * LISSOM_WIDTH)));

template <class T>
struct LaneTypes;
template <>
struct LaneTypes<float> {
  using Vector = Float;
  using Bits = Int;
  using Bit = std::int32_t;
};
template <>
struct LaneTypes<double> {
  using Vector = Double;
  using Bits = Long;
  using Bit = std::int64_t;
};

// One boolean per lane.
template <class T>
struct Mask {
  typename LaneTypes<T>::Bits bits;  // all ones or zero

  friend LISSOM_INLINE Mask operator&(Mask a, Mask b) { return {a.bits & b.bits}; }
  friend LISSOM_INLINE Mask operator|(Mask a, Mask b) { return {a.bits | b.bits}; }
  friend LISSOM_INLINE Mask operator!(Mask a) { return {~a.bits}; }
};

template <class T>
struct Lanes {
  using Vector = typename LaneTypes<T>::Vector;
  using Bits = typename LaneTypes<T>::Bits;
  static constexpr int kCount = sizeof(Vector) / sizeof(T);

  Vector v;

  Lanes() = default;
  // Copied as vectors: copies of the struct itself GCC 12 often leaves in memory.
  LISSOM_INLINE Lanes(const Lanes& other) : v(other.v) {}
  LISSOM_INLINE Lanes& operator=(const Lanes& other) {
    v = other.v;
    return *this;
  }
  LISSOM_INLINE Lanes(Vector vector) : v(vector) {}
  LISSOM_INLINE Lanes(float value) : v(static_cast<T>(value) - Vector{}) {}
  LISSOM_INLINE Lanes(double value) : v(static_cast<T>(value) - Vector{}) {}
  LISSOM_INLINE Lanes(int value) : v(static_cast<T>(value) - Vector{}) {}

  friend LISSOM_INLINE Lanes operator+(Lanes a, Lanes b) { return a.v + b.v; }
  friend LISSOM_INLINE Lanes operator-(Lanes a, Lanes b) { return a.v - b.v; }
  friend LISSOM_INLINE Lanes operator*(Lanes a, Lanes b) { return a.v * b.v; }
  friend LISSOM_INLINE Lanes operator/(Lanes a, Lanes b) { return a.v / b.v; }
  friend LISSOM_INLINE Lanes operator-(Lanes a) { return -a.v; }
  friend LISSOM_INLINE Lanes& operator+=(Lanes& a, Lanes b) { return a = a + b; }
  friend LISSOM_INLINE Mask<T> operator<(Lanes a, Lanes b) { return {(Bits)(a.v < b.v)}; }
  friend LISSOM_INLINE Mask<T> operator>(Lanes a, Lanes b) { return {(Bits)(a.v > b.v)}; }
  friend LISSOM_INLINE Mask<T> operator<=(Lanes a, Lanes b) { return {(Bits)(a.v <= b.v)}; }
  friend LISSOM_INLINE Mask<T> operator>=(Lanes a, Lanes b) { return {(Bits)(a.v >= b.v)}; }
  friend LISSOM_INLINE Mask<T> operator==(Lanes a, Lanes b) { return {(Bits)(a.v == b.v)}; }
  friend LISSOM_INLINE Mask<T> operator!=(Lanes a, Lanes b) { return {(Bits)(a.v != b.v)}; }
};

template <class T>
struct Limits<Lanes<T>> : Limits<T> {};

template <class T>
LISSOM_INLINE Lanes<T> select(Mask<T> condition, Lanes<T> a, Lanes<T> b) {
  return condition.bits ? a.v : b.v;
}
template <class T>
LISSOM_INLINE Lanes<T> max(Lanes<T> a, Lanes<T> b) {
  return a.v > b.v ? a.v : b.v;
}
template <class T>
LISSOM_INLINE Lanes<T> min(Lanes<T> a, Lanes<T> b) {
  return a.v < b.v ? a.v : b.v;
}
#ifdef LISSOM_VECTOR_X86
// One instruction with the same results, also of NaN and of zeros of both signs: GCC 12 makes a comparison and a choice
// of the lines above.
LISSOM_INLINE Lanes<float> max(Lanes<float> a, Lanes<float> b) {
#if LISSOM_WIDTH == 16
  return (Float)_mm512_maskz_max_ps(0xffff, (__m512)a.v, (__m512)b.v);
#elif LISSOM_WIDTH == 8
  return (Float)_mm256_max_ps((__m256)a.v, (__m256)b.v);
#else
  return (Float)_mm_max_ps((__m128)a.v, (__m128)b.v);
#endif
}
LISSOM_INLINE Lanes<float> min(Lanes<float> a, Lanes<float> b) {
#if LISSOM_WIDTH == 16
  return (Float)_mm512_maskz_min_ps(0xffff, (__m512)a.v, (__m512)b.v);
#elif LISSOM_WIDTH == 8
  return (Float)_mm256_min_ps((__m256)a.v, (__m256)b.v);
#else
  return (Float)_mm_min_ps((__m128)a.v, (__m128)b.v);
#endif
}
#endif

LISSOM_INLINE bool any(Mask<float> mask) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  return _mm512_movepi32_mask((__m512i)mask.bits) != 0;
#elif defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 8
  return _mm256_movemask_ps((__m256)mask.bits) != 0;
#elif defined(LISSOM_VECTOR_X86)
  return _mm_movemask_ps((__m128)mask.bits) != 0;
#else
  return (mask.bits[0] | mask.bits[1] | mask.bits[2] | mask.bits[3]) != 0;
#endif
}
LISSOM_INLINE bool any(Mask<double> mask) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  return _mm512_movepi64_mask((__m512i)mask.bits) != 0;
#elif defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 8
  return _mm256_movemask_pd((__m256d)mask.bits) != 0;
#elif defined(LISSOM_VECTOR_X86)
  return _mm_movemask_pd((__m128d)mask.bits) != 0;
#else
  return (mask.bits[0] | mask.bits[1]) != 0;
#endif
}

LISSOM_INLINE Lanes<float> sqrt(Lanes<float> x) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  // All lanes by mask: GCC 12 warns of an uninitialised value inside its own plain form.
  return (Float)_mm512_maskz_sqrt_ps(0xffff, (__m512)x.v);
#elif defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 8
  return (Float)_mm256_sqrt_ps((__m256)x.v);
#elif defined(LISSOM_VECTOR_X86)
  return (Float)_mm_sqrt_ps((__m128)x.v);
#else
  for (int i = 0; i < kWidth; ++i) x.v[i] = __builtin_sqrtf(x.v[i]);
  return x;
#endif
}
LISSOM_INLINE Lanes<double> sqrt(Lanes<double> x) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  return (Double)_mm512_maskz_sqrt_pd(0xff, (__m512d)x.v);
#elif defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 8
  return (Double)_mm256_sqrt_pd((__m256d)x.v);
#elif defined(LISSOM_VECTOR_X86)
  return (Double)_mm_sqrt_pd((__m128d)x.v);
#else
  for (int i = 0; i < kWidth / 2; ++i) x.v[i] = __builtin_sqrt(x.v[i]);
  return x;
#endif
}

// 1 / sqrt(x) to about 2e-7 of itself, for positive, finite, normal x. An estimate that differs from machine to
// machine: for kernels whose last bits may, not for those of core/math. The 128-bit kernels, which are those of
// deterministic mode (isa.h), divide instead: the same bits everywhere.
LISSOM_INLINE Lanes<float> reciprocal_sqrt(Lanes<float> x) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH > 4
#if LISSOM_WIDTH == 16
  const Lanes<float> y = (Float)_mm512_maskz_rsqrt14_ps(0xffff, (__m512)x.v);
#else
  const Lanes<float> y = (Float)_mm256_rsqrt_ps((__m256)x.v);
#endif

  // One step of Newton's method doubles the correct bits of the estimate.
  return y * (1.5f - (0.5f * x * y) * y);
#else
  return 1 / sqrt(x);
#endif
}

// Bits of the numbers. -0 has the sign bit alone.
template <class T>
LISSOM_INLINE typename Lanes<T>::Bits bits(Lanes<T> x) {
  return (typename Lanes<T>::Bits)x.v;
}
template <class T>
LISSOM_INLINE Lanes<T> from_bits(typename Lanes<T>::Bits bits) {
  return (typename Lanes<T>::Vector)bits;
}
template <class T>
LISSOM_INLINE Lanes<T> abs(Lanes<T> x) {
  return from_bits<T>(bits(x) & ~bits(Lanes<T>(T(-0.0))));
}
template <class T>
LISSOM_INLINE Lanes<T> copysign(Lanes<T> x, Lanes<T> sign) {
  const auto sign_bit = bits(Lanes<T>(T(-0.0)));
  return from_bits<T>((bits(x) & ~sign_bit) | (bits(sign) & sign_bit));
}

// Sine and cosine within [-pi/4, pi/4], the remainder of a quarter turn, and the arc tangent within
// [0, tan(pi/8)]. Polynomials of the square by Chebyshev's fit; each relative error is below a quarter of the
// last place.
template <class T>
struct Circle;
template <>
struct Circle<float> {
  static constexpr float kSin[] = {-0.16666665f, 0.0083327483f, -0.00019587891f};
  static constexpr float kCos[] = {0.041666665f, -0.0013888304f, 2.4547942e-05f};
  static constexpr float kAtan[] = {-0.33333332f, 0.1999954f, -0.14263956f, 0.10743732f, -0.064519282f};
  // pi/2 in parts, all but the last so short that their multiples up to kMaxAngle are exact.
  static constexpr float kQuarter[] = {0x1.921cp+0f, 0x1.daap-15f, 0x1.10b4p-30f, 0x1.84698ap-48f};
  static constexpr float kMaxAngle = 800;
  static constexpr float kRound = 12582912;  // 1.5 2^23: added, it leaves an integer in the lowest bits
  // Numbers and their rounding.
  static constexpr float kPi[] = {3.14159274f, -8.74227766e-08f};
  static constexpr float kAtanHalf[] = {0.4636476f, 5.0121587e-09f},
                         kAtanTwo[] = {1.1071488f, -4.872355e-08f};
};
template <>
struct Circle<double> {
  static constexpr double kSin[] = {-0.16666666666666664624,    0.0083333333333309484855,
                                    -0.00019841269836758574323, 2.7557316102552440119e-6,
                                    -2.5051131845003624417e-8,  1.5918129294866608667e-10};
  static constexpr double kCos[] = {0.041666666666666665389,    -0.0013888888888887397237,
                                    0.000024801587298765687927, -2.7557317271729792882e-7,
                                    2.0876146268403197893e-9,   -1.1382632425521718005e-11};
  static constexpr double kAtan[] = {
      -0.3333333333333333016,   0.19999999999995520678,  -0.14285714284666542922,  0.11111111015256361727,
      -0.090909045781239018905, 0.076921831908260865637, -0.066645114473819480001, 0.058581489128022098816,
      -0.050854497379402598613, 0.039231658295587191303, -0.019176887119062258989};
  static constexpr double kQuarter[] = {1.57079632673412561417, 6.07710050630396597660e-11,
                                        2.02226624879595063154e-21};
  static constexpr double kMaxAngle = 1e6;
  static constexpr double kRound = 6755399441055744;  // 1.5 2^52
  static constexpr double kPi[] = {3.141592653589793116, 1.2246467991473532e-16};
  static constexpr double kAtanHalf[] = {0.4636476090008061, 2.2698777452961687e-17},
                          kAtanTwo[] = {1.1071487177940904, 9.40447137356638e-17};
};

// Within 1 ulp of the true ones for every angle; -0 has the sine -0.
template <class T>
LISSOM_INLINE SinCos<Lanes<T>> sincos(Lanes<T> angle) {
  using C = Circle<T>;
  constexpr double kTwoOverPi = 0.63661977236758134308;
  const Lanes<T> rounded = angle * T(kTwoOverPi) + C::kRound;
  const auto quadrant = bits(rounded);
  const Lanes<T> k = rounded - C::kRound;
  // The remainder r + low: near a multiple of pi/2 the first differences are exact, and elsewhere their
  // rounding is kept in `low`.
  Lanes<T> r = angle - k * C::kQuarter[0], low = T(0);
  for (unsigned i = 1; i < sizeof C::kQuarter / sizeof *C::kQuarter; ++i) {
    const Lanes<T> part = k * C::kQuarter[i] - low, rest = r - part;
    low = (r - rest) - part;
    r = rest;
  }
  const Lanes<T> z = r * r, half_z = T(0.5) * z, near_one = 1 - half_z;
  const Lanes<T> sine = copysign(r + (r * (z * polynomial(C::kSin, z)) + low * near_one), r);
  const Lanes<T> cosine = near_one + (((1 - near_one) - half_z) + (z * z * polynomial(C::kCos, z) - r * low));
  const Mask<T> odd = {(quadrant & 1) != 0};
  const auto sign_bit = bits(Lanes<T>(T(-0.0)));
  constexpr int kSignShift = 8 * sizeof(T) - 2;  // from bit 1 of the quadrant to the sign
  Lanes<T> s = from_bits<T>(bits(select(odd, cosine, sine)) ^ ((quadrant << kSignShift) & sign_bit));
  Lanes<T> c = from_bits<T>(bits(select(odd, sine, cosine)) ^ (((quadrant + 1) << kSignShift) & sign_bit));
  const Mask<T> large = abs(angle) > C::kMaxAngle;
  if (__builtin_expect(any(large), false)) {
    for (int i = 0; i < Lanes<T>::kCount; ++i) {
      if (!large.bits[i]) continue;
      s.v[i] = static_cast<T>(__builtin_sin(static_cast<double>(angle.v[i])));
      c.v[i] = static_cast<T>(__builtin_cos(static_cast<double>(angle.v[i])));
    }
  }
  return {s, c};
}
template <class T>
LISSOM_INLINE Lanes<T> sin(Lanes<T> angle) {
  return sincos(angle).sin;
}
template <class T>
LISSOM_INLINE Lanes<T> cos(Lanes<T> angle) {
  return sincos(angle).cos;
}

// In [-pi, pi], within 1.5 ulp; zeros and infinities as in atan2 of the C library.
template <class T>
LISSOM_INLINE Lanes<T> atan2(Lanes<T> y, Lanes<T> x) {
  using C = Circle<T>;
  using L = Lanes<T>;
  const L zero = T(0), one = T(1), largest = Limits<T>::kLargest;
  const L height = abs(y), width = abs(x);
  const Mask<T> steep = height > width;
  L small = select(steep, width, height), large = select(steep, height, width);
  const Mask<T> infinite = large > largest;
  small = select(infinite, select(small > largest, one, zero), small);
  large = select(infinite, one, large);
  // Sums of the largest numbers must not overflow.
  const L scale = select(large > T(Limits<T>::kLargest / 8), L(T(0.125)), one);
  small = scale * small, large = scale * large;
  // Up to pi/4 the angle is atan(0), atan(1/2) or atan(1) and the arc tangent of `ratio`; beyond, pi/2 minus that. The
  // differences are exact (Sterbenz), and the ratio is small where the sums are not.
  constexpr double kTan = 0.41421356237309503;  // tan(pi/8)
  const Mask<T> flat = small <= large * T(kTan), half = small < large * T(0.66);
  const L rise = select(flat, small, select(half, T(2) * small - large, small - large));
  const L run = select(flat, large, select(half, T(2) * large + small, large + small));
  const L quotient = rise / select(run == 0, one, run);
  const L ratio = select(steep, -quotient, quotient);
  const auto base = [&](int i) LISSOM_LAMBDA_INLINE {
    const L quarter = T(0.25) * C::kPi[i];
    return select(steep, select(flat, L(T(0.5) * C::kPi[i]), select(half, L(C::kAtanTwo[i]), quarter)),
                  select(flat, zero, select(half, L(C::kAtanHalf[i]), quarter)));
  };
  const L z = ratio * ratio;
  const L rest = ratio * (z * polynomial(C::kAtan, z));
  const L first = base(0) + (base(1) + rest + ratio);
  // x is negative, -0 too: the angle is pi minus that.
  const Mask<T> left = {(bits(x) & bits(L(T(-0.0)))) != 0};
  return copysign(select(left, C::kPi[0] - (first - C::kPi[1]), first), y);
}

// exp(r) = 1 + r + r^2 P(r) for |r| <= log(2) / 2, and log((1 + s) / (1 - s)) = 2 s + s^3 Q(s^2) for numbers
// from sqrt(1/2) to sqrt(2). Chebyshev's fits (mpmath, 60 digits): errors below 1.3e-17 and 4.6e-18 of the
// result in double, 7.9e-9 and 2.8e-9 in single precision.
template <class T>
struct Powers;
template <>
struct Powers<float> {
  static constexpr float kExp[] = {0.5f, 0.16666576666119928f, 0.041666554212984150f, 0.0083632328836826182f,
                                   0.0013926250831497612f};
  static constexpr float kLog[] = {0.66666685095429069f, 0.39988757716604847f, 0.29580985929974422f};
  // log(2) in two parts, the first so short that its multiples by exponents are exact.
  static constexpr float kLog2[] = {0.693115234375f, 3.1946184945309417e-05f};
  static constexpr float kSqrtHalf = 0.707106781f;
  static constexpr int kMantissa = 23, kBias = 127;
  // Beyond these exp is infinite, or zero.
  static constexpr float kMost = 89, kLeast = -104;
  static constexpr float kFromSubnormal = 0x1p24f;
  static constexpr int kSubnormalShift = 24;
};
template <>
struct Powers<double> {
  static constexpr double kExp[] = {0.50000000000000010314,     0.1666666666666666746,
                                    0.041666666666623820532,    0.0083333333333300381973,
                                    0.0013888888917367080562,   0.00019841269863171556026,
                                    0.000024801521057868205199, 2.7557268276905696187e-6,
                                    2.7620201591031548792e-7,   2.5100472505694996003e-8};
  static constexpr double kLog[] = {0.66666666666666697077, 0.39999999999898890514, 0.28571428626253837606,
                                    0.22222211089379496214, 0.18182892432536871201, 0.15331611722055007885,
                                    0.14617807153417324964};
  static constexpr double kLog2[] = {0.69314718036912381649, 1.9082149292705878161e-10};
  static constexpr double kSqrtHalf = 0.70710678118654752440;
  static constexpr int kMantissa = 52, kBias = 1023;
  static constexpr double kMost = 710, kLeast = -746;
  static constexpr double kFromSubnormal = 0x1p54;
  static constexpr int kSubnormalShift = 54;
};

template <class T>
LISSOM_INLINE Lanes<T> exp(Lanes<T> x) {
  using P = Powers<T>;
  using L = Lanes<T>;
  constexpr T kRound = Circle<T>::kRound, kOneOverLog2 = T(1.4426950408889634074);
  const L at = select(x > P::kMost, L(P::kMost), select(x < P::kLeast, L(P::kLeast), x));  // NaN stays
  const L k = (at * kOneOverLog2 + kRound) - kRound;
  const L r = (at - k * P::kLog2[0]) - k * P::kLog2[1];
  const L power = 1 + (r + (r * r) * polynomial(P::kExp, r));
  // 2^k in two factors: it can lie beyond the normal numbers on both sides. The low bits of integer + kRound
  // are those of the integer.
  const L half = T(0.5) * k + kRound;
  const L other = (k - (half - kRound)) + kRound;
  const auto power_of_two = [](L integer) LISSOM_LAMBDA_INLINE {
    return from_bits<T>((bits(integer) + P::kBias) << P::kMantissa);
  };
  return (power * power_of_two(half)) * power_of_two(other);
}

// -inf for zeros, NaN for what is negative.
template <class T>
LISSOM_INLINE Lanes<T> log(Lanes<T> x) {
  using P = Powers<T>;
  using L = Lanes<T>;
  constexpr T kRound = Circle<T>::kRound, kInfinity = T(__builtin_inf());
  const Mask<T> regular = (x > 0) & (x < kInfinity);
  const L number = select(regular, x, L(T(1)));
  const Mask<T> subnormal = number < L(Limits<T>::kSmallest);
  const L normal = select(subnormal, number * P::kFromSubnormal, number);
  // number = m 2^k, sqrt(1/2) <= m < sqrt(2).
  const auto one = bits(L(T(1))), root = bits(L(P::kSqrtHalf));
  const auto exponent = ((bits(normal) - root + one) >> P::kMantissa) - P::kBias;
  const L m = from_bits<T>(bits(normal) - (exponent << P::kMantissa));
  const L k = (from_bits<T>(exponent + bits(L(kRound))) - kRound) -
              select(subnormal, L(T(P::kSubnormalShift)), L(T(0)));
  const L f = m - 1, s = f / (2 + f), z = s * s;
  const L half_square = T(0.5) * f * f;
  // 2 s + s^3 Q = f - f^2 / 2 + s (f^2 / 2 + s^2 Q): the larger terms are exact or nearly so.
  const L rest = s * (half_square + z * polynomial(P::kLog, z)) + k * P::kLog2[1];
  const L result = k * P::kLog2[0] - ((half_square - rest) - f);
  return select(regular, result, select(x == 0, L(-kInfinity), select(x > 0, x, L(T(__builtin_nan(""))))));
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
