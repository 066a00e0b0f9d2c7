// SPDX-License-Identifier: MIT
#pragma once

// Rotations by what they do to a direction, without angles. For *_kernels.cpp files only.

#include "core/ik/limits.h"
#include "core/math/quat.h"
#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// The turn about z by the angle whose sine and cosine are given up to a common factor, w >= 0; none where both are 0.
template <class L>
LISSOM_INLINE AboutZ<L> half_of_turn(const L& sine, const L& cosine) {
  const L size = sqrt(sine * sine + cosine * cosine), sum = size + abs(cosine);
  const auto is_blunt = cosine < L(0), is_lost = size <= L(Limits<L>::kSmallest);
  const L z = select(is_blunt, copysign(sum, sine), sine), w = select(is_blunt, abs(sine), sum);
  const L norm = select(is_lost, L(1), sqrt(z * z + w * w));
  return {select(is_lost, L(0), z / norm), select(is_lost, L(1), w / norm)};
}
template <class L>
LISSOM_INLINE Quat<L> turn_about(const Vec3<L>& unit_axis, const L& sine, const L& cosine) {
  const AboutZ<L> half = half_of_turn(sine, cosine);
  return quat_from(half.z * unit_axis, half.w);
}

// a / |a|, or `other` where |a| <= least.
template <class L>
LISSOM_INLINE Vec3<L> direction_or(const Vec3<L>& a, const L& size, const L& least, const Vec3<L>& other) {
  const auto is_lost = size <= least;
  const L divisor = select(is_lost, L(1), size);
  return select(is_lost, other, Vec3<L>{a.x / divisor, a.y / divisor, a.z / divisor});
}

// The part of `a` at a right angle to `unit`.
template <class L>
LISSOM_INLINE Vec3<L> across(const Vec3<L>& a, const Vec3<L>& unit) {
  return a - dot(a, unit) * unit;
}
// The same, unit; any such direction where nothing is left of a unit `a`.
template <class L>
LISSOM_INLINE Vec3<L> unit_across(const Vec3<L>& a, const Vec3<L>& unit) {
  const Vec3<L> rest = across(a, unit);
  return direction_or(rest, length(rest), L(1e-4), perpendicular(unit));
}

// As quat_from_to, but opposite directions turn about what is left of `about` (unit) at a right angle to them.
template <class L>
LISSOM_INLINE Quat<L> turn_to(const Vec3<L>& unit_from, const Vec3<L>& unit_to, const Vec3<L>& about) {
  const Vec3<L> half_way = unit_from + unit_to;
  const auto is_blunt = dot(unit_from, unit_to) < L(0);
  const Vec3<L> sine = cross(unit_from, select(is_blunt, half_way, unit_to));
  const L twice_cosine = length(half_way);
  const auto is_opposite = is_blunt & (length(sine) <= L(4 * Limits<L>::kEpsilon));
  const L divisor = select(is_opposite, L(1), twice_cosine);
  const Quat<L> q = {sine.x / divisor, sine.y / divisor, sine.z / divisor, L(0.5) * twice_cosine};
  const Quat<L> turn = normalized(q);
  if (!any(is_opposite)) return turn;
  return select(is_opposite, quat_from(unit_across(about, unit_from), L(0)), turn);
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
