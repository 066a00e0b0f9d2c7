// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/axis_angle.h"

LISSOM_MATH_BEGIN

// The shortest rotation that takes direction `unit_from` to `unit_to`: with h = from + to, the vector half way,
// (from x h) / |h| and |h| / 2. Opposite directions rotate by pi about perpendicular(unit_from).
template <class T>
Quat<T> quat_from_to(const Vec3<T>& unit_from, const Vec3<T>& unit_to) {
  const Vec3<T> half_way = unit_from + unit_to;
  // from x to. The sum of nearly opposite directions is exact, and the rounding of a product with it is as small as
  // that is.
  const auto blunt = dot(unit_from, unit_to) < T(0);
  const Vec3<T> sine = cross(unit_from, select(blunt, half_way, unit_to));
  const T twice_cosine = length(half_way);  // of half the angle
  const auto opposite = blunt & (length(sine) <= T(4 * Limits<T>::kEpsilon));
  const T divisor = select(opposite, T(1), twice_cosine);
  const Quat<T> q = {sine.x / divisor, sine.y / divisor, sine.z / divisor, T(0.5) * twice_cosine};
  return select(opposite, quat_from(perpendicular(unit_from), T(0)), normalized(q));
}

// The rotation that takes +z to `unit_forward` and +y as near to `unit_up` as it can; where those two are
// parallel, the shortest from +z. No choice is continuous for all such directions; this one is but at -z, where
// it is a half turn about y.
template <class T>
Quat<T> quat_look(const Vec3<T>& unit_forward, const Vec3<T>& unit_up) {
  const T zero = T(0), one = T(1);
  const Vec3<T> z = unit_forward, side = cross(unit_up, z);
  const auto parallel = length(side) <= T(4 * Limits<T>::kEpsilon);
  Vec3<T> x = direction(side);
  x = direction(x - dot(x, z) * z);  // the cross product of near directions is not at a right angle
  const Quat<T> q = quat_from(mat3_from_columns(x, cross(z, x), z));
  return select(parallel, quat_from_to(Vec3<T>{zero, zero, one}, z), q);
}

template <class T>
struct SwingTwist {
  Quat<T> swing, twist;
};

// q = swing twist: the twist rotates about `unit_axis`, the swing about an axis perpendicular to it. The twist is
// unit, its w >= 0, the same for q and -q; the swing has the length and the sign of q. Where the swing is half a
// turn any twist would do (with another swing): it is the identity.
template <class T>
SwingTwist<T> swing_twist(const Quat<T>& q, const Vec3<T>& unit_axis) {
  const Quat<T> scaled = within_squares(q);
  const T projection = dot(scaled.vector(), unit_axis), w = scaled.w;
  const T size = sqrt(projection * projection + w * w);
  const auto half_turn = size <= T(4 * Limits<T>::kEpsilon) * length(scaled);
  const auto negative = (w < T(0)) | ((w == T(0)) & (projection < T(0)));
  const T divisor = select(half_turn, T(1), size);
  const T sine = select(negative, -projection, projection) / divisor;
  const Quat<T> twist = select(half_turn, Quat<T>::identity(), quat_from(sine * unit_axis, abs(w) / divisor));
  return {q * conjugate(twist), twist};
}

LISSOM_MATH_END
