// SPDX-License-Identifier: MIT
#pragma once

// The state of cyclic coordinate descent on as many single chains as a vector has lanes: rows of lanes, one after
// another in memory, so that the chain of a lane can be moved to another. For *_kernels.cpp files only.
//
// Vectors are in the base, positions relative to the chain's root, lengths shares of the chain's.

#include "core/ik/chain_lanes.h"
#include "core/ik/copy_lane.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
struct CcdHead {
  using L = Lanes<T>;
  Vec3<L> target, tip;
  L error;       // squared distance from tip to target in the model
  L least;       // the smallest so far
  L iterations;  // sweeps so far
  L slow;        // sweeps in a row with little progress
  L restarts;
  L has_best;  // 1: the best pose is stored separately, as free chains do where a later one may be worse
  Vec3<L> bend_axis_joint;  // of the middle joint, its mirror moved to the right
  Mat3<L> metric;           // base_metric.h, divided by the chain's length
  Mask<T> is_skewed;        // whether that is more than a rotation
};

// Nodes are links, and a tip; of two in the middle the lower one.
LISSOM_INLINE std::size_t middle_link(const IkPlan& plan) { return (plan.node_count - 1) / 2; }

// The chains of one vector. Link: the state of a joint and the bone to the next.
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
  LISSOM_INLINE void take_lanes(const IkPlan& plan, const CcdRows& other, const LaneMoves<T>& moves) {
    moves.apply(head, other.head, bytes(plan));
  }
  LISSOM_INLINE int live_count() const {
    int count = 0;
    for (int lane = 0; lane < kLanes; ++lane) count += is_live[lane];
    return count;
  }

  LISSOM_INLINE void measure(const IkPlan& plan) {
    const Vec3<L> error_base = head->target - head->tip;
    const Vec3<L> error_model = plan.ancestor_count ? head->metric * error_base : error_base;
    head->error = dot(error_model, error_model);
  }
  // Records the tip after a sweep. Where `kept` or more of the distance before is left, the sweep was slow.
  LISSOM_INLINE void finish_sweep(const IkPlan& plan, const Vec3<L>& tip, double kept) {
    const L before = head->error;
    head->tip = tip;
    measure(plan);
    head->iterations += L(1);
    head->slow = select(head->error > L(static_cast<T>(kept * kept)) * before, head->slow + L(1), L(0));
  }
};

// The rotation of direction `a` to direction `b`, and the point at `a` rotated by it; the identity where they are
// opposite or one is zero.
template <class L>
struct PointRotation {
  Quat<L> rotation;
  Vec3<L> point;
};
template <class L>
struct TowardsPoint {
  Vec3<L> a, b, axis;
  L squared_b, both, w;  // both: the product of the lengths

  LISSOM_INLINE void begin(const Vec3<L>& from, const Vec3<L>& to) {
    a = from, b = to;
    squared_b = dot(b, b), both = sqrt(dot(a, a) * squared_b);
  }
  LISSOM_INLINE PointRotation<L> end() {
    axis = cross(a, b);
    w = both + dot(a, b);
    const L square = dot(axis, axis) + w * w;
    // Within a few thousandths of a degree from opposite, the sum with the product of lengths is rounding.
    const auto is_defined = (square > both * both * L(1e-9f) + L(1e-30f)) & (squared_b > L(1e-20f));
    // Two quotients by one division: 1 / size and both / squared_b.
    const L size = sqrt(select(is_defined, square, L(1))), divisor = select(is_defined, squared_b, L(1));
    const L reciprocal = L(1) / (size * divisor), inverse = divisor * reciprocal;
    const L share = both * (size * reciprocal);
    return {select(is_defined, quat_from(inverse * axis, inverse * w), Quat<L>::identity()),
            select(is_defined, share * b, a)};
  }
};
template <class L>
LISSOM_INLINE PointRotation<L> rotation_towards(const Vec3<L>& a, const Vec3<L>& b) {
  TowardsPoint<L> towards;
  towards.begin(a, b);
  return towards.end();
}

// A circular arc from the root to the target, as long as the chain, in the plane perpendicular to a bend axis.
template <class T>
class Arc {
 public:
  using L = Lanes<T>;
  LISSOM_INLINE Arc(const Vec3<L>& chord, const Vec3<L>& bend_axis) {
    const Vec3<L> x_axis = {L(1), L(0), L(0)};
    const L distance = length(chord);
    chord_direction_ = select(distance > L(Limits<T>::kEpsilon), direction(chord), x_axis);
    const Vec3<L> side = cross(chord_direction_, bend_axis);
    normal_ = select(dot(side, side) > L(T(0.01)), direction(side),
                     direction(cross(chord_direction_, perpendicular(chord_direction_))));
    // Half its angle p, where sin(p) / p is the chord's share of the length: exact at both ends, within 0.05 between.
    const L less = max(L(0), L(1) - distance);
    half_ = sqrt(less * (L(6) + L(T(kPi * kPi - 6)) * less));
  }
  // The tangent after `part` of its length.
  LISSOM_INLINE Vec3<L> direction_at(const L& part) const {
    const SinCos<L> angle = sincos(half_ * (L(1) - L(2) * part));
    return angle.cos * chord_direction_ + angle.sin * normal_;
  }

 private:
  Vec3<L> chord_direction_, normal_;
  L half_;
};

// The shortest rotation of a bone to a direction; the identity where it has no length.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> rotation_of_bone(const Vec3<Lanes<T>>& bone, const Vec3<Lanes<T>>& unit_to) {
  const Mask<T> has_length = length(bone) > Lanes<T>(Limits<T>::kSmallest);
  return quat_from_to(select(has_length, direction(bone), unit_to), unit_to);
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
