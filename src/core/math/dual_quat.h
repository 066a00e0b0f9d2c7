// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/mat4.h"
#include "core/math/quat.h"

LISSOM_MATH_BEGIN

// A rigid transform q = real + eps dual, eps^2 = 0 (Kavan
// et al. 2008). Unit: |real| = 1 and <real, dual> = 0.
template <class T>
struct DualQuat {
  Quat<T> real, dual;
  static constexpr DualQuat identity() { return {{0, 0, 0, 1}, {0, 0, 0, 0}}; }
};

template <class T>
constexpr DualQuat<T> operator+(const DualQuat<T>& a, const DualQuat<T>& b) {
  return {a.real + b.real, a.dual + b.dual};
}
template <class T>
constexpr DualQuat<T> operator-(const DualQuat<T>& a) {
  return {-a.real, -a.dual};
}
template <class T>
constexpr DualQuat<T> operator*(T s, const DualQuat<T>& a) {
  return {s * a.real, s * a.dual};
}
// Applies b first, then a.
template <class T>
constexpr DualQuat<T> operator*(const DualQuat<T>& a, const DualQuat<T>& b) {
  return {a.real * b.real, a.real * b.dual + a.dual * b.real};
}

template <class Condition, class T>
constexpr DualQuat<T> select(const Condition& condition, const DualQuat<T>& a, const DualQuat<T>& b) {
  return {select(condition, a.real, b.real), select(condition, a.dual, b.dual)};
}

// The quaternion conjugate q* of both parts: the inverse of a unit dual quaternion.
template <class T>
constexpr DualQuat<T> conjugate(const DualQuat<T>& q) {
  return {conjugate(q.real), conjugate(q.dual)};
}
// The conjugate as a dual number, real - eps dual.
template <class T>
constexpr DualQuat<T> dual_conjugate(const DualQuat<T>& q) {
  return {q.real, -q.dual};
}
// Both. With p the point 1 + eps (x i + y j + z k), q p times this is the moved point.
template <class T>
constexpr DualQuat<T> combined_conjugate(const DualQuat<T>& q) {
  return {conjugate(q.real), -conjugate(q.dual)};
}

// b, or -b where its real part is nearer to that of a: the same transform with coherent sign.
template <class T>
constexpr DualQuat<T> aligned(const DualQuat<T>& b, const DualQuat<T>& a) {
  return select(dot(a.real, b.real) < T(0), -b, b);
}

// q* / (q q*), where q q* = |real|^2 + 2 eps <real, dual>. NaN where the real part is zero.
template <class T>
DualQuat<T> inverse(const DualQuat<T>& q) {
  const T up = square_scale(q.real);
  const Quat<T> real = up * q.real;
  const T scale = T(1) / dot(real, real);
  const Quat<T> dual = scale * (up * q.dual);
  const T twice_dual_part = T(2) * scale * dot(real, dual);
  return {up * (scale * conjugate(real)), up * (conjugate(dual) - twice_dual_part * conjugate(real))};
}

// q / sqrt(q q*), which is unit in both senses: divides by |real|, then removes from dual the component parallel to
// real. NaN where the real part is zero. A blend that is only used to move points needs just the division: the vector
// part of dual real* does not depend on that component.
template <class T>
DualQuat<T> normalized(const DualQuat<T>& q) {
  const DualQuat<T> scaled = square_scale(q.real) * q;
  const T inverse_length = T(1) / length(scaled.real);
  const Quat<T> real = inverse_length * scaled.real, dual = inverse_length * scaled.dual;
  return {real, dual - dot(real, dual) * real};
}

// ---- To and from other forms of rigid transforms. ----

// p' = rotate(rotation, p) + translation.
template <class T>
constexpr DualQuat<T> dual_quat_from(const Quat<T>& unit_rotation, const Vec3<T>& translation) {
  return {unit_rotation, quat_from(T(0.5) * translation, T(0)) * unit_rotation};
}

// t = 2 dual real*.
template <class T>
constexpr Vec3<T> translation(const DualQuat<T>& unit) {
  return T(2) * (unit.dual * conjugate(unit.real)).vector();
}

template <class T>
constexpr Affine<T> affine_from(const DualQuat<T>& unit) {
  return affine_from(mat3_from(unit.real), translation(unit));
}
template <class T>
DualQuat<T> dual_quat_from(const Affine<T>& rigid) {
  return dual_quat_from(quat_from(rigid.linear()), rigid.translation());
}

// How far a matrix is from a rigid transform: the root of the summed squares of R^T R - 1 and of the last row
// minus 0, 0, 0, 1; at least 2 where it mirrors.
template <class T>
T rigid_error(const Mat4<T>& a) {
  const Mat3<T> linear = affine_from(a).linear();
  T sum = a.m[3][0] * a.m[3][0] + a.m[3][1] * a.m[3][1] + a.m[3][2] * a.m[3][2] +
          (a.m[3][3] - T(1)) * (a.m[3][3] - T(1));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const T off = dot(linear.column(i), linear.column(j)) - T(i == j ? 1 : 0);
      sum = sum + off * off;
    }
  }
  const T error = sqrt(sum);
  return select((determinant(linear) < T(0)) & (error < T(2)), T(2), error);
}

// ---- Points. ----

template <class T>
constexpr Vec3<T> transform_vector(const DualQuat<T>& unit, const Vec3<T>& v) {
  return rotate(unit.real, v);
}
// With u and d the vector parts: p + 2 u x (u x p + w p + d) + 2 (w d - dw u) (Kavan et al. 2008, algorithm 1).
template <class T>
constexpr Vec3<T> transform_point(const DualQuat<T>& unit, const Vec3<T>& p) {
  const Vec3<T> u = unit.real.vector(), d = unit.dual.vector();
  const T w = unit.real.w;
  const Vec3<T> half_change = cross(u, cross(u, p) + w * p + d);
  return p + T(2) * (half_change + (w * d - unit.dual.w * u));
}

// ---- Comparison. ----

// No component differs by more than `tolerance`; dual parts relative to their length above 1.
template <class T>
auto is_near(const DualQuat<T>& a, const DualQuat<T>& b, T tolerance) {
  const auto within = [](const Quat<T>& p, const Quat<T>& q, T bound) {
    return (abs(p.x - q.x) <= bound) & (abs(p.y - q.y) <= bound) & (abs(p.z - q.z) <= bound) &
           (abs(p.w - q.w) <= bound);
  };
  const T size = max(T(1), max(length(a.dual), length(b.dual)));
  return within(a.real, b.real, tolerance) & within(a.dual, b.dual, tolerance * size);
}

// Their rotations differ by `tolerance` radians at most, their translations by that share of the longer one or,
// where both are shorter than 1, by `tolerance`.
template <class T>
auto is_same_transform(const DualQuat<T>& unit_a, const DualQuat<T>& unit_b, T tolerance) {
  const Vec3<T> a = translation(unit_a), b = translation(unit_b);
  const T size = max(T(1), max(length(a), length(b)));
  return is_same_rotation(unit_a.real, unit_b.real, tolerance) & (length(a - b) <= tolerance * size);
}

LISSOM_MATH_END
