// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/vec.h"

LISSOM_MATH_BEGIN

// The linear part of a transform, row-major.
template <class T>
struct Mat3 {
  T m[3][3];
  static constexpr Mat3 identity() { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
  constexpr Vec3<T> row(int i) const { return {m[i][0], m[i][1], m[i][2]}; }
  constexpr Vec3<T> column(int j) const { return {m[0][j], m[1][j], m[2][j]}; }
};

template <class T>
constexpr Mat3<T> mat3_from_columns(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) {
  return {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

template <class T>
constexpr Vec3<T> operator*(const Mat3<T>& a, const Vec3<T>& v) {
  return {dot(a.row(0), v), dot(a.row(1), v), dot(a.row(2), v)};
}
template <class T>
constexpr Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> product{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      product.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    }
  }
  return product;
}
template <class T>
constexpr Mat3<T> operator*(T s, const Mat3<T>& a) {
  Mat3<T> result{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result.m[i][j] = s * a.m[i][j];
  }
  return result;
}
template <class T>
constexpr Mat3<T> operator+(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> sum{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) sum.m[i][j] = a.m[i][j] + b.m[i][j];
  }
  return sum;
}
template <class T>
constexpr Mat3<T> operator-(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> difference{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) difference.m[i][j] = a.m[i][j] - b.m[i][j];
  }
  return difference;
}

template <class T>
constexpr Mat3<T> transpose(const Mat3<T>& a) {
  return {{{a.m[0][0], a.m[1][0], a.m[2][0]},
           {a.m[0][1], a.m[1][1], a.m[2][1]},
           {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}
template <class T>
constexpr T determinant(const Mat3<T>& a) {
  return dot(a.row(0), cross(a.row(1), a.row(2)));
}
// The largest |entry| of A - 1; NaN is ignored.
template <class T>
constexpr T largest_off_identity(const Mat3<T>& a) {
  T largest = T(0);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) largest = max(abs(i == j ? a.m[i][j] - T(1) : a.m[i][j]), largest);
  }
  return largest;
}
// The squared Frobenius norm.
template <class T>
constexpr T squared_norm(const Mat3<T>& a) {
  return dot(a.row(0), a.row(0)) + dot(a.row(1), a.row(1)) + dot(a.row(2), a.row(2));
}
// det(A) A^-T, which exists for every A: its rows are cross products of A's. Normals are moved by it.
template <class T>
constexpr Mat3<T> cofactor(const Mat3<T>& a) {
  const Vec3<T> x = cross(a.row(1), a.row(2)), y = cross(a.row(2), a.row(0)), z = cross(a.row(0), a.row(1));
  return {{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}}};
}
// Infinite or NaN where det(A) is zero: check determinant() first.
template <class T>
constexpr Mat3<T> inverse(const Mat3<T>& a) {
  return (T(1) / determinant(a)) * transpose(cofactor(a));
}

template <class To, class From>
constexpr Mat3<To> cast(const Mat3<From>& a) {
  Mat3<To> result{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result.m[i][j] = static_cast<To>(a.m[i][j]);
  }
  return result;
}

LISSOM_MATH_END
