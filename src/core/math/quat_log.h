// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/quat.h"

LISSOM_MATH_BEGIN

// Logarithm, exponential and powers of quaternions of any length. With q = |q| (cos(a) + u sin(a)), u a unit
// vector and a in [0, pi]: log q = log|q| + a u. For a unit q that is half the rotation vector.

// log|q|. Near one from |q|^2 - 1, where the logarithm of a rounded length would be mere rounding.
template <class T>
T log_length(const Quat<T>& q) {
  const T scale = square_scale(q);
  const Quat<T> scaled = scale * q;
  const T square = dot(scaled, scaled);
  const T x = abs(scaled.x), y = abs(scaled.y), z = abs(scaled.z), w = abs(scaled.w);
  const T xy = max(x, y), zw = max(z, w), most = max(xy, zw);
  const T second = min(xy, zw), third = min(x, y), fourth = min(z, w);
  const T excess = (most - T(1)) * (most + T(1)) + (second * second + third * third + fourth * fourth);
  // log(1 + excess), and what the sum has rounded off the excess (Higham, Accuracy and Stability, section 1.14).
  const auto near = (square > T(0.5)) & (square < T(2));
  const T sum = select(near, T(1) + excess, square);
  const T lost = select(near, (excess - (sum - T(1))) / sum, T(0));
  // The scale is a power of two, and most often one.
  return T(0.5) * (log(sum) + lost) - select(scale == T(1), T(0), log(scale));
}

// a u. Of a negative number: pi on x. Of zero: no vector.
template <class T>
Vec3<T> log_vector(const Quat<T>& q) {
  const Vec3<T> v = q.vector();
  const T scale = square_scale(v);
  const Vec3<T> scaled = scale * v;
  const T sine = length(scaled), zero = T(0);
  const auto real = is_zero(v);
  const T angle = select(is_zero(q), zero, atan2(sine / scale, q.w));
  const T factor = angle / select(real, T(1), sine);
  return select(real, Vec3<T>{angle, zero, zero}, factor * scaled);
}

// Of zero: -inf and no vector.
template <class T>
Quat<T> log(const Quat<T>& q) {
  return quat_from(log_vector(q), log_length(q));
}

// e^w (cos|v| + v sin|v| / |v|), v the vector part.
template <class T>
Quat<T> exp(const Quat<T>& q) {
  const Vec3<T> v = q.vector();
  const T angle = any_length(v), length = exp(q.w);
  const auto real = angle == T(0);
  const SinCos<T> of_angle = sincos(angle);
  const T factor = length * select(real, T(1), of_angle.sin / select(real, T(1), angle));
  // Zeros stay zeros times an infinite length.
  const auto times = [&](T x) { return select(x == T(0), x, factor * x); };
  return {times(v.x), times(v.y), times(v.z), length * of_angle.cos};
}

// exp(t log q). Zero to the power of zero is one, as for numbers.
template <class T>
Quat<T> power(const Quat<T>& q, T t) {
  const Quat<T> none = {T(0), T(0), T(0), T(1)};
  return select(is_zero(q) & (t == T(0)), none, exp(t * log(q)));
}

LISSOM_MATH_END
