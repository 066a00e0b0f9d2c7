// SPDX-License-Identifier: MIT
#pragma once

// Where solvers start anew once they are stuck: chains straight to their target, bent the way limbs bend, and spread out
// over all that limits allow. Guesses depend on how many came before and on the joint, never on the item or its lane.
// For *_kernels.cpp files only.

#include "core/ik/chain_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// In [0, 1), of two numbers: the finaliser of MurmurHash3 spreads their bits.
LISSOM_INLINE double spread_number(std::uint32_t attempt, std::uint32_t salt) {
  std::uint32_t h = attempt * 0x9e3779b9u + salt * 0x85ebca6bu;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return static_cast<double>((h ^ (h >> 16)) >> 8) * 0x1p-24;
}
template <class T>
LISSOM_INLINE Lanes<T> spread_numbers(const Lanes<T>& attempt, std::uint32_t salt) {
  Lanes<T> numbers = T(0);
  for (int lane = 0; lane < Lanes<T>::kCount; ++lane) {
    numbers.v[lane] = static_cast<T>(spread_number(static_cast<std::uint32_t>(attempt.v[lane]), salt));
  }
  return numbers;
}

template <class L>
LISSOM_INLINE Quat<L> about_z(const L& angle) {
  const SinCos<L> half = sincos(L(0.5) * angle);
  return {L(0), L(0), half.sin, half.cos};
}

// Where nothing that turns is above a node, its chains are aimed as a whole.
LISSOM_INLINE bool is_uppermost(const IkPlan& plan, std::size_t i) {
  for (std::int32_t above = plan.nodes[i].parent; above >= 0; above = plan.nodes[above].parent) {
    if (plan.nodes[above].turns) return false;
  }
  return plan.nodes[i].turns != 0;
}

// What guesses are turned away from: the rest pose, but the input for an uppermost joint that turns freely, as its rest
// says nothing of where the character stands.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> unturned(const ChainLanes<T>& chains, std::size_t i) {
  const IkNode& node = chains.plan.nodes[i];
  const bool is_aimed = node.limit.kind == LimitKind::kNone && is_uppermost(chains.plan, i);
  return is_aimed ? mirrored(chains.nodes[i].sign, chains.nodes[i].input) : broadcast<T>(node.rest);
}

// Anywhere within the limit of a node; without one, up to 2.5 rad away from rest about any axis.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> spread_rotation(const ChainLanes<T>& chains, std::size_t i,
                                             const Lanes<T>& attempt) {
  using L = Lanes<T>;
  const IkNode& node = chains.plan.nodes[i];
  constexpr double kMostSwing = 2, kMostTwist = 0.5, kMostTurn = 2.5;
  const IkLimit& limit = node.limit;
  const auto salt = 3 * static_cast<std::uint32_t>(node.joint);
  const L first = spread_numbers<T>(attempt, salt), second = spread_numbers<T>(attempt, salt + 1);
  const L third = spread_numbers<T>(attempt, salt + 2);
  const L around = lanes_of<T>(2 * kHalfTurn) * first;
  if (limit.kind == LimitKind::kHinge) {
    const L range = lanes_of<T>(min(limit.half_range, kHalfTurn));
    // A third of them at an end: there targets out of reach are nearest.
    const L share = min(max(3 * first - L(T(1.5)), L(-1)), L(1));
    return from_limit<T>(limit, about_z<L>(lanes_of<T>(limit.middle) + range * share));
  }
  const SinCos<L> way = sincos(around);
  if (limit.kind == LimitKind::kNone) {
    const L z = 2 * second - 1, flat = sqrt(max(1 - z * z, L(0)));
    const Vec3<L> axis = {flat * way.cos, flat * way.sin, z};
    return unturned(chains, i) * quat_from_axis_angle(axis, lanes_of<T>(kMostTurn) * third);
  }
  const L size = sqrt(second);
  const Vec3<L> swing = {size * lanes_of<T>(min(limit.half_angles[0], kMostSwing)) * way.cos,
                         size * lanes_of<T>(min(limit.half_angles[1], kMostSwing)) * way.sin, L(0)};
  const bool is_bounded = limit.half_range < kHalfTurn;
  const L range = lanes_of<T>(is_bounded ? limit.half_range : kMostTwist);
  const L twist = lanes_of<T>(is_bounded ? limit.middle : 0) + range * (2 * third - 1);
  return from_limit<T>(limit, quat_from_rotation_vector(swing) * about_z<L>(twist));
}

// Bends every joint alike, so that the chain spans the way to its target: the arc of a circle, chord / arc =
// 1 - angle^2 / 24 + ...
template <class T>
LISSOM_INLINE Quat<Lanes<T>> bent_rotation(const ChainLanes<T>& chains, std::size_t i) {
  using L = Lanes<T>;
  const IkPlan& plan = chains.plan;
  const IkNode& node = plan.nodes[i];
  const auto e = static_cast<std::size_t>(plan.below[node.below_begin]);
  const auto top = static_cast<std::size_t>(plan.tops[e]);
  int joints = 0;
  for (std::int32_t k = plan.effectors[e]; k > plan.tops[e]; k = plan.nodes[k].parent)
    joints += plan.nodes[k].turns;
  const L away = length(chains.effectors[e].target - chains.nodes[top].position) * chains.model_scale;
  const L size = chains.effectors[e].length;
  const L share = away / select(size > L(0), size, L(1));
  const L angle = i == top ? L(0) : sqrt(24 * max(1 - share, L(0))) / L(max(joints, 1));
  return unturned(chains, i) * quat_from_axis_angle(broadcast<T>(node.bend_axis), angle);
}

// The shortest turn between two directions of any length; none where one is lost.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> turn_between(const Vec3<Lanes<T>>& from, const Vec3<Lanes<T>>& to) {
  using L = Lanes<T>;
  const L size = length(from) * length(to);
  const Mask<T> is_lost = size <= L(Limits<T>::kSmallest);
  const Vec3<L> x_axis = {L(1), L(0), L(0)};
  const Vec3<L> a = select(is_lost, x_axis, from), b = select(is_lost, x_axis, to);
  return quat_from_to((1 / length(a)) * a, (1 / length(b)) * b);
}

// Puts lanes that start anew at their guess number `attempt`, from 1 on. Frames are to be composed anew.
template <class T>
void take_guesses(ChainLanes<T>& chains, const std::int32_t* turns, const Lanes<T>& attempt,
                  Mask<T> is_anew) {
  using L = Lanes<T>;
  const IkPlan& plan = chains.plan;
  for (std::size_t i = 0; i < plan.node_count; ++i) {
    if (!turns[i]) continue;
    NodeLanes<T>& node = chains.nodes[i];
    const Quat<L> guess =
        select(attempt == L(1), bent_rotation(chains, i), spread_rotation(chains, i, attempt));
    const Mask<T> is_meant = is_anew & chains.is_solved(i);
    node.local = select(is_meant, chains.clamp(i, normalized(mirrored(node.sign, guess))), node.local);
  }
  chains.compose();
  // Every other is aimed: where limits keep chains from that, all would end up at the same one.
  Mask<T> is_odd = attempt != attempt;
  for (int lane = 0; lane < L::kCount; ++lane) {
    is_odd.bits[lane] = -(static_cast<typename LaneTypes<T>::Bit>(attempt.v[lane]) & 1);
  }
  for (std::size_t i = 0; i < plan.node_count; ++i) {
    if (!turns[i] || !is_uppermost(plan, i)) continue;
    NodeLanes<T>& node = chains.nodes[i];
    const auto e = static_cast<std::size_t>(plan.below[plan.nodes[i].below_begin]);
    const Quat<L> turn = turn_between<T>(chains.nodes[plan.effectors[e]].position - node.position,
                                         chains.effectors[e].target - node.position);
    const Quat<L> aimed = normalized(conjugate(chains.frame_above(i)) * (turn * node.frame));
    node.local = select(is_anew & is_odd, chains.clamp(i, aimed), node.local);
  }
}

// Lays the bones of a single chain along an arc from its top to its target, each joint by its shortest turn; straight
// where that is too far. Limits are not asked. Frames are to be composed anew.
template <class T>
void lay_along_arc(ChainLanes<T>& chains, const std::int32_t* turns, Mask<T> is_meant) {
  using L = Lanes<T>;
  const IkPlan& plan = chains.plan;
  const auto top = static_cast<std::size_t>(plan.tops[0]);
  const Vec3<L> way = chains.effectors[0].target - chains.nodes[top].position;
  const L whole = chains.effectors[0].length / chains.model_scale, away = length(way);
  const Mask<T> has_way = away > L(Limits<T>::kSmallest), has_length = whole > L(Limits<T>::kSmallest);
  const L size = select(has_length, whole, L(1));
  const Vec3<L> y_axis = {L(0), L(1), L(0)};
  const Vec3<L> to = select(has_way, (1 / select(has_way, away, L(1))) * way, y_axis);
  // Half of the arc's angle x: chord / arc = sin(x) / x = 1 - x^2 / 6 + x^4 / 120 - ...
  const L missing = min(max(1 - away / size, L(0)), L(T(0.8)));
  const L square = 10 - 60 * sqrt(max(L(T(1.0 / 36)) - L(T(1.0 / 30)) * missing, L(0)));
  const L half_angle = sqrt(max(square, L(0)));
  const Quat<L> at_rest = mirrored(chains.nodes[top].sign, unturned(chains, top));
  const Vec3<L> bend = rotate(chains.frame_above(top) * at_rest,
                              chains.axis_in_mirror(top, broadcast<T>(plan.nodes[top].bend_axis)));
  const Vec3<L> across = bend - dot(bend, to) * to;
  const Mask<T> is_along = length(across) < L(T(1e-3));
  const Vec3<L> other = select(is_along, perpendicular(to), across);
  const Vec3<L> axis = (1 / length(other)) * other;
  L passed = L(0);
  for (std::size_t i = top; i + 1 < plan.node_count; ++i) {
    NodeLanes<T>& node = chains.nodes[i];
    const L bone = length(chains.nodes[i + 1].offset);
    const L middle = (passed + L(T(0.5)) * bone) / size;
    passed += bone;
    if (turns[i]) {
      const Vec3<L> wanted = rotate(quat_from_axis_angle(axis, half_angle * (2 * middle - 1)), to);
      const Quat<L> above = chains.frame_above(i), frame = above * node.local;
      const Quat<L> turn = turn_between<T>(rotate(frame, chains.nodes[i + 1].offset), wanted);
      node.local = select(is_meant, normalized(conjugate(above) * (turn * frame)), node.local);
    }
    node.frame = chains.frame_above(i) * node.local;
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
