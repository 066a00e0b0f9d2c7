// SPDX-License-Identifier: MIT
#pragma once

// What cyclic coordinate descent knows of as many single chains as a vector has lanes: rows of lanes, one after another
// in memory, so that the chain of a lane can be moved to another. For *_kernels.cpp files only.
//
// Lengths are shares of the chain's, positions are seen from its root, in the base.

#include "core/ik/chain_lanes.h"
#include "core/ik/copy_lane.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
struct CcdHead {
  using L = Lanes<T>;
  Vec3<L> target, tip;
  L error;       // square of the tip's distance from the target, in the model
  L least;       // the smallest that was seen
  L iterations;  // sweeps made
  L slow;        // sweeps in a row that brought little
  L restarts;
  L has_best;      // 1: the best pose is kept apart, as free chains do where a later one may be worse
  Vec3<L> bend;    // about which the middle joint bends, in its frame, as a turn acts in the mirror
  Mat3<L> metric;  // lengths in the model for those in the base, but for the chain's length
  Mask<T>
      is_skewed;  // whether that does more than turn and scale: what is nearer in the base need not be so there
};

// Of two links the lower: nodes are links, and a tip.
LISSOM_INLINE std::size_t middle_link(const IkPlan& plan) { return (plan.node_count - 1) / 2; }

// The chains of one vector. Link: what is known of a joint and the bone to the next.
template <class T, class Link>
struct CcdRows {
  using L = Lanes<T>;
  static constexpr int kLanes = L::kCount;
  CcdHead<T>* head = nullptr;
  Link* links = nullptr;
  std::size_t items[kLanes] = {};
  bool is_live[kLanes] = {};

  static std::size_t bytes(const IkPlan& plan) {
    return sizeof(CcdHead<T>) + (plan.node_count - 1) * sizeof(Link);
  }
  LISSOM_INLINE void place(const IkPlan&, char* memory) {
    head = reinterpret_cast<CcdHead<T>*>(memory);
    links = reinterpret_cast<Link*>(head + 1);
  }
  LISSOM_INLINE void take_lane(const IkPlan& plan, int to, const CcdRows& other, int from) {
    copy_lane<T>(head, to, other.head, from, bytes(plan));
  }
  LISSOM_INLINE int live_count() const {
    int count = 0;
    for (int lane = 0; lane < kLanes; ++lane) count += is_live[lane];
    return count;
  }

  LISSOM_INLINE void measure(const IkPlan& plan) {
    const Vec3<L> way = head->target - head->tip;
    const Vec3<L> seen = plan.ancestor_count ? head->metric * way : way;
    head->error = dot(seen, seen);
  }
  // The tip after a sweep, measured against the one before: `kept` or more of the distance left is little gained.
  LISSOM_INLINE void finish_sweep(const IkPlan& plan, const Vec3<L>& tip, double kept) {
    const L before = head->error;
    head->tip = tip;
    measure(plan);
    head->iterations += L(1);
    head->slow = select(head->error > L(static_cast<T>(kept * kept)) * before, head->slow + L(1), L(0));
  }
};

// The rotation of direction `a` to direction `b`, and where it brings a point at `a`; none where they are opposite or
// one is no direction.
template <class L>
struct Turn {
  Quat<L> turn;
  Vec3<L> to;
};
template <class L>
LISSOM_INLINE Turn<L> turn_towards(const Vec3<L>& a, const Vec3<L>& b) {
  const L bb = dot(b, b), both = sqrt(dot(a, a) * bb), w = both + dot(a, b);
  const Vec3<L> v = cross(a, b);
  const L square = dot(v, v) + w * w;
  // A few thousandths of a degree from opposite, the product of lengths is rounding.
  const auto is_turn = square > both * both * L(1e-9f) + L(1e-30f);
  const L inverse = L(1) / sqrt(select(is_turn, square, L(1)));
  const L share = both / select(is_turn, bb, L(1));
  return {select(is_turn, quat_from(inverse * v, inverse * w), Quat<L>::identity()),
          select(is_turn, share * b, a)};
}

// An arc from the root to the target that bends about `bend`, and is as long as a chain.
template <class T>
class Arc {
 public:
  using L = Lanes<T>;
  LISSOM_INLINE Arc(const Vec3<L>& chord, const Vec3<L>& bend) {
    const Vec3<L> x_axis = {L(1), L(0), L(0)};
    const L distance = length(chord);
    along_ = select(distance > L(Limits<T>::kEpsilon), direction(chord), x_axis);
    const Vec3<L> side = cross(along_, bend);
    across_ = select(dot(side, side) > L(T(0.01)), direction(side),
                     direction(cross(along_, perpendicular(along_))));
    // Half its angle p, sin(p) / p being the chord's share of the length: right at both ends, and within 0.05 between.
    constexpr double kPi = 3.14159265358979323846;
    const L less = max(L(0), L(1) - distance);
    half_ = sqrt(less * (L(6) + L(T(kPi * kPi - 6)) * less));
  }
  // Where it goes after `part` of its length.
  LISSOM_INLINE Vec3<L> direction_at(const L& part) const {
    const SinCos<L> angle = sincos(half_ * (L(1) - L(2) * part));
    return angle.cos * along_ + angle.sin * across_;
  }

 private:
  Vec3<L> along_, across_;
  L half_;
};

// The shortest rotation that brings a bone, seen in the base, to a direction; none where it has no length.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> turn_bone(const Vec3<Lanes<T>>& bone, const Vec3<Lanes<T>>& unit_to) {
  const Mask<T> has_length = length(bone) > Lanes<T>(Limits<T>::kSmallest);
  return quat_from_to(select(has_length, direction(bone), unit_to), unit_to);
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
