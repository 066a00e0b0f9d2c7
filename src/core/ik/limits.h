// SPDX-License-Identifier: MIT
#pragma once

// Joint limits: rotations clamped to them, and their distance from them. For *_kernels.cpp files only, like the lanes
// it is written for.

#include "core/ik/ik_plan.h"
#include "core/math/quat.h"
#include "core/simd/lanes.h"

// For long functions that are called in many places: inlined in all of them, solvers would double the size of a wheel.
#define LISSOM_NOINLINE __attribute__((noinline))

namespace lissom::LISSOM_ISA {
namespace {

constexpr double kPi = 3.14159265358979323846;
// A joint nearer to a limit than this counts as limited, radians. Clamping in float leaves 1e-6.
constexpr double kAtLimit = 1e-4;

template <class T>
LISSOM_INLINE Quat<Lanes<T>> broadcast(const double (&q)[4]) {
  return {static_cast<T>(q[0]), static_cast<T>(q[1]), static_cast<T>(q[2]), static_cast<T>(q[3])};
}
template <class T>
LISSOM_INLINE Vec3<Lanes<T>> broadcast(const double (&v)[3]) {
  return {static_cast<T>(v[0]), static_cast<T>(v[1]), static_cast<T>(v[2])};
}
template <class T>
LISSOM_INLINE Lanes<T> lanes_of(double number) {
  return static_cast<T>(number);
}

template <class T>
LISSOM_INLINE SinCos<Lanes<T>> broadcast(const IkLimit::HalfAngle& half) {
  return {lanes_of<T>(half.sin), lanes_of<T>(half.cos)};
}

// A rotation about z: z and w of its quaternion.
template <class L>
struct AboutZ {
  L z, w;
};
template <class L>
LISSOM_INLINE AboutZ<L> operator*(const AboutZ<L>& a, const AboutZ<L>& b) {
  return {a.w * b.z + a.z * b.w, a.w * b.w - a.z * b.z};
}

// The twist of e about z, unit, w >= 0; the identity where it is undefined: the swing is half a turn.
template <class L>
LISSOM_INLINE AboutZ<L> twist_of(const Quat<L>& e) {
  const L size = sqrt(e.z * e.z + e.w * e.w);
  const auto is_lost = size <= L(4 * Limits<L>::kEpsilon);
  const L divisor = copysign(select(is_lost, L(1), size), e.w);
  return {select(is_lost, L(0), e.z / divisor), select(is_lost, L(1), abs(e.w / divisor))};
}

// Whether half an angle is above half of a bound, both in [0, pi/2]: sin(half - bound) > 0. In float neither cosine nor
// sine alone distinguishes angles, the one near 0 (by 5e-4 radians), the other near half a turn.
template <class L>
LISSOM_INLINE auto is_above(const L& sin_half, const L& cos_half, const SinCos<L>& bound) {
  return sin_half * bound.cos > cos_half * bound.sin;
}

// Clamped to the range about z.
template <class T>
LISSOM_INLINE AboutZ<Lanes<T>> clamped_twist(const AboutZ<Lanes<T>>& twist, const IkLimit& limit) {
  using L = Lanes<T>;
  if (limit.half_range >= kPi) return twist;
  const SinCos<L> middle = broadcast<T>(limit.half_middle), range = broadcast<T>(limit.half_of_range);
  const AboutZ<L> from_middle = AboutZ<L>{-middle.sin, middle.cos} * twist;
  const L z = select(from_middle.w < L(0), -from_middle.z, from_middle.z), w = abs(from_middle.w);
  const Mask<T> is_outside = is_above(abs(z), w, range);
  return AboutZ<L>{middle.sin, middle.cos} *
         AboutZ<L>{select(is_outside, copysign(range.sin, z), z), select(is_outside, range.cos, w)};
}

template <class L>
struct Vec2 {
  L x, y;
};

// The point nearest to `p` of the ellipse with these half axes along x and y, not 0 and not equal: (a u, b v), where
// u = a px / (s + a^2 - b^2) and v = b py / s are a unit vector for one s > 0 (D. Eberly, "Distance from a point to an
// ellipse", 2013; a the longer, p in the first quadrant). Newton's steps on 1 / |(u, v)| rise to that s without passing
// it (as for trust regions: Moré and Sorensen 1983) from where neither part is above 1. Mostly 4 do; the 16 are for
// flat ellipses (1:1e6) and points off their ends. Inside, near the middle, it may be farther than the nearest.
template <class T>
LISSOM_INLINE Vec2<Lanes<T>> nearest_on_ellipse(const Vec2<Lanes<T>>& p, const double (&half)[2]) {
  using L = Lanes<T>;
  constexpr int kSteps = 16;
  const bool is_wide = half[0] > half[1];
  const double a = is_wide ? half[0] : half[1], b = is_wide ? half[1] : half[0];
  const L least = L(Limits<T>::kSmallest), difference = lanes_of<T>((a - b) * (a + b));
  const L x = lanes_of<T>(a) * abs(is_wide ? p.x : p.y), y = lanes_of<T>(b) * abs(is_wide ? p.y : p.x);
  L s = max(max(y, x - difference), least);
  L u = L(0), v = L(0), norm = L(1);
  Mask<T> is_done = L(0) != L(0);
  for (int step = 0;; ++step) {
    u = x / (s + difference), v = y / s;
    const L square = u * u + v * v;
    norm = sqrt(square);
    is_done = is_done | (norm <= L(1 + 4 * Limits<T>::kEpsilon));
    if (step == kSteps || !any(!is_done)) break;
    const L slope = u * u / (s + difference) + v * v / s;
    s = select(is_done, s, s + (norm - L(1)) * square / max(slope, least));
  }
  const Mask<T> is_on_axis = y <= least;  // inside the evolute the nearest point lies off the axis still
  u = min(u, L(1)), v = select(is_on_axis, sqrt(max(L(1) - u * u, L(0))), v);
  norm = sqrt(u * u + v * v);
  const L on_a = lanes_of<T>(a) * u / norm, on_b = lanes_of<T>(b) * v / norm;
  return {copysign(is_wide ? on_a : on_b, p.x), copysign(is_wide ? on_b : on_a, p.y)};
}

// The rotation vector of a swing, (x, y, 0) radians; `e` has z = 0 and w >= 0.
template <class T>
LISSOM_INLINE Vec2<Lanes<T>> swing_vector(const Quat<Lanes<T>>& e) {
  using L = Lanes<T>;
  const L sine = sqrt(e.x * e.x + e.y * e.y), angle = 2 * atan2(sine, e.w);
  const Mask<T> is_small = sine <= L(Limits<T>::kSmallest);
  const L factor = select(is_small, L(2), angle / select(is_small, L(1), sine));
  return {factor * e.x, factor * e.y};
}

LISSOM_INLINE bool is_round(const IkLimit& limit) { return limit.half_angles[0] == limit.half_angles[1]; }

// The swing nearest to `e` (z = 0, w >= 0) that the limit allows.
template <class T>
LISSOM_NOINLINE Quat<Lanes<T>> clamped_elliptic_swing(const Quat<Lanes<T>>& e, const IkLimit& limit) {
  using L = Lanes<T>;
  const L a = lanes_of<T>(limit.half_angles[0]), b = lanes_of<T>(limit.half_angles[1]);
  const Vec2<L> v = swing_vector<T>(e);
  const L x = v.x * b, y = v.y * a;
  const Mask<T> is_outside = x * x + y * y > a * a * b * b;
  if (!any(is_outside)) return e;
  const Vec2<L> nearest = nearest_on_ellipse<T>(v, limit.half_angles);
  const L angle = sqrt(nearest.x * nearest.x + nearest.y * nearest.y);
  const SinCos<L> half = sincos(L(T(0.5)) * angle);
  const L factor = half.sin / max(angle, L(Limits<T>::kSmallest));
  return select(is_outside, Quat<L>{factor * nearest.x, factor * nearest.y, L(0), half.cos}, e);
}
template <class T>
LISSOM_INLINE Quat<Lanes<T>> clamped_swing(const Quat<Lanes<T>>& e, const IkLimit& limit) {
  using L = Lanes<T>;
  if (is_round(limit)) {
    if (limit.half_angles[0] >= kPi) return e;
    const SinCos<L> most = broadcast<T>(limit.half_of_cone);
    const L sine = sqrt(e.x * e.x + e.y * e.y);
    const Mask<T> is_outside = is_above(sine, e.w, most);
    const L factor = select(is_outside, most.sin / select(is_outside, sine, L(1)), L(1));
    return {factor * e.x, factor * e.y, L(0), select(is_outside, most.cos, e.w)};
  }
  return clamped_elliptic_swing<T>(e, limit);
}

// A local rotation in the axes of its limit: the identity at rest.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> in_limit(const IkLimit& limit, const Quat<Lanes<T>>& q) {
  return conjugate(broadcast<T>(limit.parent_from_limit)) * q * broadcast<T>(limit.joint_from_limit);
}
template <class T>
LISSOM_INLINE Quat<Lanes<T>> from_limit(const IkLimit& limit, const Quat<Lanes<T>>& e) {
  return broadcast<T>(limit.parent_from_limit) * e * conjugate(broadcast<T>(limit.joint_from_limit));
}

// The swing of e = swing twist: z = 0, w >= 0.
template <class L>
LISSOM_INLINE Quat<L> swing_of(const Quat<L>& e, const AboutZ<L>& twist) {
  const Quat<L> swing = {e.x * twist.w - e.y * twist.z, e.y * twist.w + e.x * twist.z, L(0),
                         e.w * twist.w + e.z * twist.z};
  return select(swing.w < L(0), -swing, swing);
}

// The local rotation nearest to `q` that the limit allows, unit: swing and twist are clamped separately. `q` must be
// unit; where it is allowed, it is returned up to rounding.
template <class T>
LISSOM_NOINLINE Quat<Lanes<T>> clamped(const IkLimit& limit, const Quat<Lanes<T>>& q) {
  using L = Lanes<T>;
  if (limit.kind == LimitKind::kNone) return q;
  const Quat<L> e = in_limit<T>(limit, q);
  const AboutZ<L> free_twist = twist_of(e);
  const AboutZ<L> twist = clamped_twist<T>(free_twist, limit);
  if (limit.kind == LimitKind::kHinge) {
    return normalized(from_limit<T>(limit, Quat<L>{L(0), L(0), twist.z, twist.w}));
  }
  const Quat<L> swing = clamped_swing<T>(swing_of(e, free_twist), limit);
  return normalized(from_limit<T>(limit, swing * Quat<L>{L(0), L(0), twist.z, twist.w}));
}

// The distance of a rotation that a limit allows from the nearest bound of it, radians.
template <class T>
LISSOM_NOINLINE Lanes<T> distance_to_limit(const IkLimit& limit, const Quat<Lanes<T>>& q) {
  using L = Lanes<T>;
  L least = lanes_of<T>(kPi);
  if (limit.kind == LimitKind::kNone) return least;
  const Quat<L> e = in_limit<T>(limit, q);
  const AboutZ<L> twist = twist_of(e);
  if (limit.half_range < kPi) {
    const SinCos<L> middle = broadcast<T>(limit.half_middle);
    const AboutZ<L> from_middle = AboutZ<L>{-middle.sin, middle.cos} * twist;
    least = min(least, lanes_of<T>(limit.half_range) - 2 * atan2(abs(from_middle.z), abs(from_middle.w)));
  }
  if (limit.kind == LimitKind::kCone && !(is_round(limit) && limit.half_angles[0] >= kPi)) {
    const Vec2<L> v = swing_vector<T>(swing_of(e, twist));
    if (is_round(limit)) {
      least = min(least, lanes_of<T>(limit.half_angles[0]) - sqrt(v.x * v.x + v.y * v.y));
    } else {
      const Vec2<L> edge = nearest_on_ellipse<T>(v, limit.half_angles);
      const L dx = edge.x - v.x, dy = edge.y - v.y;
      least = min(least, sqrt(dx * dx + dy * dy));
    }
  }
  return least;
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
