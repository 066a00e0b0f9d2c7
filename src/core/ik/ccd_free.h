// SPDX-License-Identifier: MIT
#pragma once

// Cyclic coordinate descent of single chains without limits, as many as lanes: frames of the links, and sweeps that turn
// them. For *_kernels.cpp files only.
//
// Lengths are shares of the chain's, positions are seen from its root. A sweep is one pass over the links: the nearest
// point that a joint can bring the tip to lies on the line from the joint to the target, so the tip is known without a
// rotation, and all that follows a joint turns by the product of the turns so far.

#include "core/ik/chain_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
struct FreeHead {
  using L = Lanes<T>;
  Vec3<L> target, tip;
  L error;       // square of the tip's distance from the target, in the model
  L iterations;  // sweeps made
  L slow;        // sweeps in a row that brought little
  L restarts;
};
template <class T>
struct FreeLink {
  using L = Lanes<T>;
  Quat<L> frame;  // in the base, unit
  Vec3<L> bone;   // to the next joint, in this frame
};
// What turns lengths in the base into those in the model; chains that hang on nothing have none.
template <class T>
struct FreeMetric {
  Mat3<Lanes<T>> linear;
};

// The chains of one vector, one after another in memory so that lanes can be moved: head, links, metric.
template <class T>
struct FreeChains {
  using L = Lanes<T>;
  static constexpr int kLanes = L::kCount;
  FreeHead<T>* head = nullptr;
  FreeLink<T>* links = nullptr;
  FreeMetric<T>* metric = nullptr;
  std::size_t items[kLanes] = {};
  bool is_live[kLanes] = {};

  static std::size_t bytes(const IkPlan& plan) {
    return sizeof(FreeHead<T>) + (plan.node_count - 1) * sizeof(FreeLink<T>) +
           (plan.ancestor_count ? sizeof(FreeMetric<T>) : 0);
  }
  LISSOM_INLINE void place(const IkPlan& plan, char* memory) {
    head = reinterpret_cast<FreeHead<T>*>(memory);
    links = reinterpret_cast<FreeLink<T>*>(head + 1);
    metric = plan.ancestor_count ? reinterpret_cast<FreeMetric<T>*>(links + plan.node_count - 1) : nullptr;
  }
};

template <class T>
LISSOM_INLINE void copy_rows(Lanes<T>* to_row, int to, const Lanes<T>* from_row, int from,
                             std::size_t count) {
  char* out = reinterpret_cast<char*>(to_row) + sizeof(T) * static_cast<std::size_t>(to);
  const char* in = reinterpret_cast<const char*>(from_row) + sizeof(T) * static_cast<std::size_t>(from);
  for (std::size_t row = 0; row < count; ++row) {
    std::memcpy(out + row * sizeof(Lanes<T>), in + row * sizeof(Lanes<T>), sizeof(T));
  }
}

// Lane `from` of one becomes lane `to` of another.
template <class T>
LISSOM_INLINE void move_lane(const IkPlan& plan, FreeChains<T>& target, int to, const FreeChains<T>& source,
                             int from) {
  copy_rows(&target.head->target.x, to, &source.head->target.x, from,
            FreeChains<T>::bytes(plan) / sizeof(Lanes<T>));
  target.items[to] = source.items[from];
}
// The same for what is left when the chain is done: sweeps and frames.
template <class T>
LISSOM_INLINE void keep_answer(const IkPlan& plan, FreeChains<T>& target, int to, const FreeChains<T>& source,
                               int from) {
  copy_rows(&target.head->iterations, to, &source.head->iterations, from, 1);
  for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
    copy_rows(&target.links[i].frame.x, to, &source.links[i].frame.x, from, 4);
  }
  target.items[to] = source.items[from];
}

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
  // About a thousandth of a degree from opposite, the product of lengths is rounding.
  const auto is_turn = square > both * both * L(1e-9f) + L(1e-30f);
  const L inverse = L(1) / sqrt(select(is_turn, square, L(1)));
  const L share = both / select(is_turn, bb, L(1));
  return {select(is_turn, quat_from(inverse * v, inverse * w), Quat<L>::identity()),
          select(is_turn, share * b, a)};
}

// Close enough to unit to become it by one step of Newton's method.
template <class L>
LISSOM_INLINE Quat<L> renormalized(const Quat<L>& q) {
  return (L(1.5f) - L(0.5f) * dot(q, q)) * q;
}

template <class T>
LISSOM_INLINE void measure(FreeChains<T>& chains) {
  using L = Lanes<T>;
  FreeHead<T>& head = *chains.head;
  const Vec3<L> way = head.target - head.tip;
  const Vec3<L> seen = chains.metric ? chains.metric->linear * way : way;
  head.error = dot(seen, seen);
}

// Frames and the tip after a sweep, measured against the sweep before.
template <class T>
LISSOM_INLINE void finish_sweep(FreeChains<T>& chains, const Vec3<Lanes<T>>& tip) {
  using L = Lanes<T>;
  // Less than a tenth of the distance gained.
  constexpr double kSlow = 0.8;
  FreeHead<T>& head = *chains.head;
  const L before = head.error;
  head.tip = tip;
  measure(chains);
  head.iterations += L(1);
  head.slow = select(head.error > L(T(kSlow * kSlow)) * before, head.slow + L(1), L(0));
}

// One sweep from the root to the tip, of several vectors side by side: each waits for its own last turn.
template <int kCount, class T>
LISSOM_INLINE void sweep_down(FreeChains<T>* groups, std::size_t link_count) {
  using L = Lanes<T>;
  Vec3<L> place[kCount], tip[kCount];
  Quat<L> turned[kCount];
  for (int g = 0; g < kCount; ++g) {
    place[g] = {L(0), L(0), L(0)};
    tip[g] = groups[g].head->tip;
    turned[g] = Quat<L>::identity();
  }
  for (std::size_t i = 0; i < link_count; ++i) {
    for (int g = 0; g < kCount; ++g) {
      FreeLink<T>& link = groups[g].links[i];
      const Turn<L> turn = turn_towards(tip[g] - place[g], groups[g].head->target - place[g]);
      tip[g] = place[g] + turn.to;
      turned[g] = turn.turn * turned[g];
      link.frame = renormalized(turned[g] * link.frame);
      place[g] = place[g] + rotate(link.frame, link.bone);
    }
  }
  for (int g = 0; g < kCount; ++g) finish_sweep(groups[g], place[g]);
}

// One sweep from the tip to the root. Bends straight limbs, which the other leaves straight. `points` and `turns` are
// scratch, one per link.
template <class T>
LISSOM_INLINE void sweep_up(FreeChains<T>& chains, std::size_t link_count, Vec3<Lanes<T>>* points,
                            Quat<Lanes<T>>* turns) {
  using L = Lanes<T>;
  Vec3<L> place = {L(0), L(0), L(0)}, tip = chains.head->tip;
  for (std::size_t i = 0; i < link_count; ++i) {
    points[i] = place;
    place = place + rotate(chains.links[i].frame, chains.links[i].bone);
  }
  for (std::size_t i = link_count; i-- > 0;) {
    const Turn<L> turn = turn_towards(tip - points[i], chains.head->target - points[i]);
    tip = points[i] + turn.to;
    turns[i] = turn.turn;
  }
  Quat<L> turned = Quat<L>::identity();
  place = {L(0), L(0), L(0)};
  for (std::size_t i = 0; i < link_count; ++i) {
    FreeLink<T>& link = chains.links[i];
    turned = turned * turns[i];
    link.frame = renormalized(turned * link.frame);
    place = place + rotate(link.frame, link.bone);
  }
  finish_sweep(chains, place);
}

// Turns each link to where `direction_of(i, middle)` has it, by the shortest way; `middle` is the part of the chain up
// to the middle of the link.
template <class T, class Directions>
LISSOM_INLINE void lay_out(FreeChains<T>& chains, std::size_t link_count, Mask<T> which,
                           const Directions& direction_of) {
  using L = Lanes<T>;
  Vec3<L> place = {L(0), L(0), L(0)};
  L begin = L(0);
  for (std::size_t i = 0; i < link_count; ++i) {
    FreeLink<T>& link = chains.links[i];
    const L size = length(link.bone);
    const Mask<T> has_length = size > L(Limits<T>::kSmallest);
    const Vec3<L> way = rotate(link.frame, link.bone);
    const Vec3<L> wanted = direction_of(begin + L(T(0.5)) * size);
    const Quat<L> turn = quat_from_to(select(has_length, direction(way), wanted), wanted);
    link.frame = select(which, normalized(turn * link.frame), link.frame);
    place = place + rotate(link.frame, link.bone);
    begin += size;
  }
  chains.head->tip = select(which, place, chains.head->tip);
}

// Stretches chains whose targets are out of reach towards them: nothing comes closer.
template <class T>
LISSOM_INLINE void stretch(FreeChains<T>& chains, std::size_t link_count, Mask<T> which) {
  const Vec3<Lanes<T>> towards = direction(chains.head->target);
  lay_out(chains, link_count, which, [&](Lanes<T>) LISSOM_LAMBDA_INLINE { return towards; });
}

// Lays chains that are stuck along an arc from the root to the target, which bends about the middle joint's bend axis:
// from there a few sweeps do.
template <class T>
LISSOM_INLINE void lay_along_arc(FreeChains<T>& chains, const IkPlan& plan, Mask<T> which) {
  using L = Lanes<T>;
  const std::size_t link_count = plan.node_count - 1, middle = link_count / 2;
  const Vec3<L> chord = chains.head->target;
  const L distance = length(chord);
  const Vec3<L> x_axis = {L(1), L(0), L(0)};
  const Vec3<L> along = select(distance > L(Limits<T>::kEpsilon), direction(chord), x_axis);
  const Vec3<L> bend = rotate(chains.links[middle].frame, broadcast<T>(plan.nodes[middle].bend_axis));
  const Vec3<L> side = cross(along, bend);
  const Vec3<L> across =
      select(dot(side, side) > L(T(0.01)), direction(side), direction(cross(along, perpendicular(along))));
  // Half the arc's angle p, sin(p) / p being the share of its chord: right at both ends, and within 0.05 between.
  constexpr double kPi = 3.14159265358979323846;
  const L less = max(L(0), L(1) - distance);
  const L half = sqrt(less * (L(6) + L(T(kPi * kPi - 6)) * less));
  lay_out(chains, link_count, which, [&](L part) LISSOM_LAMBDA_INLINE {
    const SinCos<L> angle = sincos(half * (L(1) - L(2) * part));
    return angle.cos * along + angle.sin * across;
  });
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
