// SPDX-License-Identifier: MIT
#pragma once

// Cyclic coordinate descent of chains whose joints turn freely. For *_kernels.cpp files only.
//
// A sweep is one pass over the links: the nearest point that a joint can bring the tip to lies on the line from the
// joint to the target, so the tip is known without a rotation, and all that follows a joint turns by the product of the
// turns so far.

#include "core/ik/ccd_rows.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
struct FreeLink {
  using L = Lanes<T>;
  Quat<L> frame;  // in the base, unit
  Vec3<L> bone;   // to the next joint, in this frame
};

// Close enough to unit to become it by one step of Newton's method.
template <class L>
LISSOM_INLINE Quat<L> renormalized(const Quat<L>& q) {
  return (L(1.5f) - L(0.5f) * dot(q, q)) * q;
}

template <class T>
struct FreeChains : CcdRows<T, FreeLink<T>> {
  using L = Lanes<T>;
  using CcdRows<T, FreeLink<T>>::head;
  using CcdRows<T, FreeLink<T>>::links;
  // Sweeps that leave so much of the distance bring little; the arc is laid once.
  static constexpr double kSlow = 0.8;
  static constexpr int kRestarts = 1;

  struct Scratch {
    Vec3<L> point;
    Quat<L> turn;
  };
  // Frames of the pose with the least error, of lanes that have one apart from `links`.
  Quat<L>* best = nullptr;

  static std::size_t bytes(const IkPlan& plan) {
    return CcdRows<T, FreeLink<T>>::bytes(plan) + (plan.node_count - 1) * sizeof(Quat<L>);
  }
  LISSOM_INLINE void place(const IkPlan& plan, char* memory) {
    CcdRows<T, FreeLink<T>>::place(plan, memory);
    best = reinterpret_cast<Quat<L>*>(links + (plan.node_count - 1));
  }
  // Lane `from` of another becomes lane `to`.
  LISSOM_INLINE void take_lane(const IkPlan& plan, int to, const FreeChains& other, int from) {
    CcdRows<T, FreeLink<T>>::take_lane(plan, to, other, from);
    if (other.head->has_best.v[from] == 0) return;
    copy_lane<T>(best, to, other.best, from, (plan.node_count - 1) * sizeof(Quat<L>));
  }
  // Poses are loaded and measured.
  LISSOM_INLINE void begin(const IkPlan& plan) {
    head->has_best = L(0);
    if (is_skewed(plan)) note_best(plan, head->is_skewed);
  }
  LISSOM_INLINE bool is_skewed(const IkPlan& plan) const {
    return plan.ancestor_count && __builtin_expect(any(head->is_skewed), false);
  }

  // The poses of `chains`, whose frames must be composed, their bones times `share`.
  LISSOM_INLINE void load(const ChainLanes<T>& chains, const L& share) {
    Vec3<L> place = {L(0), L(0), L(0)};
    for (std::size_t i = 0; i + 1 < chains.plan.node_count; ++i) {
      links[i].frame = normalized(chains.nodes[i].frame);
      links[i].bone = share * chains.nodes[i + 1].offset;
      place = place + rotate(links[i].frame, links[i].bone);
    }
    head->tip = place;
  }

  // The local rotations of node `i`.
  LISSOM_INLINE Quat<L> local(const ChainLanes<T>& chains, std::size_t i) const {
    const IkNode& node = chains.plan.nodes[i];
    const Quat<L>& before = chains.nodes[i].before;
    if (i == 0) return normalized(conjugate(before) * links[0].frame);
    const bool is_plain = node.between_begin == node.between_end;
    const Quat<L> above = is_plain ? links[i - 1].frame : links[i - 1].frame * before;
    return normalized(conjugate(above) * links[i].frame);
  }
  // Lane `from` of another becomes lane `to`, as far as local() needs it: the best pose.
  LISSOM_INLINE void keep_answer(const IkPlan& plan, int to, const FreeChains& other, int from) {
    const bool is_last =
        other.head->has_best.v[from] == 0 || other.head->error.v[from] <= other.head->least.v[from];
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      copy_lane<T>(&links[i].frame, to, is_last ? &other.links[i].frame : &other.best[i], from,
                   sizeof(Quat<L>));
    }
  }
  // A sweep leaves no tip farther away in the base, so the best pose is the last one until chains start anew, or where
  // the model sees distances otherwise.
  LISSOM_NOINLINE void note_best(const IkPlan& plan, Mask<T> which) {
    const Mask<T> is_better = which & ((head->error <= head->least) | (head->has_best == L(0)));
    head->least = select(is_better, head->error, head->least);
    head->has_best = select(which, L(1), head->has_best);
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      best[i] = select(is_better, links[i].frame, best[i]);
    }
  }
  LISSOM_INLINE void end_sweep(const IkPlan& plan, const Vec3<L>& tip) {
    this->finish_sweep(plan, tip, kSlow);
    if (is_skewed(plan)) note_best(plan, head->is_skewed);
  }

  // One sweep from the root to the tip, of several vectors side by side: each waits for its own last turn.
  template <int kCount>
  static LISSOM_INLINE void sweep_down(FreeChains* groups, const IkPlan& plan) {
    Vec3<L> place[kCount], tip[kCount];
    Quat<L> turned[kCount];
    for (int g = 0; g < kCount; ++g) {
      place[g] = {L(0), L(0), L(0)};
      tip[g] = groups[g].head->tip;
      turned[g] = Quat<L>::identity();
    }
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      for (int g = 0; g < kCount; ++g) {
        FreeLink<T>& link = groups[g].links[i];
        const Turn<L> turn = turn_towards(tip[g] - place[g], groups[g].head->target - place[g]);
        tip[g] = place[g] + turn.to;
        turned[g] = turn.turn * turned[g];
        link.frame = renormalized(turned[g] * link.frame);
        place[g] = place[g] + rotate(link.frame, link.bone);
      }
    }
    for (int g = 0; g < kCount; ++g) groups[g].end_sweep(plan, place[g]);
  }

  // One sweep from the tip to the root. Bends straight limbs, which the other leaves straight.
  LISSOM_INLINE void sweep_up(const IkPlan& plan, Scratch* scratch) {
    const std::size_t link_count = plan.node_count - 1;
    Vec3<L> place = {L(0), L(0), L(0)}, tip = head->tip;
    for (std::size_t i = 0; i < link_count; ++i) {
      scratch[i].point = place;
      place = place + rotate(links[i].frame, links[i].bone);
    }
    for (std::size_t i = link_count; i-- > 0;) {
      const Vec3<L>& point = scratch[i].point;
      const Turn<L> turn = turn_towards(tip - point, head->target - point);
      tip = point + turn.to;
      scratch[i].turn = turn.turn;
    }
    Quat<L> turned = Quat<L>::identity();
    place = {L(0), L(0), L(0)};
    for (std::size_t i = 0; i < link_count; ++i) {
      turned = turned * scratch[i].turn;
      links[i].frame = renormalized(turned * links[i].frame);
      place = place + rotate(links[i].frame, links[i].bone);
    }
    end_sweep(plan, place);
  }

  // Lays links of some lanes to where `direction_at(part)` has them, `part` being what of the chain is before the
  // middle of the link.
  template <class Directions>
  LISSOM_INLINE void lay_out(const IkPlan& plan, Mask<T> which, const Directions& direction_at) {
    Vec3<L> place = {L(0), L(0), L(0)};
    L begin = L(0);
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      FreeLink<T>& link = links[i];
      const L size = length(link.bone);
      const Quat<L> turn =
          turn_bone<T>(rotate(link.frame, link.bone), direction_at(begin + L(T(0.5)) * size));
      link.frame = select(which, normalized(turn * link.frame), link.frame);
      place = place + rotate(link.frame, link.bone);
      begin += size;
    }
    head->tip = select(which, place, head->tip);
  }

  // Chains whose targets are out of reach, stretched towards them: nothing comes closer in the base. Gives which.
  LISSOM_INLINE Mask<T> stretch(const IkPlan& plan) {
    const Mask<T> is_far = dot(head->target, head->target) > L(1);
    if (any(is_far)) {
      const Vec3<L> towards = direction(head->target);
      lay_out(plan, is_far, [&](const L&) LISSOM_LAMBDA_INLINE { return towards; });
      this->measure(plan);
    }
    return is_far;
  }

  // Chains that are stuck, laid along an arc to the target, about the middle joint's bend axis: from there a few sweeps
  // do.
  LISSOM_NOINLINE void restart(const IkPlan& plan, Mask<T> which) {
    note_best(plan, which);
    const Arc<T> arc(head->target, rotate(links[middle_link(plan)].frame, head->bend));
    lay_out(plan, which, [&](const L& part) LISSOM_LAMBDA_INLINE { return arc.direction_at(part); });
    this->measure(plan);
  }
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
