// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/quat.h"

LISSOM_MATH_BEGIN

// The half arc over its sine, (asin(s) / s - 1) / s^2 as a polynomial of s^2 up to 1/2; and the sine of an arc over it,
// (sin(u) / u - 1) / u^2 of u^2 up to (pi / 2)^2. Chebyshev's fits (mpmath, 60 digits): relative errors below 2.5e-14
// and 2e-15; in single precision 1.2e-8 and 2e-10.
inline constexpr double kNearArc[] = {
    0.16666666666666385,   0.0750000000028694,   0.0446428566574015,   0.03038197678596592,
    0.022371032399356682,  0.017376385880761822, 0.013641573586565531, 0.014588309944873373,
    -0.010429915212560361, 0.10508020015645311,  -0.32792443397137144, 0.8423995233096244,
    -1.4606956924820675,   1.7318404072055256,   -1.2319733474398094,  0.4207166927603694};
inline constexpr double kNearSine[] = {-0.1666666666666665,    0.008333333333325916,  -0.00019841269836459347,
                                       2.7557318053804133e-06, -2.50519727582028e-08, 1.6050965773802308e-10,
                                       -7.407959567159864e-13};
inline constexpr float kNearArcFloat[] = {0.16666666811f, 0.07499953319f,  0.04466739909f,
                                          0.0298915259f,  0.02720216278f,  -0.00875996224f,
                                          0.09387259382f, -0.12121969379f, 0.10895988190f};
inline constexpr float kNearSineFloat[] = {-0.16666666664f, 0.008333332768f, -0.00019841086341f,
                                           2.7536445e-06f, -2.40798e-08f};

// The sum of coefficients[i] x^i, even and odd ones apart: each step waits for the one before half as often.
template <class T, class Number, int kCount>
T split_polynomial(const Number (&coefficients)[kCount], T x) {
  const T square = x * x;
  T even = T(coefficients[(kCount - 1) / 2 * 2]), odd = T(coefficients[kCount / 2 * 2 - 1]);
  for (int i = (kCount - 1) / 2 * 2 - 2; i >= 0; i -= 2) even = even * square + T(coefficients[i]);
  for (int i = kCount / 2 * 2 - 3; i >= 0; i -= 2) odd = odd * square + T(coefficients[i]);
  return even + x * odd;
}
template <class T>
T near_arc(T x) {
  if constexpr (Limits<T>::kEpsilon > 1e-10f) {
    return T(1) + x * split_polynomial(kNearArcFloat, x);
  } else {
    return T(1) + x * split_polynomial(kNearArc, x);
  }
}
template <class T>
T near_sine(T x) {
  if constexpr (Limits<T>::kEpsilon > 1e-10f) {
    return T(1) + x * split_polynomial(kNearSineFloat, x);
  } else {
    return T(1) + x * split_polynomial(kNearSine, x);
  }
}

// slerp_near of 0 < t < 1.
template <class T>
Quat<T> slerp_near_inside(const Quat<T>& a, const Quat<T>& b, T t) {
  const Quat<T> difference = a - b;
  const T square_a = dot(a, a), square_b = dot(b, b), scale = T(0.5) / (square_a + square_b);
  const T x = dot(difference, difference) * scale;  // the square of the sine of half the arc
  const T longer = T(1) + T(2) * scale * (square_a - square_b);
  const T half = near_arc(x);
  const T squared = T(4) * x * half * half;  // of the arc
  const T ratio = half / sqrt(T(1) - x);     // arc / sin(arc)
  const auto share = [&](T part) {
    const T u = part * part * squared;
    return ratio * (part * near_sine(u));
  };
  return share(T(1) - t) * a + (longer * share(t)) * b;
}

// slerp_as_given between points at most a quarter of a great circle apart, as those of a fade are: rotations at most
// half a turn apart. There, polynomials do without the arc tangent and without quotients by small angles. For t in
// [0, 1]; a and b to the last bit at its ends. Both may be as little off unit length as float32 leaves them: b is taken
// at the length of a, to the square of that.
template <class T>
Quat<T> slerp_near(const Quat<T>& a, const Quat<T>& b, T t) {
  return with_ends(a, b, t, slerp_near_inside(a, b, t));
}

LISSOM_MATH_END
