// SPDX-License-Identifier: MIT
#pragma once

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
// Moves by b first, then by a.
template <class T>
constexpr DualQuat<T> operator*(const DualQuat<T>& a, const DualQuat<T>& b) {
  return {a.real * b.real, a.real * b.dual + a.dual * b.real};
}

// The quaternion conjugate q* of both parts: the inverse of a unit dual quaternion.
template <class T>
constexpr DualQuat<T> conjugate(const DualQuat<T>& q) {
  return {conjugate(q.real), conjugate(q.dual)};
}

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

// Divides by |real| and removes from dual what lies along real, so that the
// result is unit in both senses. A blend that is only used to move points needs
// just the division: the vector part of dual real* does not see the rest.
template <class T>
DualQuat<T> normalized(const DualQuat<T>& q) {
  const T inverse_length = T(1) / length(q.real);
  const Quat<T> real = inverse_length * q.real;
  const Quat<T> dual = inverse_length * q.dual;
  return {real, dual - dot(real, dual) * real};
}

template <class T>
constexpr Vec3<T> transform_vector(const DualQuat<T>& unit, const Vec3<T>& v) {
  return rotate(unit.real, v);
}
template <class T>
constexpr Vec3<T> transform_point(const DualQuat<T>& unit, const Vec3<T>& p) {
  return rotate(unit.real, p) + translation(unit);
}

LISSOM_MATH_END
