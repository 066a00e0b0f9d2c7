// SPDX-License-Identifier: MIT
#pragma once

// Rigid motions as screws: logarithm, exponential, powers and the path between two of them. With a unit dual
// quaternion's real = (v, w), dual = (dv, dw), s = |v| = sin h and w = cos h, the motion rotates by 2 h about the
// line with direction l = v / s and translates by d = -2 dw / s along it.

#include "core/math/dual_quat.h"

LISSOM_MATH_BEGIN

// Polynomials by Chebyshev's fit in 60 digits; relative errors below 6e-18 and 9e-9, which is less than the last
// place of the result. Coefficients of z^0 first.
namespace series {
// (s sqrt(1 - s^2) - asin(s)) / s^3 of z = s^2 up to 1/64
inline constexpr double kLog[] = {
    -0.66666666666666666738,  -0.19999999999999550802,  -0.10714285714745377726, -0.069444442681747693203,
    -0.049716230638452585184, -0.037830525352562960517, -0.031464227678016244944};
inline constexpr float kLogFloat[] = {-0.66666667508587743931f, -0.19999030710306607624f,
                                      -0.10879119490770371067f};
inline constexpr double kLogEnd = 0.015625;
// (h cos h - sin h) / h^3 of z = h^2 up to 1/16
inline constexpr double kExp[] = {-0.33333333333333332975, 0.033333333333330464224, -0.0011904761901089311181,
                                  0.000022045838924642968992, -2.5022014661791586651e-7};
inline constexpr float kExpFloat[] = {-0.33333333316531589463f, 0.033333284942401039709f,
                                      -0.0011884110421101257402f};
inline constexpr double kExpEnd = 0.0625;
}  // namespace series

// Half the screw's dual angle times its line, scalars 0: exp() of it is the motion. h is in [0, pi], the sign of q
// decides: a motion by more than pi stays one.
//   real: v h / s    dual: l d / 2 + (dv - l <l, dv>) h / s
// With d / 2 = w <l, dv> - s dw, both weighted by their precision of d, and without division by s where v is short:
//   dual: dv h / s + v (<v, dv> (s w - h) / s^3 - dw)
// Where the dual part is not exactly orthogonal to the real one, this is the log of the normalised dual quaternion.
// Where v is zero and w < 0, a full turn, any line would do: it takes the direction of the translation, or x
// where there is none. Vectors whose squares vanish count as zero.
template <class T>
DualQuat<T> log(const DualQuat<T>& unit) {
  const Vec3<T> v = unit.real.vector(), dv = unit.dual.vector();
  const T w = unit.real.w, zero = T(0), one = T(1);
  const T z = dot(v, v), s = sqrt(z);
  const auto is_still = z < T(Limits<T>::kSmallest), is_negative = w < zero;
  const T h = atan2(s, w);
  const T ratio = select(is_still, one, h / select(is_still, one, s));
  // The quotient's error, an ulp of 1 / s^2, is below one of the sum: its factors v and <v, dv> are of order s.
  const T quotient = (s * w - h) / select(is_still, one, z * s);
  T fitted;
  if constexpr (Limits<T>::kEpsilon < 1e-10)
    fitted = polynomial(series::kLog, z);
  else
    fitted = polynomial(series::kLogFloat, z);
  const T rest = select((z < T(series::kLogEnd)) & (w > zero), fitted, quotient);
  Vec3<T> real = ratio * v, dual = ratio * dv + (dot(v, dv) * rest - unit.dual.w) * v;

  const auto is_whole_turn = is_still & is_negative;
  if (any(is_whole_turn)) {
    const T shift = dot(dv, dv);
    const auto is_shift = shift >= T(Limits<T>::kSmallest);
    const Vec3<T> direction = (T(-1) / select(is_shift, sqrt(shift), one)) * dv;
    const T pi = T(3.14159265358979323846);
    real = select(is_whole_turn, pi * select(is_shift, direction, Vec3<T>{one, zero, zero}), real);
    dual = select(is_whole_turn, -dv, dual);
  }
  return {quat_from(real, zero), quat_from(dual, zero)};
}

// The motion of log's result; scalars are ignored. With a and b the vector parts and h = |a|:
//   real: (a sin(h) / h, cos h)    dual: (b sin(h) / h + a <a, b> (h cos h - sin h) / h^3, -<a, b> sin(h) / h)
template <class T>
DualQuat<T> exp(const DualQuat<T>& pure) {
  const Vec3<T> a = pure.real.vector(), b = pure.dual.vector();
  const T z = dot(a, a), h = sqrt(z), one = T(1);
  const SinCos<T> of_h = sincos(h);
  const auto is_still = h == T(0);
  const T ratio = select(is_still, one, of_h.sin / select(is_still, one, h));
  const auto is_small = z < T(series::kExpEnd);
  const T quotient = (of_h.cos - ratio) / select(is_small, one, z);
  T fitted;
  if constexpr (Limits<T>::kEpsilon < 1e-10)
    fitted = polynomial(series::kExp, z);
  else
    fitted = polynomial(series::kExpFloat, z);
  const T rest = select(is_small, fitted, quotient);
  const T a_dot_b = dot(a, b);
  return {quat_from(ratio * a, of_h.cos), quat_from(ratio * b + (a_dot_b * rest) * a, -a_dot_b * ratio)};
}

// The same screw by t times its angle and its shift, q's sign as given.
template <class T>
DualQuat<T> power(const DualQuat<T>& unit, T t) {
  return exp(t * log(unit));
}

// a (a* b)^t, the screw from a to b at constant speed, b's sign as given. Computed from the nearer end, which is
// exact to the bit.
template <class T>
DualQuat<T> sclerp_as_given(const DualQuat<T>& unit_a, const DualQuat<T>& unit_b, T t) {
  const DualQuat<T> log_ab = log(conjugate(unit_a) * unit_b);
  const auto from_a = t <= T(0.5);
  return select(from_a, unit_a, unit_b) * exp(select(from_a, t, t - T(1)) * log_ab);
}
// The same on the shorter arc.
template <class T>
DualQuat<T> sclerp(const DualQuat<T>& unit_a, const DualQuat<T>& unit_b, T t) {
  return sclerp_as_given(unit_a, aligned(unit_b, unit_a), t);
}

// The line by its direction and moment p x direction, p any point of it (Pluecker), the angle in radians and the
// translation along the line (Daniilidis 1999, whose d it is).
template <class T>
struct Screw {
  Vec3<T> axis, moment;
  T angle, pitch;
};

// The angle is in [0, pi]. Of a translation (a vector in the real part whose square vanishes): angle and moment 0,
// the axis along it; of no motion at all the axis is x.
template <class T>
Screw<T> screw_from(const DualQuat<T>& unit) {
  const T zero = T(0), one = T(1);
  const DualQuat<T> q = select(unit.real.w < zero, -unit, unit);
  const Vec3<T> v = q.real.vector(), dv = q.dual.vector();
  const T z = dot(v, v), s = sqrt(z);
  const auto is_straight = z < T(Limits<T>::kSmallest);
  const T safe = select(is_straight, one, s);
  const Vec3<T> screw_axis = (one / safe) * v;
  const Vec3<T> shift_axis = select(is_zero(dv), Vec3<T>{one, zero, zero}, direction(dv));
  const Vec3<T> axis = select(is_straight, shift_axis, screw_axis);
  // <dv, l> = w d / 2 and dw = -s d / 2. Both weighted by their precision of d, so that no angle loses it.
  const T axis_dot_dv = dot(axis, dv);
  const T pitch = T(2) * (q.real.w * axis_dot_dv - s * q.dual.w);
  const Vec3<T> moment = (one / safe) * (dv - axis_dot_dv * axis);
  return {axis, select(is_straight, Vec3<T>{zero, zero, zero}, moment),
          select(is_straight, zero, T(2) * atan2(s, q.real.w)),
          select(is_straight, T(2) * any_length(dv), pitch)};
}

// The axis may have any length but zero (then NaN): it and the moment share it. The component of the moment
// parallel to the axis is no part of a line and is dropped.
template <class T>
DualQuat<T> dual_quat_from(const Screw<T>& screw) {
  const T up = square_scale(screw.axis), scale = T(1) / length(up * screw.axis);
  const Vec3<T> axis = scale * (up * screw.axis), given = scale * (up * screw.moment);
  const Vec3<T> moment = given - dot(axis, given) * axis;
  const SinCos<T> half = sincos(T(0.5) * screw.angle);
  const T shift = T(0.5) * screw.pitch;
  return {quat_from(half.sin * axis, half.cos),
          quat_from(half.sin * moment + (shift * half.cos) * axis, -shift * half.sin)};
}

LISSOM_MATH_END
