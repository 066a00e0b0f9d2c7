// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/axis_angle.h"

LISSOM_MATH_BEGIN

// Three rotations about fixed axes, one after another: about `first`, `second`, then about `first` again where `proper`
// (Euler angles), else about the remaining axis (Tait-Bryan angles). Axes are 0, 1, 2 for x, y, z, the others 0 or 1,
// and all are numbers, so that sequences are operands and need no code of their own. `intrinsic`: about the rotated
// axes, which is the same in reverse order: the axes are stored in that order, `first` being the last, and angles are
// in the order of the user.
template <class T>
struct EulerSequence {
  T first, second, proper, intrinsic;

  T third() const { return T(3) - first - second; }  // the axis that is neither
  // +1 where first, second, third are a cyclic permutation of x, y, z, else -1.
  T sign() const {
    const T l = third();
    return T(0.5) * (first - second) * (second - l) * (l - first);
  }
  auto is_proper() const { return proper != T(0); }
  auto is_intrinsic() const { return intrinsic != T(0); }
};
template <class T>
EulerSequence(T, T, T, T) -> EulerSequence<T>;

// The component of a vector on `axis`, and a vector from its components on first, second and third.
template <class T>
T component(const Vec3<T>& v, T axis) {
  return select(axis == T(0), v.x, select(axis == T(1), v.y, v.z));
}
template <class T>
Vec3<T> from_components(const EulerSequence<T>& s, const Vec3<T>& v) {
  const auto on = [&](T axis) { return select(s.first == axis, v.x, select(s.second == axis, v.y, v.z)); };
  return {on(T(0)), on(T(1)), on(T(2))};
}

// Unit. Angles in radians.
template <class T>
Quat<T> quat_from_euler(const Vec3<T>& angles, const EulerSequence<T>& s) {
  const auto swap = s.is_intrinsic();
  const SinCos<T> a = sincos(T(0.5) * select(swap, angles.z, angles.x)), b = sincos(T(0.5) * angles.y),
                  c = sincos(T(0.5) * select(swap, angles.x, angles.z));
  // The product of the first two rotations, by its components on first, second, third.
  const T i = b.cos * a.sin, j = b.sin * a.cos, l = -s.sign() * (b.sin * a.sin), w = b.cos * a.cos;
  // Times the last rotation, about first or about third.
  const auto proper = s.is_proper();
  const T si = s.sign() * select(proper, -l, -j), sj = s.sign() * select(proper, j, i);
  const Vec3<T> vector_part =
      select(proper, Vec3<T>{c.cos * i + c.sin * w, c.cos * j + c.sin * si, c.cos * l + c.sin * sj},
             Vec3<T>{c.cos * i + c.sin * si, c.cos * j + c.sin * sj, c.cos * l + c.sin * w});
  return quat_from(from_components(s, vector_part), c.cos * w - c.sin * select(proper, i, l));
}

// In [-pi, pi], from [-2 pi, 2 pi].
template <class T>
T wrapped(T angle) {
  // 2 pi in two parts, the first exact: so is the difference with it.
  constexpr double kFirst = 6.28125, kRest = 0.0019353071795864769;
  const T pi = T(3.14159265358979323846);
  const T over = (angle - T(kFirst)) - T(kRest), under = (angle + T(kFirst)) + T(kRest);
  return select(angle > pi, over, select(angle < -pi, under, angle));
}

// Angles in radians, of a quaternion of any length but zero, the same for q and -q: the first and the third in [-pi,
// pi], the second in [-pi/2, pi/2], or in [0, pi] where proper. In gimbal lock the third is 0, and the rotation is
// kept. Bernardes and Viollet, Quaternion to Euler angles conversion, PLoS ONE 17(11), 2022. There the second angle is
// twice an arc tangent minus pi / 2, which cancels for small angles; here it is computed from its own tangent.
template <class T>
Vec3<T> euler_from(const Quat<T>& any, const EulerSequence<T>& s) {
  const Quat<T> q = canonical(within_squares(any));
  const T i = component(q.vector(), s.first), j = component(q.vector(), s.second),
          l = s.sign() * component(q.vector(), s.third());
  const auto proper = s.is_proper();
  const T a = select(proper, q.w, q.w - j), b = select(proper, i, i + l);
  const T c = select(proper, j, q.w + j), d = select(proper, l, l - i);
  const T cosine = sqrt(a * a + b * b), sine = sqrt(c * c + d * d);  // of half the angle that is 0 to pi
  const T sum = cosine + sine;
  // Minus pi / 2: its half has the tangent (sine - cosine) / (sine + cosine).
  const T middle =
      T(2) * atan2(select(proper, sine, T(4) * (q.w * j - i * l)), select(proper, cosine, sum * sum));
  // The quotient may round past the end of the range.
  const T end = T(1.57079632679489661923);
  const T second = select(proper, middle, select(middle > end, end, select(middle < -end, -end, middle)));
  // Below the roundings of a unit quaternion, only the sum or the difference of first and last is known.
  const T lock = T(8 * Limits<T>::kEpsilon) * sum;
  const auto low = sine <= lock, high = cosine <= lock, swap = s.is_intrinsic();
  // The free difference is chosen such that the user's third angle is 0.
  const T known_sum = atan2(b, a), known_difference = atan2(d, c);
  const T half_sum = select(high, select(swap, known_difference, -known_difference), known_sum);
  const T half_difference = select(low, select(swap, known_sum, -known_sum), known_difference);
  const T first = wrapped(half_sum - half_difference), last = wrapped(half_sum + half_difference);
  const T signed_last = select(proper, last, s.sign() * last);
  return {select(swap, signed_last, first), second, select(swap, first, signed_last)};
}

LISSOM_MATH_END
