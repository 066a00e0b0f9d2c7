// SPDX-License-Identifier: MIT
#pragma once

// The turn of one joint that brings several directions as near to where they shall lead as turns can. For *_kernels.cpp
// files only.

#include "core/ik/chain_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// Sums over pairs of directions that a turn shall bring together: of cross and scalar products, of what of these lies along
// an axis, and of sizes.
template <class L>
struct PairSums {
  Vec3<L> axis, crosses = {L(0), L(0), L(0)};
  L dots = L(0), along = L(0), sizes = L(0);
  LISSOM_INLINE explicit PairSums(const Vec3<L>& about) : axis(about) {}
  LISSOM_INLINE void add(const Vec3<L>& from, const Vec3<L>& to) {
    crosses = crosses + cross(from, to);
    dots += dot(from, to);
    along += dot(from, axis) * dot(to, axis);
    sizes += sqrt(dot(from, from) * dot(to, to));
  }
  // Some pairs and others, each times a share.
  LISSOM_INLINE PairSums(const L& share, const PairSums& a, const L& other_share, const PairSums& b)
      : axis(a.axis),
        crosses(share * a.crosses + other_share * b.crosses),
        dots(share * a.dots + other_share * b.dots),
        along(share * a.along + other_share * b.along),
        sizes(share * a.sizes + other_share * b.sizes) {}
};

// The axis that node `i` turns about, in the base, by its frame: of its hinge, or about which the limb bends there.
template <class T>
LISSOM_INLINE Vec3<Lanes<T>> turning_axis(const ChainLanes<T>& chains, std::size_t i,
                                          const Quat<Lanes<T>>& frame) {
  using L = Lanes<T>;
  const IkNode& node = chains.plan.nodes[i];
  const Vec3<L> axis = node.limit.kind == LimitKind::kHinge
                           ? rotate(broadcast<T>(node.limit.after), Vec3<L>{L(0), L(0), L(1)})
                           : broadcast<T>(node.bend_axis);
  return rotate(frame, chains.axis_in_mirror(i, axis));
}

// The turn about a unit axis by the angle whose sine and cosine are given up to a common factor; none where both are 0.
template <class L>
LISSOM_INLINE Quat<L> turn_by(const Vec3<L>& axis, const L& sine, const L& cosine) {
  const L size = sqrt(sine * sine + cosine * cosine);
  const L w = size + cosine;
  const auto is_opposite = w <= size * L(4 * Limits<L>::kEpsilon);
  const auto is_lost = size <= L(Limits<L>::kSmallest);
  const Quat<L> turn =
      normalized(quat_from(select(is_opposite, L(1), sine) * axis, select(is_opposite, L(0), w)));
  return select(is_lost, Quat<L>::identity(), turn);
}

// The turn of node `i` that brings the directions of the pairs closest together, their sums taken about its
// turning_axis(): about that alone where it is a hinge, or where no other axis shows.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> best_turn(const IkNode& node, const PairSums<Lanes<T>>& pairs) {
  using L = Lanes<T>;
  if (node.limit.kind == LimitKind::kHinge) {
    return turn_by(pairs.axis, dot(pairs.crosses, pairs.axis), pairs.dots - pairs.along);
  }
  const L sine = length(pairs.crosses);
  const Mask<T> has_axis = sine > abs(pairs.dots) * L(4 * Limits<T>::kEpsilon);
  const L divisor = select(has_axis, sine, L(1));
  const Vec3<L> axis = {pairs.crosses.x / divisor, pairs.crosses.y / divisor, pairs.crosses.z / divisor};
  return turn_by(select(has_axis, axis, pairs.axis), select(has_axis, sine, L(0)), pairs.dots);
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
