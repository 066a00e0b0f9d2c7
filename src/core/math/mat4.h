// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/conventions.h"
#include "core/math/mat3.h"
#include "core/math/vec.h"

LISSOM_MATH_BEGIN

// Row-major, with the memory of a (4, 4) array.
template <class T>
struct Mat4 {
  T m[4][4];
  static constexpr Mat4 identity() { return {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}; }
};

// The three upper rows of a Mat4 whose last row is 0, 0, 0, 1.
template <class T>
struct Affine {
  T m[3][4];
  static constexpr Affine identity() { return {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}; }
  constexpr Mat3<T> linear() const {
    return {{{m[0][0], m[0][1], m[0][2]}, {m[1][0], m[1][1], m[1][2]}, {m[2][0], m[2][1], m[2][2]}}};
  }
  constexpr Vec3<T> translation() const { return {m[0][3], m[1][3], m[2][3]}; }
};
static_assert(sizeof(Mat4<float>) == 16 * sizeof(float) && sizeof(Affine<float>) == 12 * sizeof(float));

template <class T>
constexpr Affine<T> affine_from(const Mat3<T>& linear, const Vec3<T>& translation) {
  const auto& a = linear.m;
  return {{{a[0][0], a[0][1], a[0][2], translation.x},
           {a[1][0], a[1][1], a[1][2], translation.y},
           {a[2][0], a[2][1], a[2][2], translation.z}}};
}
// False where it holds NaN.
template <class T>
constexpr auto is_affine(const Mat4<T>& a) {
  const T tolerance = T(kAffineTolerance);
  return (abs(a.m[3][0]) <= tolerance) & (abs(a.m[3][1]) <= tolerance) & (abs(a.m[3][2]) <= tolerance) &
         (abs(a.m[3][3] - T(1)) <= tolerance);
}
// Drops the last row, which must be 0, 0, 0, 1.
template <class T>
constexpr Affine<T> affine_from(const Mat4<T>& a) {
  Affine<T> result{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) result.m[i][j] = a.m[i][j];
  }
  return result;
}
template <class T>
constexpr Mat4<T> mat4_from(const Affine<T>& a) {
  Mat4<T> result = Mat4<T>::identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) result.m[i][j] = a.m[i][j];
  }
  return result;
}

// Applies b first, then a.
template <class T>
constexpr Affine<T> operator*(const Affine<T>& a, const Affine<T>& b) {
  Affine<T> product{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      product.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    }
    product.m[i][3] += a.m[i][3];
  }
  return product;
}
template <class T>
constexpr Vec3<T> transform_point(const Affine<T>& a, const Vec3<T>& p) {
  return a.linear() * p + a.translation();
}
template <class T>
constexpr Vec3<T> transform_vector(const Affine<T>& a, const Vec3<T>& v) {
  return a.linear() * v;
}
// Infinite or NaN where the linear part is singular: check its determinant first.
template <class T>
constexpr Affine<T> inverse(const Affine<T>& a) {
  const Mat3<T> linear = inverse(a.linear());
  return affine_from(linear, -(linear * a.translation()));
}

template <class To, class From>
constexpr Affine<To> cast(const Affine<From>& a) {
  return affine_from(cast<To>(a.linear()), cast<To>(a.translation()));
}

LISSOM_MATH_END
