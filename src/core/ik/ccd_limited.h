// SPDX-License-Identifier: MIT
#pragma once

// Cyclic coordinate descent of chains some of whose joints have limits, kept at each turn. For *_kernels.cpp files only.

#include "core/ik/ccd_rows.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
struct LimitedLink {
  using L = Lanes<T>;
  Quat<L> local;   // within its limit; in the mirror, as in NodeLanes
  Quat<L> best;    // of the pose with the least error
  Quat<L> before;  // from the frame of the link before to that of the joint's parent
  Vec3<L> sign;
  Vec3<L> bone;  // to the next joint, in the frame of this one
};

// The rotation about `unit_axis` that brings direction `a` closest to `b`; none where all are as good.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> turn_about(const Vec3<Lanes<T>>& unit_axis, const Vec3<Lanes<T>>& a,
                                        const Vec3<Lanes<T>>& b) {
  using L = Lanes<T>;
  const L sine = dot(cross(a, b), unit_axis), cosine = dot(a, b) - dot(a, unit_axis) * dot(b, unit_axis);
  const L size = sqrt(sine * sine + cosine * cosine), w = size + cosine;
  const L square = sine * sine + w * w;
  // Opposite: half a turn.
  const Mask<T> is_turn = square > size * size * L(T(1e-9)) + L(T(1e-30));
  const Mask<T> is_lost = size <= L(T(1e-15));
  const L inverse = L(1) / sqrt(select(is_turn, square, L(1)));
  const L z = select(is_turn, inverse * sine, L(1));
  return select(is_lost, Quat<L>::identity(), quat_from(z * unit_axis, select(is_turn, inverse * w, L(0))));
}

template <class T>
struct LimitedChains : CcdRows<T, LimitedLink<T>> {
  using L = Lanes<T>;
  using CcdRows<T, LimitedLink<T>>::head;
  using CcdRows<T, LimitedLink<T>>::links;
  static constexpr double kSlow = 0.95;
  static constexpr int kRestarts = 1 << 20;  // as many as there are sweeps for

  struct Scratch {
    Vec3<L> point;
    Quat<L> frame;
  };

  LISSOM_INLINE void begin(const IkPlan&) {}

  LISSOM_INLINE void load(const ChainLanes<T>& chains, const L& share) {
    for (std::size_t i = 0; i + 1 < chains.plan.node_count; ++i) {
      const NodeLanes<T>& node = chains.nodes[i];
      links[i].local = links[i].best = normalized(node.local);
      links[i].before = normalized(node.before);
      links[i].sign = node.sign;
      links[i].bone = share * chains.nodes[i + 1].offset;
    }
    compose(chains.plan);
  }
  LISSOM_INLINE Quat<L> local(const ChainLanes<T>&, std::size_t i) const { return links[i].best; }
  LISSOM_INLINE void keep_answer(const IkPlan& plan, int to, const LimitedChains& other, int from) {
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      copy_lane<T>(&links[i].best, to, &other.links[i].best, from, sizeof(links[i].best));
    }
  }
  LISSOM_INLINE void note_best(const IkPlan& plan) {
    const Mask<T> is_better = head->error < head->least;
    head->least = select(is_better, head->error, head->least);
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      links[i].best = select(is_better, links[i].local, links[i].best);
    }
  }

  // The frame of the joint above link `i`, by that of the link before.
  LISSOM_INLINE Quat<L> above(const IkPlan& plan, std::size_t i, const Quat<L>& frame) const {
    if (i == 0) return links[0].before;
    const IkNode& node = plan.nodes[i];
    return node.between_begin == node.between_end ? frame : frame * links[i].before;
  }
  LISSOM_INLINE Quat<L> clamp(const IkPlan& plan, std::size_t i, const Quat<L>& local) const {
    const IkLimit& limit = plan.nodes[i].limit;
    if (limit.kind == LimitKind::kNone) return normalized(local);
    return mirrored(links[i].sign, clamped<T>(limit, mirrored(links[i].sign, normalized(local))));
  }
  LISSOM_INLINE void compose(const IkPlan& plan) {
    Vec3<L> place = {L(0), L(0), L(0)};
    Quat<L> frame = Quat<L>::identity();
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      frame = above(plan, i, frame) * links[i].local;
      place = place + rotate(frame, links[i].bone);
    }
    head->tip = place;
  }

  // Turns link `i`, whose joint is at `place`, so that the tip comes closest to the target; gives its new frame.
  LISSOM_NOINLINE Quat<L> turn_link(const IkPlan& plan, std::size_t i, const Vec3<L>& place,
                                    const Quat<L>& over, const Quat<L>& frame, Vec3<L>& tip) {
    const IkLimit& limit = plan.nodes[i].limit;
    const Vec3<L> from = tip - place, to = head->target - place;
    Quat<L> turn;
    if (limit.kind == LimitKind::kHinge) {
      const Vec3<L>& g = links[i].sign;
      const Vec3<L> axis = rotate(broadcast<T>(limit.after), Vec3<L>{L(0), L(0), L(1)});
      turn = turn_about<T>(rotate(frame, Vec3<L>{g.y * g.z * axis.x, g.z * g.x * axis.y, g.x * g.y * axis.z}),
                           from, to);
    } else {
      turn = turn_towards(from, to).turn;
    }
    links[i].local = clamp(plan, i, conjugate(over) * (turn * frame));
    const Quat<L> turned = over * links[i].local;
    tip = place + rotate(turned, rotate(conjugate(frame), from));
    return turned;
  }

  LISSOM_NOINLINE void sweep_down(const IkPlan& plan) {
    Vec3<L> place = {L(0), L(0), L(0)}, tip = head->tip;
    Quat<L> frame = Quat<L>::identity();
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      const Quat<L> over = above(plan, i, frame);
      frame = turn_link(plan, i, place, over, over * links[i].local, tip);
      place = place + rotate(frame, links[i].bone);
    }
    this->finish_sweep(plan, place, kSlow);
    note_best(plan);
  }
  template <int kCount>
  static LISSOM_INLINE void sweep_down(LimitedChains* groups, const IkPlan& plan) {
    for (int g = 0; g < kCount; ++g) groups[g].sweep_down(plan);
  }

  LISSOM_INLINE void sweep_up(const IkPlan& plan, Scratch* scratch) {
    Vec3<L> place = {L(0), L(0), L(0)};
    Quat<L> frame = Quat<L>::identity();
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      frame = above(plan, i, frame) * links[i].local;
      scratch[i] = {place, frame};
      place = place + rotate(frame, links[i].bone);
    }
    Vec3<L> tip = place;
    for (std::size_t i = plan.node_count - 1; i-- > 0;) {
      const Quat<L> over = above(plan, i, i ? scratch[i - 1].frame : frame);
      turn_link(plan, i, scratch[i].point, over, scratch[i].frame, tip);
    }
    compose(plan);
    this->finish_sweep(plan, head->tip, kSlow);
    note_best(plan);
  }

  // What is out of reach may be so by the limits: sweeps tell.
  LISSOM_INLINE Mask<T> stretch(const IkPlan&) const { return L(0) != L(0); }

  // Chains that are stuck: the first time they are laid along an arc, as far as limits allow it, then each joint goes
  // somewhere within its limit.
  LISSOM_NOINLINE void restart(const IkPlan& plan, Mask<T> which) {
    const Mask<T> is_first = head->restarts <= L(1);
    Quat<L> frame = Quat<L>::identity();
    for (std::size_t i = 0; i <= middle_link(plan); ++i) frame = above(plan, i, frame) * links[i].local;
    const Arc<T> arc(head->target, rotate(frame, head->bend));
    frame = Quat<L>::identity();
    L begin = L(0);
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      LimitedLink<T>& link = links[i];
      const Quat<L> over = above(plan, i, frame), here = over * link.local;
      const L size = length(link.bone);
      const Quat<L> turn = turn_bone<T>(rotate(here, link.bone), arc.direction_at(begin + L(T(0.5)) * size));
      const Quat<L> wanted =
          select(is_first, conjugate(over) * (turn * here), mirrored(link.sign, somewhere(plan, i)));
      link.local = select(which, clamp(plan, i, wanted), link.local);
      frame = over * link.local;
      begin += size;
    }
    compose(plan);
    this->measure(plan);
    note_best(plan);
  }

  // A rotation within the limit of link `i`, another after each restart: additive recurrences of irrational steps fill
  // the ranges evenly (M. Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018).
  LISSOM_INLINE Quat<L> somewhere(const IkPlan& plan, std::size_t i) const {
    const IkLimit& limit = plan.nodes[i].limit;
    const auto part = [&](double step, double shift) LISSOM_LAMBDA_INLINE {
      const L x = head->restarts * lanes_of<T>(step) + lanes_of<T>(shift * static_cast<double>(i % 64));
      return x - ((x + L(Circle<T>::kRound)) - L(Circle<T>::kRound));  // within half of 0
    };
    const auto within = [](double range) LISSOM_LAMBDA_INLINE {
      return lanes_of<T>(2 * (range < kHalfTurn ? range : kHalfTurn));
    };
    const SinCos<L> twist = sincos(L(T(0.5)) * (lanes_of<T>(limit.middle) +
                                                within(limit.half_range) * part(0.8191725134, 0.6180339887)));
    const Quat<L> about_z = {L(0), L(0), twist.sin, twist.cos};
    if (limit.kind == LimitKind::kHinge) return from_limit<T>(limit, about_z);
    const L x = within(limit.half_angles[0]) * part(0.6710436067, 0.4142135624);
    const L y = within(limit.half_angles[1]) * part(0.5497004779, 0.7320508076);
    const L angle = sqrt(x * x + y * y);
    const SinCos<L> half = sincos(L(T(0.5)) * angle);
    const L factor = half.sin / max(angle, L(Limits<T>::kSmallest));
    return from_limit<T>(limit, Quat<L>{factor * x, factor * y, L(0), half.cos} * about_z);
  }
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
