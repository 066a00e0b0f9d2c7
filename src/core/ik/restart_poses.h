// SPDX-License-Identifier: MIT
#pragma once

// Poses that solvers restart from once they are stuck: chains aimed at their target and bent as limbs bend, then
// samples of all that limits allow. They depend on the number of the attempt and on the joint, never on the item or its
// lane. For *_kernels.cpp files only.

#include "core/ik/chain_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// In [0, 1), a hash of two numbers by the finaliser of MurmurHash3.
LISSOM_INLINE double hashed_number(std::uint32_t attempt, std::uint32_t salt) {
  std::uint32_t h = attempt * 0x9e3779b9u + salt * 0x85ebca6bu;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return static_cast<double>((h ^ (h >> 16)) >> 8) * 0x1p-24;
}
template <class T>
LISSOM_INLINE Lanes<T> hashed_numbers(const Lanes<T>& attempt, std::uint32_t salt) {
  Lanes<T> numbers = T(0);
  for (int lane = 0; lane < Lanes<T>::kCount; ++lane) {
    numbers.v[lane] = static_cast<T>(hashed_number(static_cast<std::uint32_t>(attempt.v[lane]), salt));
  }
  return numbers;
}

template <class L>
LISSOM_INLINE Quat<L> about_z(const L& angle) {
  const SinCos<L> half = sincos(L(0.5) * angle);
  return {L(0), L(0), half.sin, half.cos};
}

// Whether no joint above a node rotates: its chains are aimed as a whole.
LISSOM_INLINE bool is_uppermost(const IkPlan& plan, std::size_t i) {
  for (std::int32_t above = plan.nodes[i].parent; above >= 0; above = plan.nodes[above].parent) {
    if (plan.nodes[above].rotates) return false;
  }
  return plan.nodes[i].rotates != 0;
}

// The local rotation that restart poses are rotated from: the rest pose, but the input for an uppermost joint without
// limit, whose rest says nothing of how the character stands.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> unbent_rotation(const ChainLanes<T>& chains, std::size_t i) {
  const IkNode& node = chains.plan.nodes[i];
  const bool is_aimed = node.limit.kind == LimitKind::kNone && is_uppermost(chains.plan, i);
  return is_aimed ? mirrored(chains.nodes[i].mirror, chains.nodes[i].input) : broadcast<T>(node.rest);
}

// A sample within the limit of a node; without one, up to 2.5 rad from rest about any axis.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> sampled_rotation(const ChainLanes<T>& chains, std::size_t i,
                                              const Lanes<T>& attempt) {
  using L = Lanes<T>;
  const IkNode& node = chains.plan.nodes[i];
  constexpr double kMostSwing = 2, kMostTwist = 0.5, kMostAngle = 2.5;
  const IkLimit& limit = node.limit;
  const auto salt = 3 * static_cast<std::uint32_t>(node.joint);
  const L first = hashed_numbers<T>(attempt, salt), second = hashed_numbers<T>(attempt, salt + 1);
  const L third = hashed_numbers<T>(attempt, salt + 2);
  const L azimuth = lanes_of<T>(2 * kPi) * first;
  if (limit.kind == LimitKind::kHinge) {
    const L range = lanes_of<T>(min(limit.half_range, kPi));
    // A third of the samples at an end: poses nearest to targets out of reach are there.
    const L share = min(max(3 * first - L(T(1.5)), L(-1)), L(1));
    return from_limit<T>(limit, about_z<L>(lanes_of<T>(limit.middle) + range * share));
  }
  const SinCos<L> heading = sincos(azimuth);
  if (limit.kind == LimitKind::kNone) {
    const L z = 2 * second - 1, flat = sqrt(max(1 - z * z, L(0)));
    const Vec3<L> axis = {flat * heading.cos, flat * heading.sin, z};
    return unbent_rotation(chains, i) * quat_from_axis_angle(axis, lanes_of<T>(kMostAngle) * third);
  }
  const L size = sqrt(second);
  const Vec3<L> swing = {size * lanes_of<T>(min(limit.half_angles[0], kMostSwing)) * heading.cos,
                         size * lanes_of<T>(min(limit.half_angles[1], kMostSwing)) * heading.sin, L(0)};
  const bool is_bounded = limit.half_range < kPi;
  const L range = lanes_of<T>(is_bounded ? limit.half_range : kMostTwist);
  const L twist = lanes_of<T>(is_bounded ? limit.middle : 0) + range * (2 * third - 1);
  return from_limit<T>(limit, quat_from_rotation_vector(swing) * about_z<L>(twist));
}

// Bends every joint by the same angle, so that the chain spans the distance to its target: the arc of a circle,
// chord / arc = 1 - angle^2 / 24 + ...
template <class T>
LISSOM_INLINE Quat<Lanes<T>> bent_rotation(const ChainLanes<T>& chains, std::size_t i) {
  using L = Lanes<T>;
  const IkPlan& plan = chains.plan;
  const IkNode& node = plan.nodes[i];
  const auto e = static_cast<std::size_t>(plan.below[node.below_begin]);
  const auto top = static_cast<std::size_t>(plan.tops[e]);
  int joints = 0;
  for (std::int32_t k = plan.effectors[e]; k > plan.tops[e]; k = plan.nodes[k].parent)
    joints += plan.nodes[k].rotates;
  const L distance =
      length(chains.effectors[e].target_base - chains.nodes[top].position_base) * chains.model_scale;
  const L size = chains.effectors[e].chain_length;
  const L share = distance / select(size > L(0), size, L(1));
  const L angle = i == top ? L(0) : sqrt(24 * max(1 - share, L(0))) / L(max(joints, 1));
  return unbent_rotation(chains, i) * quat_from_axis_angle(broadcast<T>(node.bend_axis_joint), angle);
}

// The shortest rotation between two vectors of any length; the identity where one is zero.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> shortest_rotation(const Vec3<Lanes<T>>& from, const Vec3<Lanes<T>>& to) {
  using L = Lanes<T>;
  const L size = length(from) * length(to);
  const Mask<T> is_lost = size <= L(Limits<T>::kSmallest);
  const Vec3<L> x_axis = {L(1), L(0), L(0)};
  const Vec3<L> a = select(is_lost, x_axis, from), b = select(is_lost, x_axis, to);
  return quat_from_to((1 / length(a)) * a, (1 / length(b)) * b);
}

// Sets lanes that restart to their restart pose number `attempt`, from 1 on. Nodes must be composed afterwards.
template <class T>
void take_restart_poses(ChainLanes<T>& chains, const std::int32_t* rotates, const Lanes<T>& attempt,
                        Mask<T> restarts) {
  using L = Lanes<T>;
  const IkPlan& plan = chains.plan;
  for (std::size_t i = 0; i < plan.node_count; ++i) {
    if (!rotates[i]) continue;
    NodeLanes<T>& node = chains.nodes[i];
    const Quat<L> start =
        select(attempt == L(1), bent_rotation(chains, i), sampled_rotation(chains, i, attempt));
    const Mask<T> is_meant = restarts & chains.is_solved(i);
    node.local = select(is_meant, chains.clamp(i, normalized(mirrored(node.mirror, start))), node.local);
  }
  chains.compose();
  // Every other attempt is aimed at the target: where limits prevent that, all would be clamped to the same pose.
  Mask<T> is_odd = attempt != attempt;
  for (int lane = 0; lane < L::kCount; ++lane) {
    is_odd.bits[lane] = -(static_cast<typename LaneTypes<T>::Bit>(attempt.v[lane]) & 1);
  }
  for (std::size_t i = 0; i < plan.node_count; ++i) {
    if (!rotates[i] || !is_uppermost(plan, i)) continue;
    NodeLanes<T>& node = chains.nodes[i];
    const auto e = static_cast<std::size_t>(plan.below[plan.nodes[i].below_begin]);
    const Quat<L> rotation_base =
        shortest_rotation<T>(chains.nodes[plan.effectors[e]].position_base - node.position_base,
                             chains.effectors[e].target_base - node.position_base);
    const Quat<L> aimed =
        normalized(conjugate(chains.base_from_parent(i)) * (rotation_base * node.base_from_joint));
    node.local = select(restarts & is_odd, chains.clamp(i, aimed), node.local);
  }
}

// Lays the bones of a single chain along an arc from its top to its target, each joint by its shortest rotation;
// straight where that is too far. Ignores limits. Nodes must be composed afterwards.
template <class T>
void lay_along_arc(ChainLanes<T>& chains, const std::int32_t* rotates, Mask<T> is_meant) {
  using L = Lanes<T>;
  const IkPlan& plan = chains.plan;
  const auto top = static_cast<std::size_t>(plan.tops[0]);
  const Vec3<L> chord_base = chains.effectors[0].target_base - chains.nodes[top].position_base;
  const L sum = chains.effectors[0].chain_length / chains.model_scale, distance = length(chord_base);
  const Mask<T> has_chord = distance > L(Limits<T>::kSmallest), has_length = sum > L(Limits<T>::kSmallest);
  const L chain_length = select(has_length, sum, L(1));
  const Vec3<L> y_axis = {L(0), L(1), L(0)};
  const Vec3<L> chord_direction_base =
      select(has_chord, (1 / select(has_chord, distance, L(1))) * chord_base, y_axis);
  // Half of the arc's angle x: chord / arc = sin(x) / x = 1 - x^2 / 6 + x^4 / 120 - ...
  const L missing = min(max(1 - distance / chain_length, L(0)), L(T(0.8)));
  const L square = 10 - 60 * sqrt(max(L(T(1.0 / 36)) - L(T(1.0 / 30)) * missing, L(0)));
  const L half_angle = sqrt(max(square, L(0)));
  const Quat<L> at_rest = mirrored(chains.nodes[top].mirror, unbent_rotation(chains, top));
  const Vec3<L> bend_axis_base =
      rotate(chains.base_from_parent(top) * at_rest,
             chains.axis_in_mirror(top, broadcast<T>(plan.nodes[top].bend_axis_joint)));
  const Vec3<L> normal_base =
      bend_axis_base - dot(bend_axis_base, chord_direction_base) * chord_direction_base;
  const Mask<T> is_parallel = length(normal_base) < L(T(1e-3));
  const Vec3<L> any_normal_base = select(is_parallel, perpendicular(chord_direction_base), normal_base);
  const Vec3<L> axis_base = (1 / length(any_normal_base)) * any_normal_base;
  L passed = L(0);
  for (std::size_t i = top; i + 1 < plan.node_count; ++i) {
    NodeLanes<T>& node = chains.nodes[i];
    const L bone = length(chains.nodes[i + 1].offset_parent_node);
    const L middle = (passed + L(T(0.5)) * bone) / chain_length;
    passed += bone;
    if (rotates[i]) {
      const Vec3<L> tangent_base =
          rotate(quat_from_axis_angle(axis_base, half_angle * (2 * middle - 1)), chord_direction_base);
      const Quat<L> base_from_parent = chains.base_from_parent(i),
                    base_from_joint = base_from_parent * node.local;
      const Quat<L> rotation_base =
          shortest_rotation<T>(rotate(base_from_joint, chains.nodes[i + 1].offset_parent_node), tangent_base);
      node.local = select(
          is_meant, normalized(conjugate(base_from_parent) * (rotation_base * base_from_joint)), node.local);
    }
    node.base_from_joint = chains.base_from_parent(i) * node.local;
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
