// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/conventions.h"
#include "core/math/mat4.h"
#include "core/math/quat.h"

LISSOM_MATH_BEGIN

// One row of a pose: p' = translation + rotate(rotation, scale * p). Arrays of poses may be reinterpreted as
// this. A product of two is in general no Trs (it can have shear): compose as Affine.
template <class T>
struct Trs {
  Vec3<T> translation;
  Quat<T> rotation;
  Vec3<T> scale;
  static constexpr Trs identity() { return {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}; }
};
static_assert(sizeof(Trs<float>) == kTrsScalars * sizeof(float));
static_assert(sizeof(Trs<double>) == kTrsScalars * sizeof(double));

// The rotation must be unit.
template <class T>
constexpr Affine<T> affine_from(const Trs<T>& trs) {
  const Mat3<T> r = mat3_from(trs.rotation);
  const Vec3<T> s = trs.scale;
  return affine_from(mat3_from_columns(s.x * r.column(0), s.y * r.column(1), s.z * r.column(2)),
                     trs.translation);
}

template <class T>
constexpr Vec3<T> transform_point(const Trs<T>& trs, const Vec3<T>& p) {
  return trs.translation + rotate(trs.rotation, trs.scale * p);
}

LISSOM_MATH_END
