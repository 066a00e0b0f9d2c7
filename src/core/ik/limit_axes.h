// SPDX-License-Identifier: MIT
#pragma once

// Rotation axes of joints, chosen so that each limit bounds the rotation about one of them alone, and which bounds are
// active. For *_kernels.cpp files only.
//
// With z the axis of a cone, z' the swung one, and u the axis of the swing: a rotation about u changes the swing's
// angle and nothing else; one about the bisector h of z and z' changes the twist and not the swing (the twist's rate is
// w.(z + z') / (1 + z.z')); one about u cross h moves along the cone at the same twist.

#include "core/ik/chain_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// Nearer to a limit than this, radians, the bound counts as active: a further step would be clamped.
constexpr double kNearLimit = 1e-3;

template <class T>
struct RotationAxes {
  using L = Lanes<T>;
  Vec3<L> axis[3];  // unit, at right angles; a hinge has the first alone
  L outward[3];     // the sign of rotations that the limit forbids, 0 where it allows both; 2: it allows none
};

template <class T>
LISSOM_INLINE RotationAxes<T> free_axes() {
  using L = Lanes<T>;
  const L zero = L(0), one = L(1);
  return {{{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}, {zero, zero, zero}};
}

// The sign of the end of its range that a rotation about z is at, 0 for neither.
template <class T>
LISSOM_INLINE Lanes<T> end_of_range(const IkLimit& limit, const AboutZ<Lanes<T>>& twist) {
  using L = Lanes<T>;
  if (limit.half_range >= kPi) return L(0);
  if (limit.half_range <= kNearLimit) return L(2);
  const SinCos<L> middle = broadcast<T>(limit.half_middle);
  const AboutZ<L> from_middle = AboutZ<L>{-middle.sin, middle.cos} * twist;
  // The cosine of half the angle, a little before the end.
  const L most = lanes_of<T>(limit.half_of_range.cos + 0.5 * kNearLimit * limit.half_of_range.sin);
  const L side = copysign(copysign(L(1), from_middle.z), from_middle.z * from_middle.w);
  return select(abs(from_middle.w) <= most, side, L(0));
}

// For an elliptic cone: the first axis becomes the one about which the swing's rotation vector moves straight to the
// edge, the last one moves it parallel to the edge. A rotation about u moves that vector by 1 in the direction u, one
// about u cross h by -angle / (2 sin(angle / 2)) perpendicular to it.
template <class T>
LISSOM_INLINE void tilt_to_ellipse(const IkLimit& limit, const Vec2<Lanes<T>>& v, RotationAxes<T>& axes) {
  using L = Lanes<T>;
  const double a = limit.half_angles[0], b = limit.half_angles[1];
  const bool is_line = a <= kNearLimit || b <= kNearLimit;
  const Vec3<L> u = axes.axis[0], w = axes.axis[2];
  const L angle = sqrt(v.x * v.x + v.y * v.y);
  const Mask<T> is_small = angle <= L(T(1e-4));
  const L tangential = select(is_small, L(1), T(0.5) * angle / sin(T(0.5) * select(is_small, L(1), angle)));
  // The gradient of (x / a)^2 + (y / b)^2; of an ellipse that is a line, the direction perpendicular to it.
  const L gradient_x = is_line ? L(a <= b ? 1 : 0) : lanes_of<T>(1 / (a * a)) * v.x;
  const L gradient_y = is_line ? L(a <= b ? 0 : 1) : lanes_of<T>(1 / (b * b)) * v.y;
  L part_u = gradient_x * u.x + gradient_y * u.y,
    part_w = -tangential * (gradient_y * u.x - gradient_x * u.y);
  const L size = sqrt(part_u * part_u + part_w * part_w);
  const Mask<T> is_lost = size <= L(Limits<T>::kSmallest);
  part_u = select(is_lost, L(1), part_u / select(is_lost, L(1), size));
  part_w = select(is_lost, L(0), part_w / select(is_lost, L(1), size));
  axes.axis[0] = part_u * u + part_w * w;
  axes.axis[2] = part_u * w - part_w * u;
  if (is_line) {
    // How a rotation about the last axis moves the vector on the line.
    const L dx = -part_w * u.x + part_u * tangential * u.y, dy = -part_w * u.y - part_u * tangential * u.x;
    const L at = a <= b ? v.y : v.x, rate = a <= b ? dy : dx;
    axes.outward[0] = L(2);
    axes.outward[2] = select(abs(at) >= lanes_of<T>(max(a, b) - kNearLimit), copysign(L(1), at * rate), L(0));
    return;
  }
  const L x = lanes_of<T>(1 / a) * v.x, y = lanes_of<T>(1 / b) * v.y;
  const L most = lanes_of<T>(1 - kNearLimit / min(a, b));
  axes.outward[0] = select(x * x + y * y >= most * most, L(1), L(0));
}

// Of a cone, in the space of its limit.
template <class T>
LISSOM_INLINE RotationAxes<T> cone_axes(const IkLimit& limit, const Quat<Lanes<T>>& e) {
  using L = Lanes<T>;
  const AboutZ<L> twist = twist_of(e);
  const Quat<L> swing = swing_of(e, twist);
  const L sine = sqrt(swing.x * swing.x + swing.y * swing.y);
  const Mask<T> is_lost = sine <= L(T(1e-6));
  const L divisor = select(is_lost, L(1), sine);
  // u; h, half way between z and z': z swung by half the angle.
  const L ux = select(is_lost, L(1), swing.x / divisor), uy = select(is_lost, L(0), swing.y / divisor);
  const L half_sine = select(is_lost, L(0), sine), half_cosine = swing.w;
  const Vec3<L> h = {uy * half_sine, -ux * half_sine, half_cosine};
  RotationAxes<T> axes = {{{ux, uy, L(0)}, h, cross(Vec3<L>{ux, uy, L(0)}, h)}, {L(0), L(0), L(0)}};
  axes.outward[1] = end_of_range<T>(limit, twist);
  const double a = limit.half_angles[0], b = limit.half_angles[1];
  if (a <= kNearLimit && b <= kNearLimit) {
    axes.outward[0] = axes.outward[2] = L(2);
  } else if (is_round(limit)) {
    if (a >= kPi) return axes;
    const L most = lanes_of<T>(limit.half_of_cone.cos + 0.5 * kNearLimit * limit.half_of_cone.sin);
    axes.outward[0] = select(swing.w <= most, L(1), L(0));
  } else {
    tilt_to_ellipse<T>(limit, swing_vector<T>(swing), axes);
  }
  return axes;
}

// Of the current rotation of node `i`, in the base.
template <class T>
LISSOM_INLINE RotationAxes<T> rotation_axes(const ChainLanes<T>& chains, std::size_t i) {
  using L = Lanes<T>;
  const IkLimit& limit = chains.plan.nodes[i].limit;
  if (limit.kind == LimitKind::kNone) return free_axes<T>();
  const NodeLanes<T>& node = chains.nodes[i];
  const Quat<L> e = in_limit<T>(limit, mirrored(node.mirror, node.local));
  RotationAxes<T> axes = free_axes<T>();
  if (limit.kind == LimitKind::kHinge) {
    axes.axis[0] = {L(0), L(0), L(1)};
    axes.outward[0] = end_of_range<T>(limit, twist_of(e));
  } else {
    axes = cone_axes<T>(limit, e);
  }
  const Quat<L> base_from_parent = chains.base_from_parent(i),
                parent_from_limit = broadcast<T>(limit.parent_from_limit);
  for (Vec3<L>& axis : axes.axis) {
    axis = rotate(base_from_parent, chains.axis_in_mirror(i, rotate(parent_from_limit, axis)));
  }
  return axes;
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
