// SPDX-License-Identifier: MIT
#pragma once

// Rotations between directions, without angles. For *_kernels.cpp files only.

#include "core/ik/limits.h"
#include "core/math/quat.h"
#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// The rotation about z by the angle whose sine and cosine are given up to a common factor, w >= 0; the identity where
// both are 0.
template <class L>
LISSOM_INLINE AboutZ<L> rotation_about_z(const L& sine, const L& cosine) {
  const L size = sqrt(sine * sine + cosine * cosine), sum = size + abs(cosine);
  const auto is_blunt = cosine < L(0), is_lost = size <= L(Limits<L>::kSmallest);
  const L z = select(is_blunt, copysign(sum, sine), sine), w = select(is_blunt, abs(sine), sum);
  const L norm = select(is_lost, L(1), sqrt(z * z + w * w));
  return {select(is_lost, L(0), z / norm), select(is_lost, L(1), w / norm)};
}
// The same about any axis.
template <class L>
LISSOM_INLINE Quat<L> rotation_about(const Vec3<L>& unit_axis, const L& sine, const L& cosine) {
  const AboutZ<L> half = rotation_about_z(sine, cosine);
  return quat_from(half.z * unit_axis, half.w);
}

// a / |a|, or `fallback` where |a| = `size` <= `least`.
template <class L>
LISSOM_INLINE Vec3<L> direction_or(const Vec3<L>& a, const L& size, const L& least, const Vec3<L>& fallback) {
  const auto is_lost = size <= least;
  // One quotient instead of three: they are what vectors are slowest at.
  return select(is_lost, fallback, (L(1) / select(is_lost, L(1), size)) * a);
}

// The component of `a` perpendicular to `unit`.
template <class L>
LISSOM_INLINE Vec3<L> perpendicular_part(const Vec3<L>& a, const Vec3<L>& unit) {
  return a - dot(a, unit) * unit;
}
// The same, normalised; perpendicular(unit) where a unit `a` is parallel to `unit`.
template <class L>
LISSOM_INLINE Vec3<L> unit_perpendicular_part(const Vec3<L>& a, const Vec3<L>& unit) {
  const Vec3<L> rest = perpendicular_part(a, unit);
  const L size = length(rest), least = L(1e-4);
  // Rarely; to find it takes as long as all else.
  const bool is_parallel = any(size <= least);
  return direction_or(rest, size, least, __builtin_expect(is_parallel, false) ? perpendicular(unit) : unit);
}

// As quat_from_to, up to a factor, at least 1e-7 or so, but between opposite directions about the component of `axis` (unit)
// perpendicular to them.
template <class L>
LISSOM_INLINE Quat<L> arc_between(const Vec3<L>& unit_from, const Vec3<L>& unit_to, const Vec3<L>& axis) {
  // With h the sum, |h| = 2 cos(a / 2) of the angle a: the rotation times |h| is (sin(a) u, |h|^2 / 2).
  const Vec3<L> half_way = unit_from + unit_to;
  const auto is_blunt = dot(unit_from, unit_to) < L(0);
  const Vec3<L> sine = cross(unit_from, select(is_blunt, half_way, unit_to));
  constexpr double kOpposite = 4.0 * Limits<L>::kEpsilon;
  const auto is_opposite = is_blunt & (dot(sine, sine) <= L(kOpposite * kOpposite));
  const Quat<L> arc = quat_from(sine, L(0.5) * dot(half_way, half_way));
  if (__builtin_expect(!any(is_opposite), true)) return arc;
  return select(is_opposite, quat_from(unit_perpendicular_part(axis, unit_from), L(0)), arc);
}
// The same, a unit quaternion.
template <class L>
LISSOM_INLINE Quat<L> rotation_between(const Vec3<L>& unit_from, const Vec3<L>& unit_to,
                                       const Vec3<L>& axis) {
  return normalized(arc_between(unit_from, unit_to, axis));
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
