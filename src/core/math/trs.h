// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/conventions.h"
#include "core/math/mat4.h"
#include "core/math/quat.h"

LISSOM_MATH_BEGIN

// One row of a pose: p' = translation + rotate(rotation, scale * p). Arrays of poses may be reinterpreted as
// this. A product of two is in general no Trs, for it can have shear: compose as Affine, or use compose().
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
template <class T>
constexpr Vec3<T> transform_vector(const Trs<T>& trs, const Vec3<T>& v) {
  return rotate(trs.rotation, trs.scale * v);
}

// Translation and scale at constant speed, the rotation by slerp on the shorter arc. The ends are exact.
template <class T>
Trs<T> lerp(const Trs<T>& a, const Trs<T>& b, T t) {
  return {lerp(a.translation, b.translation, t), slerp(a.rotation, b.rotation, t), lerp(a.scale, b.scale, t)};
}
// The same without a change of sign of the rotations.
template <class T>
Trs<T> lerp_as_given(const Trs<T>& a, const Trs<T>& b, T t) {
  return {lerp(a.translation, b.translation, t), slerp_as_given(a.rotation, b.rotation, t),
          lerp(a.scale, b.scale, t)};
}

// A Trs, and what of the matrix it stands for it cannot hold.
template <class T>
struct Sheared {
  Trs<T> trs;
  T shear;    // the largest entry that it cannot hold, in the axes of trs.rotation
  T largest;  // the largest of |trs.scale|: the unit of the shear
};

// Whether that is more than rounding. Unit quaternions are rounded, so the axes of their matrices are orthogonal to a
// few places only, and a product of some dozens of quarter turns misses the axes by as many: 64 last places, 8e-6 in
// float and 1.4e-14 in double.
template <class Product>
auto is_sheared(const Product& product) {
  using T = decltype(product.shear);
  return product.shear > T(64 * Limits<T>::kEpsilon) * product.largest;
}
template <class T>
T relative_shear(const Sheared<T>& product) {
  return select(product.shear == 0, T(0), product.shear / product.largest);
}

// diag(s) R(q) diag(b) as a rotation and a scale to its right, and what those cannot hold.
//
// diag(s) R = R D with D = R^T diag(s) R, diagonal where s is the same along axes that R mixes: for uniform scales, for
// R = 1 and for quarter turns. If it is not, mirrors may be the reason. With G the signs of s and R' = G R G, a
// rotation as G is its own inverse, diag(s) R = R' (R'^T diag|s| R') G, whose diagonal has the same sizes: R' is R
// mirrored: a rotation about (x, y, z) becomes one about (gy gz x, gz gx y, gx gy z).
template <class T>
struct MovedScale {
  Quat<T> rotation;
  Vec3<T> scale;
  T shear, largest;  // as in Sheared
};
template <class T>
MovedScale<T> move_scale(const Vec3<T>& s, const Quat<T>& q, const Vec3<T>& b) {
  const Mat3<T> r = mat3_from(normalized(q));
  const Vec3<T> x = r.column(0), y = r.column(1), z = r.column(2);
  const Vec3<T> size = {abs(s.x), abs(s.y), abs(s.z)}, kept = {abs(b.x), abs(b.y), abs(b.z)};
  // D_yz, D_xz and D_xy, each times the larger of the two scales that it is multiplied by.
  const Vec3<T> met = {max(kept.y, kept.z), max(kept.x, kept.z), max(kept.x, kept.y)};
  const auto off_diagonal = [&](const Vec3<T>& d) {
    return max(max(abs(dot(d * y, z)) * met.x, abs(dot(d * x, z)) * met.y), abs(dot(d * x, y)) * met.z);
  };
  // A uniform scale is kept to the bit.
  const auto diagonal = [&](const Vec3<T>& d) {
    const auto is_uniform = (d.x == d.y) & (d.y == d.z);
    return b * select(is_uniform, d, Vec3<T>{dot(d * x, x), dot(d * y, y), dot(d * z, z)});
  };
  const auto largest = [](const Vec3<T>& d) { return max(max(abs(d.x), abs(d.y)), abs(d.z)); };
  const Vec3<T> sign = {copysign(T(1), s.x), copysign(T(1), s.y), copysign(T(1), s.z)};
  const Quat<T> mirrored = {sign.y * sign.z * q.x, sign.z * sign.x * q.y, sign.x * sign.y * q.z, q.w};
  const MovedScale<T> plain = {q, diagonal(s), off_diagonal(s), largest(diagonal(s))};
  const MovedScale<T> other = {mirrored, sign * diagonal(size), off_diagonal(size), largest(diagonal(size))};
  const auto by_mirror = is_sheared(plain) & (other.shear < plain.shear);
  return {select(by_mirror, other.rotation, plain.rotation), select(by_mirror, other.scale, plain.scale),
          select(by_mirror, other.shear, plain.shear), select(by_mirror, other.largest, plain.largest)};
}

// Applies b first, then a: Ra diag(sa) Rb diag(sb), the scale of a moved to the right of the rotation of b.
template <class T>
Sheared<T> compose(const Trs<T>& a, const Trs<T>& b) {
  const MovedScale<T> moved = move_scale(a.scale, b.rotation, b.scale);
  return {{transform_point(a, b.translation), a.rotation * moved.rotation, moved.scale},
          moved.shear,
          moved.largest};
}

// The inverse: diag(1/s) R^T, the scale moved to the right of the rotation. Infinite or NaN where a scale is zero.
template <class T>
Sheared<T> inverse(const Trs<T>& trs) {
  const Vec3<T> s = {T(1) / trs.scale.x, T(1) / trs.scale.y, T(1) / trs.scale.z};
  const Quat<T> back = conjugate(trs.rotation);
  const MovedScale<T> moved = move_scale(s, back, Vec3<T>{T(1), T(1), T(1)});
  return {{-(s * rotate(back, trs.translation)), moved.rotation, moved.scale}, moved.shear, moved.largest};
}

// The same as a matrix, which can hold the shear.
template <class T>
Affine<T> inverse_affine_from(const Trs<T>& trs) {
  const Mat3<T> back = transpose(mat3_from(trs.rotation));
  const Vec3<T> s = {T(1) / trs.scale.x, T(1) / trs.scale.y, T(1) / trs.scale.z};
  const Mat3<T> linear = mat3_from_columns(s * back.column(0), s * back.column(1), s * back.column(2));
  return affine_from(linear, -(linear * trs.translation));
}

LISSOM_MATH_END
