// SPDX-License-Identifier: MIT
#pragma once

// The rotation of one joint that aligns several vectors with their targets as well as it can: Wahba's problem (1965),
// solved about the axis of the summed cross products. For *_kernels.cpp files only.

#include "core/ik/chain_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// Sums over pairs of vectors to be aligned: of cross and dot products, of the part of the latter parallel to an axis,
// and of products of lengths. All in one space.
template <class L>
struct PairSums {
  Vec3<L> axis, crosses = {L(0), L(0), L(0)};
  L dots = L(0), parallel = L(0), lengths = L(0);
  LISSOM_INLINE explicit PairSums(const Vec3<L>& about) : axis(about) {}
  LISSOM_INLINE void add(const Vec3<L>& from, const Vec3<L>& to) {
    crosses = crosses + cross(from, to);
    dots += dot(from, to);
    parallel += dot(from, axis) * dot(to, axis);
    lengths += sqrt(dot(from, from) * dot(to, to));
  }
  // The weighted sum of both.
  LISSOM_INLINE PairSums(const L& share, const PairSums& a, const L& other_share, const PairSums& b)
      : axis(a.axis),
        crosses(share * a.crosses + other_share * b.crosses),
        dots(share * a.dots + other_share * b.dots),
        parallel(share * a.parallel + other_share * b.parallel),
        lengths(share * a.lengths + other_share * b.lengths) {}
};

// The axis of the hinge of node `i`, or of its bend where it has none.
template <class T>
LISSOM_INLINE Vec3<Lanes<T>> rotation_axis_base(const ChainLanes<T>& chains, std::size_t i,
                                                const Quat<Lanes<T>>& base_from_joint) {
  using L = Lanes<T>;
  const IkNode& node = chains.plan.nodes[i];
  const Vec3<L> axis_joint =
      node.limit.kind == LimitKind::kHinge
          ? rotate(broadcast<T>(node.limit.joint_from_limit), Vec3<L>{L(0), L(0), L(1)})
          : broadcast<T>(node.bend_axis_joint);
  return rotate(base_from_joint, chains.axis_in_mirror(i, axis_joint));
}

// The rotation about a unit axis by the angle whose sine and cosine are given up to a common factor; the identity where
// both are 0.
template <class L>
LISSOM_INLINE Quat<L> rotation_by(const Vec3<L>& axis, const L& sine, const L& cosine) {
  const L size = sqrt(sine * sine + cosine * cosine);
  const L w = size + cosine;
  const auto is_opposite = w <= size * L(4 * Limits<L>::kEpsilon);
  const auto is_lost = size <= L(Limits<L>::kSmallest);
  const Quat<L> rotation =
      normalized(quat_from(select(is_opposite, L(1), sine) * axis, select(is_opposite, L(0), w)));
  return select(is_lost, Quat<L>::identity(), rotation);
}

// The rotation of a node that aligns the pairs best, their sums taken about its rotation_axis_base(): about that alone
// where it is a hinge, or where the cross products have no direction.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> aligning_rotation(const IkNode& node, const PairSums<Lanes<T>>& pairs) {
  using L = Lanes<T>;
  if (node.limit.kind == LimitKind::kHinge) {
    return rotation_by(pairs.axis, dot(pairs.crosses, pairs.axis), pairs.dots - pairs.parallel);
  }
  const L sine = length(pairs.crosses);
  const Mask<T> has_axis = sine > abs(pairs.dots) * L(4 * Limits<T>::kEpsilon);
  const L divisor = select(has_axis, sine, L(1));
  const Vec3<L> axis = {pairs.crosses.x / divisor, pairs.crosses.y / divisor, pairs.crosses.z / divisor};
  return rotation_by(select(has_axis, axis, pairs.axis), select(has_axis, sine, L(0)), pairs.dots);
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
