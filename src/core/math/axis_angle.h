// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/quat.h"

LISSOM_MATH_BEGIN

// Of q and -q, the one whose first non-zero component, in the order w, x, y, z, is positive: results then do not depend
// on the sign, half turns included.
template <class T>
Quat<T> canonical(const Quat<T>& q) {
  const T zero = T(0);
  const auto by_y = (q.y < zero) | ((q.y == zero) & (q.z < zero));
  const auto by_x = (q.x < zero) | ((q.x == zero) & by_y);
  const Quat<T> side = select((q.w < zero) | ((q.w == zero) & by_x), -q, q);
  return quat_from(side.vector(), abs(q.w));  // no -0, which atan2 would read as negative
}

// The logarithmic map: axis times angle, the angle in [0, pi] whatever the sign of q. Through tan(angle / 2) =
// |x, y, z| / w, so that q need not be unit and the smallest angles keep full precision. NaN for zero.
template <class T>
Vec3<T> rotation_vector_from(const Quat<T>& q) {
  const Quat<T> p = canonical(within_squares(q));
  const T sine = length(p.vector());
  // 2 atan(s / w) / s -> 2 / w; the next term is (s / w)^2 / 3 of it.
  const auto small = sine < T(Limits<T>::kEpsilon) * p.w;
  const T factor =
      select(small, T(2) / p.w, T(2) * atan2(sine, p.w) / select(small | (sine == T(0)), T(1), sine));
  return factor * p.vector();
}

template <class T>
struct AxisAngle {
  Vec3<T> unit_axis;
  T angle;
};

// The same in two parts; the axis of the identity is x.
template <class T>
AxisAngle<T> axis_angle_from(const Quat<T>& q) {
  const Quat<T> p = canonical(within_squares(q));
  const Vec3<T> u = p.vector();
  const auto still = is_zero(u);
  const Vec3<T> axis = select(still, Vec3<T>{T(1), T(0), T(0)}, direction(u));
  return {axis, T(2) * atan2(any_length(u), p.w)};
}

LISSOM_MATH_END
