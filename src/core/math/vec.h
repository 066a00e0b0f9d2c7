// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/scalar.h"

LISSOM_MATH_BEGIN

template <class T>
struct Vec3 {
  T x, y, z;
};

template <class T>
constexpr Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
constexpr Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
constexpr Vec3<T> operator-(const Vec3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
constexpr Vec3<T> operator*(T s, const Vec3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
// By components: as a scale acts.
template <class T>
constexpr Vec3<T> operator*(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

template <class T>
constexpr T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
constexpr Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T length(const Vec3<T>& a) {
  return sqrt(dot(a, a));
}
// NaN for the zero vector: it has no direction.
template <class T>
Vec3<T> normalized(const Vec3<T>& a) {
  return (T(1) / length(a)) * a;
}
// NaN is not zero.
template <class T>
constexpr auto is_zero(const Vec3<T>& a) {
  return (a.x == T(0)) & (a.y == T(0)) & (a.z == T(0));
}
// The same two for vectors of any size, from the smallest number to the largest.
template <class T>
T square_scale(const Vec3<T>& a) {
  return square_scale(max(max(abs(a.x), abs(a.y)), abs(a.z)));
}
template <class T>
T any_length(const Vec3<T>& a) {
  const T scale = square_scale(a);
  return reciprocal_of_scale(scale) * length(scale * a);
}
template <class T>
Vec3<T> direction(const Vec3<T>& a) {
  const Vec3<T> scaled = square_scale(a) * a;
  const T size = length(scaled);  // quotients: on an axis they are exactly 1
  return {scaled.x / size, scaled.y / size, scaled.z / size};
}
template <class T>
constexpr Vec3<T> lerp(const Vec3<T>& a, const Vec3<T>& b, T t) {
  return (T(1) - t) * a + t * b;
}

// `a` where `condition` holds, else `b`.
template <class Condition, class T>
constexpr Vec3<T> select(const Condition& condition, const Vec3<T>& a, const Vec3<T>& b) {
  return {select(condition, a.x, b.x), select(condition, a.y, b.y), select(condition, a.z, b.z)};
}

// Some unit vector perpendicular to `unit`: the cross product with the axis it is farthest from.
template <class T>
Vec3<T> perpendicular(const Vec3<T>& unit) {
  const T x = abs(unit.x), y = abs(unit.y), z = abs(unit.z), zero = T(0), one = T(1);
  const auto by_x = (x <= y) & (x <= z);
  const auto by_y = y <= z;
  const Vec3<T> axis = select(by_x, Vec3<T>{one, zero, zero},
                              select(by_y, Vec3<T>{zero, one, zero}, Vec3<T>{zero, zero, one}));
  return normalized(cross(unit, axis));
}

// The same vector in another precision.
template <class To, class From>
constexpr Vec3<To> cast(const Vec3<From>& a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}

LISSOM_MATH_END
