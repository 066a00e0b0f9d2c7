// SPDX-License-Identifier: MIT
#pragma once

// The motion of a vertex by each skinning method once its influences are blended. Templates over the scalar, as
// core/math. A motion has, with directions of any length as results:
//   point(p)    a bind position moved
//   vector(v)   a direction within the surface moved (a tangent)
//   normal(n)   a normal moved by the method's own rule: linear blending rotates it by the blended 3x3
//   upright(n)  the same by the cofactor matrix of all that scales, which keeps it perpendicular to the moved triangles,
//               also to mirrored ones; where the cofactor vanishes, by vector()

#include "core/math/dual_quat.h"
#include "core/math/mat4.h"

LISSOM_MATH_BEGIN

// A cofactor that shortens a normal below this share of |S|^2 leaves rounding alone: S collapses the plane
// perpendicular to it.
constexpr float kVanishing = 1e-6f;

// Of one number; of lanes it is an estimate (core/simd/lanes.h).
inline double reciprocal_sqrt(double x) { return 1 / __builtin_sqrt(x); }

// v / |v|; zero stays zero, and vectors too small or too large to square stay finite.
template <class T>
Vec3<T> normalized_or_zero(const Vec3<T>& v) {
  const T square = min(max(dot(v, v), T(Limits<T>::kSmallest)), T(Limits<T>::kLargest));
  return reciprocal_sqrt(square) * v;
}

// Cofactor(S) n, or `otherwise` where that vanishes.
template <class T>
Vec3<T> cofactor_normal(const Mat3<T>& scale, const Vec3<T>& n, const Vec3<T>& otherwise) {
  // Divided by |S|^2, which keeps it near n's length: squares of expressions quadratic in S would leave float's range.
  const Vec3<T> scaled = (T(1) / squared_norm(scale)) * (cofactor(scale) * n);
  return select(dot(scaled, scaled) > T(kVanishing * kVanishing) * dot(n, n), scaled, otherwise);
}

// Linear blend skinning: the weighted mean of the influences' matrices.
template <class T>
struct LinearMotion {
  Affine<T> blend;

  Vec3<T> point(const Vec3<T>& p) const { return transform_point(blend, p); }
  Vec3<T> vector(const Vec3<T>& v) const { return transform_vector(blend, v); }
  Vec3<T> normal(const Vec3<T>& n) const { return vector(n); }
  Vec3<T> upright(const Vec3<T>& n) const { return cofactor_normal(blend.linear(), n, vector(n)); }
};

// Dual quaternion skinning: the weighted sum of the signed dual quaternions, not normalised. With b0 = (w, r) and
// be = (u, d), algorithm 1 of Kavan et al. 2008 becomes
//   p' = p + s (r x (d + w p + r x p) + w d - u r),  s = 2 / |b0|^2:
// everything is quadratic in b, so it needs no square root, unlike transform_point() of a normalised b.
template <class T>
struct DualQuatMotion {
  DualQuat<T> blend;

  T scale() const { return T(2) / dot(blend.real, blend.real); }
  Vec3<T> point(const Vec3<T>& p) const {
    const Vec3<T> r = blend.real.vector(), d = blend.dual.vector();
    const T w = blend.real.w, u = blend.dual.w;
    return p + scale() * (cross(r, d + w * p + cross(r, p)) + w * d - u * r);
  }
  Vec3<T> vector(const Vec3<T>& v) const {
    const Vec3<T> r = blend.real.vector();
    return v + scale() * cross(r, blend.real.w * v + cross(r, v));
  }
  Vec3<T> normal(const Vec3<T>& n) const { return vector(n); }
  Vec3<T> upright(const Vec3<T>& n) const { return vector(n); }
};

// Optimised centres of rotation (Le and Hodgins, ACM TOG 35(4), 2016): the vertex rotates about its centre by the
// weighted sum of the signed rotations, not normalised, and the centre moves by the linear blend of the rigid rows.
template <class T>
struct CorMotion {
  Quat<T> rotation;
  Affine<T> blend;
  Vec3<T> center;

  Vec3<T> point(const Vec3<T>& p) const { return vector(p - center) + transform_point(blend, center); }
  Vec3<T> vector(const Vec3<T>& v) const {
    const Vec3<T> r = rotation.vector();
    return v + (T(2) / dot(rotation, rotation)) * cross(r, rotation.w * v + cross(r, v));
  }
  Vec3<T> normal(const Vec3<T>& n) const { return vector(n); }
  Vec3<T> upright(const Vec3<T>& n) const { return vector(n); }
};

// Two phases: the linear blend of the scales, in bind space, then a rigid motion.
template <class T, class Rigid>
struct ScaledMotion {
  Affine<T> scale;
  Rigid rigid;

  Vec3<T> point(const Vec3<T>& p) const { return rigid.point(transform_point(scale, p)); }
  Vec3<T> vector(const Vec3<T>& v) const { return rigid.vector(transform_vector(scale, v)); }
  Vec3<T> normal(const Vec3<T>& n) const { return rigid.vector(cofactor_normal(scale.linear(), n, n)); }
  Vec3<T> upright(const Vec3<T>& n) const { return normal(n); }
};

// The phase before a rigid motion, in bind space: none, or the linear blend of the scales.
template <class T>
struct NoScale {
  Vec3<T> point(const Vec3<T>& p) const { return p; }
  template <class Rigid>
  Rigid before(const Rigid& rigid) const {
    return rigid;
  }
};
template <class T>
struct LinearScale {
  Affine<T> blend;

  Vec3<T> point(const Vec3<T>& p) const { return transform_point(blend, p); }
  template <class Rigid>
  ScaledMotion<T, Rigid> before(const Rigid& rigid) const {
    return {blend, rigid};
  }
};

// The blend of two motions of the vertex: `amount` 0 is all of the first. Directions are blended as unit vectors.
template <class T, class First, class Second>
struct BlendedMotion {
  First first;
  Second second;
  T amount;

  Vec3<T> lerp(const Vec3<T>& a, const Vec3<T>& b) const { return (T(1) - amount) * a + amount * b; }
  Vec3<T> point(const Vec3<T>& p) const { return lerp(first.point(p), second.point(p)); }
  Vec3<T> vector(const Vec3<T>& v) const {
    return lerp(normalized_or_zero(first.vector(v)), normalized_or_zero(second.vector(v)));
  }
  Vec3<T> normal(const Vec3<T>& n) const {
    return lerp(normalized_or_zero(first.normal(n)), normalized_or_zero(second.normal(n)));
  }
  Vec3<T> upright(const Vec3<T>& n) const {
    return lerp(normalized_or_zero(first.upright(n)), normalized_or_zero(second.upright(n)));
  }
};

template <class T, class First, class Second>
BlendedMotion<T, First, Second> blended(const First& first, const Second& second, T amount) {
  return {first, second, amount};
}

// The unit normal by the motion's rule or by its upright one; zero stays zero. Inlined: a call would store the motion
// in memory, at half a kernel's time.
template <class T, class Motion>
__attribute__((always_inline)) inline Vec3<T> moved_normal(const Motion& motion, const Vec3<T>& normal,
                                                           bool upright) {
  return normalized_or_zero(upright ? motion.upright(normal) : motion.normal(normal));
}

// A tangent perpendicular to the moved unit normal, unit; zero stays zero.
template <class T, class Motion>
Vec3<T> moved_tangent(const Motion& motion, const Vec3<T>& tangent, const Vec3<T>& moved_normal) {
  const Vec3<T> t = normalized_or_zero(motion.vector(tangent));
  return normalized_or_zero(t - dot(t, moved_normal) * moved_normal);
}

LISSOM_MATH_END
