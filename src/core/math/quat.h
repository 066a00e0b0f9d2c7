// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/mat3.h"
#include "core/math/vec.h"

LISSOM_MATH_BEGIN

// q = x i + y j + z k + w. Functions say in their parameter names where they need a unit quaternion.
template <class T>
struct Quat {
  T x, y, z, w;
  static constexpr Quat identity() { return {0, 0, 0, 1}; }
  constexpr Vec3<T> vector() const { return {x, y, z}; }
};

template <class T>
constexpr Quat<T> quat_from(const Vec3<T>& vector, T w) {
  return {vector.x, vector.y, vector.z, w};
}

template <class T>
constexpr Quat<T> operator+(const Quat<T>& a, const Quat<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
template <class T>
constexpr Quat<T> operator-(const Quat<T>& a, const Quat<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}
template <class T>
constexpr Quat<T> operator-(const Quat<T>& a) {
  return {-a.x, -a.y, -a.z, -a.w};
}
template <class T>
constexpr Quat<T> operator*(T s, const Quat<T>& a) {
  return {s * a.x, s * a.y, s * a.z, s * a.w};
}

// Hamilton's product: rotates by b first, then by a.
template <class T>
constexpr Quat<T> operator*(const Quat<T>& a, const Quat<T>& b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,  //
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,  //
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,  //
          a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

template <class T>
constexpr T dot(const Quat<T>& a, const Quat<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
// The inverse of a unit quaternion.
template <class T>
constexpr Quat<T> conjugate(const Quat<T>& q) {
  return {-q.x, -q.y, -q.z, q.w};
}
template <class T>
T length(const Quat<T>& q) {
  return sqrt(dot(q, q));
}
// NaN for zero: it is no rotation.
template <class T>
Quat<T> normalized(const Quat<T>& q) {
  return (T(1) / length(q)) * q;
}

// NaN is not zero.
template <class T>
constexpr auto is_zero(const Quat<T>& q) {
  return is_zero(q.vector()) & (q.w == T(0));
}
// For quaternions of any size, from the smallest number to the largest.
template <class T>
T square_scale(const Quat<T>& q) {
  return square_scale(max(max(abs(q.x), abs(q.y)), max(abs(q.z), abs(q.w))));
}
// A multiple of q, by a power of two, whose squares neither overflow nor vanish.
template <class T>
Quat<T> within_squares(const Quat<T>& q) {
  return square_scale(q) * q;
}
// q / |q|; NaN for zero and where a number is infinite.
template <class T>
Quat<T> direction(const Quat<T>& q) {
  const Quat<T> scaled = within_squares(q);
  const T found = length(scaled), size = found + T(0) * found;  // of infinity NaN
  // Quotients round less than products with 1 / size.
  return {scaled.x / size, scaled.y / size, scaled.z / size, scaled.w / size};
}
// q* / |q|^2; NaN for zero.
template <class T>
Quat<T> inverse(const Quat<T>& q) {
  const T scale = square_scale(q);
  const Quat<T> scaled = scale * q;
  return scale * ((T(1) / dot(scaled, scaled)) * conjugate(scaled));
}

// q p q* without the two products: with u the vector part, p + 2 w (u x p) + 2 u x (u x p).
template <class T>
constexpr Vec3<T> rotate(const Quat<T>& unit, const Vec3<T>& p) {
  const Vec3<T> u = unit.vector();
  const Vec3<T> uv = T(2) * cross(u, p);
  return p + unit.w * uv + cross(u, uv);
}

// `a` where `condition` holds, else `b`.
template <class Condition, class T>
constexpr Quat<T> select(const Condition& condition, const Quat<T>& a, const Quat<T>& b) {
  return {select(condition, a.x, b.x), select(condition, a.y, b.y), select(condition, a.z, b.z),
          select(condition, a.w, b.w)};
}

// Rotation by `angle` radians about a unit axis, right-handed.
template <class T>
Quat<T> quat_from_axis_angle(const Vec3<T>& unit_axis, T angle) {
  const SinCos<T> half = sincos(T(0.5) * angle);
  return quat_from(half.sin * unit_axis, half.cos);
}

// The exponential map: rotation by |v| radians about v.
template <class T>
Quat<T> quat_from_rotation_vector(const Vec3<T>& v) {
  const T angle = any_length(v);
  const SinCos<T> half = sincos(T(0.5) * angle);
  // sin(a/2)/a -> 1/2; below this the next term, a^2/48, is under half an ulp.
  const auto small = angle < Limits<T>::kEpsilon;
  const T factor = select(small, T(0.5), half.sin / select(small, T(1), angle));
  return quat_from(factor * v, half.cos);
}

// b, or -b where that is nearer to a: the same rotation with coherent sign.
template <class T>
constexpr Quat<T> aligned(const Quat<T>& b, const Quat<T>& a) {
  return select(dot(a, b) < T(0), -b, b);
}

// Normalised linear interpolation without a change of sign. Same path as slerp, not the same speed.
template <class T>
Quat<T> nlerp_as_given(const Quat<T>& unit_a, const Quat<T>& unit_b, T t) {
  return normalized((T(1) - t) * unit_a + t * unit_b);
}
// The same on the shorter arc.
template <class T>
Quat<T> nlerp(const Quat<T>& unit_a, const Quat<T>& unit_b, T t) {
  return nlerp_as_given(unit_a, aligned(unit_b, unit_a), t);
}

// `between`, but a and b to the last bit, their zeros' signs too, where t is 0 and 1; unless it is NaN.
template <class T>
constexpr Quat<T> with_ends(const Quat<T>& a, const Quat<T>& b, T t, const Quat<T>& between) {
  const auto known = between.w == between.w;
  return select((t == T(0)) & known, a, select((t == T(1)) & known, b, between));
}

// Spherical linear interpolation on the shorter arc, at constant speed (Shoemake 1985).
template <class T>
Quat<T> slerp(const Quat<T>& unit_a, const Quat<T>& unit_b, T t) {
  const Quat<T> b = aligned(unit_b, unit_a);
  // Accurate for small angles too, where acos(dot) is not:
  // tan(theta / 2) = |a - b| / |a + b|, theta <= pi / 2.
  const Quat<T> difference = unit_a - b, sum_ab = unit_a + b;
  const T rise = dot(difference, difference), run = dot(sum_ab, sum_ab), height = sqrt(rise),
          width = sqrt(run);
  const T theta = T(2) * atan2(height, width);
  const SinCos<T> part = sincos(t * theta);
  // cos(theta) = (run - rise) / (run + rise), sin(theta) = area / (run + rise); one quotient serves both.
  const auto still = theta < Limits<T>::kEpsilon;
  const T sum = run + rise, area = T(2) * height * width;
  const T quotient = T(1) / select(still, sum, area * sum);
  // sin(t theta) / sin(theta)
  const T of_b = select(still, t, part.sin * (sum * sum * quotient));
  // sin((1 - t) theta) / sin(theta) = cos(t theta) - cos(theta) sin(t theta) / sin(theta)
  const T of_a = part.cos - select(still, of_b, (run - rise) * area * quotient * of_b);
  return with_ends(unit_a, b, t, of_a * unit_a + of_b * b);
}

// The same without a change of sign, through more than half a turn where their signs say so: a (a* b)^t. From a to
// -a it is a full turn about a's own x axis.
template <class T>
Quat<T> slerp_as_given(const Quat<T>& unit_a, const Quat<T>& unit_b, T t) {
  const T cosine = dot(unit_a, unit_b);
  // The vector part of a* b, as a* a has none: the difference does not cancel.
  const auto far = cosine < T(0);
  const Vec3<T> v = (conjugate(unit_a) * (unit_b + select(far, unit_a, -unit_a))).vector();
  const T sine = any_length(v);
  // Closer to -a than rounding, b has no direction.
  const auto opposite = far & (sine <= T(4 * Limits<T>::kEpsilon)), still = is_zero(v) & !far;
  const Vec3<T> x_axis = {T(1), T(0), T(0)};
  const Vec3<T> axis = select(opposite | still, x_axis, direction(v));
  const SinCos<T> part = sincos(t * atan2(sine, cosine));
  return with_ends(unit_a, unit_b, t, unit_a * quat_from(part.sin * axis, part.cos));
}

// The angle of the rotation between them, whatever their signs, in [0, pi]: of the product a* b, as above.
template <class T>
T angle_between(const Quat<T>& unit_a, const Quat<T>& unit_b) {
  const Quat<T> b = aligned(unit_b, unit_a);
  const Vec3<T> v = (conjugate(unit_a) * (b - unit_a)).vector();
  return T(2) * atan2(any_length(v), dot(unit_a, b));
}

// A zero quaternion is no rotation: it equals no other, nor itself.
template <class T>
auto is_same_rotation(const Quat<T>& unit_a, const Quat<T>& unit_b, T tolerance) {
  return (angle_between(unit_a, unit_b) <= tolerance) & !is_zero(unit_a) & !is_zero(unit_b);
}

template <class T>
constexpr Mat3<T> mat3_from(const Quat<T>& unit) {
  const T x2 = 2 * unit.x, y2 = 2 * unit.y, z2 = 2 * unit.z;
  const T xx = x2 * unit.x, yy = y2 * unit.y, zz = z2 * unit.z;
  const T xy = x2 * unit.y, xz = x2 * unit.z, yz = y2 * unit.z;
  const T wx = x2 * unit.w, wy = y2 * unit.w, wz = z2 * unit.w;
  return {{{1 - (yy + zz), xy - wz, xz + wy},  //
           {xy + wz, 1 - (xx + zz), yz - wx},
           {xz - wy, yz + wx, 1 - (xx + yy)}}};
}

// Of a rotation matrix, some multiple of its quaternion: the largest component times all four (Shepperd 1978), so
// that no angle cancels.
template <class T>
Quat<T> quat_multiple_from(const Mat3<T>& rotation) {
  const auto& m = rotation.m;
  // Four times the square of x, y, z, w.
  const T xx = 1 + m[0][0] - m[1][1] - m[2][2];
  const T yy = 1 - m[0][0] + m[1][1] - m[2][2];
  const T zz = 1 - m[0][0] - m[1][1] + m[2][2];
  const T ww = 1 + m[0][0] + m[1][1] + m[2][2];
  const T xy = m[0][1] + m[1][0], xz = m[0][2] + m[2][0], yz = m[1][2] + m[2][1];
  const T xw = m[2][1] - m[1][2], yw = m[0][2] - m[2][0], zw = m[1][0] - m[0][1];
  const auto by_w = (ww >= xx) & (ww >= yy) & (ww >= zz);
  const auto by_x = (xx >= yy) & (xx >= zz);
  const auto by_y = yy >= zz;
  const Quat<T> q = select(by_y, Quat<T>{xy, yy, yz, yw}, Quat<T>{xz, yz, zz, zw});
  return select(by_w, Quat<T>{xw, yw, zw, ww}, select(by_x, Quat<T>{xx, xy, xz, xw}, q));
}
// Of a rotation matrix; w >= 0.
template <class T>
Quat<T> quat_from(const Mat3<T>& rotation) {
  const Quat<T> q = normalized(quat_multiple_from(rotation));
  return select(q.w < T(0), -q, q);
}

template <class To, class From>
constexpr Quat<To> cast(const Quat<From>& a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z), static_cast<To>(a.w)};
}

LISSOM_MATH_END
