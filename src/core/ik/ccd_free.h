// SPDX-License-Identifier: MIT
#pragma once

// Cyclic coordinate descent of chains without limits. For *_kernels.cpp files only.
//
// A sweep is one pass over the links: the nearest point that a joint can bring the tip to lies on the line from the
// joint to the target, so the tip is known without a rotation, and all links after a joint rotate by the product of the
// rotations so far.

#include "core/ik/ccd_rows.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
struct FreeLink {
  using L = Lanes<T>;
  Quat<L> base_from_joint;  // unit
  Vec3<L> bone_joint;       // to the next joint
};

// Normalised by one step of Newton's method, for quaternions that are nearly unit.
template <class L>
LISSOM_INLINE Quat<L> renormalized(const Quat<L>& q) {
  return (L(1.5f) - L(0.5f) * dot(q, q)) * q;
}

template <class T>
struct FreeChains : CcdRows<T, FreeLink<T>> {
  using L = Lanes<T>;
  using CcdRows<T, FreeLink<T>>::head;
  using CcdRows<T, FreeLink<T>>::links;
  // Sweeps are slow that leave more of the distance than this; the arc is laid once.
  static constexpr double kSlow = 0.8;
  static constexpr int kRestarts = 1;

  struct Scratch {
    Vec3<L> point;
    Quat<L> rotation;
  };
  // base_from_joint of the pose with the least error, of lanes that have one apart from `links`.
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
  LISSOM_INLINE void take_lanes(const IkPlan& plan, const FreeChains& other, const LaneMoves<T>& moves) {
    CcdRows<T, FreeLink<T>>::take_lanes(plan, other, moves);
    if (!any(moves.which & (head->has_best != L(0)))) return;
    moves.apply(best, other.best, (plan.node_count - 1) * sizeof(Quat<L>));
  }
  // Poses must be loaded and measured.
  LISSOM_INLINE void begin(const IkPlan& plan) {
    head->has_best = L(0);
    if (is_skewed(plan)) note_best(plan, head->is_skewed);
  }
  LISSOM_INLINE bool is_skewed(const IkPlan& plan) const {
    return plan.ancestor_count && __builtin_expect(any(head->is_skewed), false);
  }

  // Takes the poses of `chains`, their bones times `share`.
  LISSOM_INLINE void load(const ChainLanes<T>& chains, const L& share) {
    Vec3<L> place = {L(0), L(0), L(0)};
    for (std::size_t i = 0; i + 1 < chains.plan.node_count; ++i) {
      const NodeLanes<T>& node = chains.nodes[i];
      const Quat<L> base_from_parent =
          i ? chains.base_from(links[i - 1].base_from_joint, i) : node.parent_node_from_parent;
      links[i].base_from_joint = normalized(base_from_parent * node.local);
      links[i].bone_joint = share * chains.nodes[i + 1].offset_parent_node;
      place = place + rotate(links[i].base_from_joint, links[i].bone_joint);
    }
    head->tip = place;
  }

  // The local rotation of node `i`, unit up to rounding.
  LISSOM_INLINE Quat<L> local(const ChainLanes<T>& chains, std::size_t i) const {
    const Quat<L> base_from_parent =
        i ? chains.base_from(links[i - 1].base_from_joint, i) : chains.nodes[0].parent_node_from_parent;
    return conjugate(base_from_parent) * links[i].base_from_joint;
  }
  // Takes lanes of another as far as local() reads them: the best pose.
  LISSOM_INLINE void keep_answers(const IkPlan& plan, const FreeChains& other, const LaneMoves<T>& moves) {
    const Mask<T> is_last = (other.head->has_best == L(0)) | (other.head->error <= other.head->least);
    const bool are_last = !any(!is_last);
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      const Quat<L>& last = other.links[i].base_from_joint;
      const Quat<L> q = are_last ? last : select(is_last, last, other.best[i]);
      moves.apply(&links[i].base_from_joint, &q, sizeof q);
    }
  }
  // No sweep moves a tip farther away in the base, so the best pose is the last one, except after restarts and where
  // distances in the model are skewed.
  LISSOM_NOINLINE void note_best(const IkPlan& plan, Mask<T> which) {
    const Mask<T> is_better = which & ((head->error <= head->least) | (head->has_best == L(0)));
    head->least = select(is_better, head->error, head->least);
    head->has_best = select(which, L(1), head->has_best);
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      best[i] = select(is_better, links[i].base_from_joint, best[i]);
    }
  }
  LISSOM_INLINE void end_sweep(const IkPlan& plan, const Vec3<L>& tip) {
    this->finish_sweep(plan, tip, kSlow);
    if (is_skewed(plan)) note_best(plan, head->is_skewed);
  }

  // One sweep from the root to the tip, of several vectors side by side, as each is a chain of dependent operations.
  template <int kCount>
  static LISSOM_INLINE void sweep_down(FreeChains* groups, const IkPlan& plan) {
    Vec3<L> place[kCount], tip[kCount];
    Quat<L> product[kCount];
    for (int g = 0; g < kCount; ++g) {
      place[g] = {L(0), L(0), L(0)};
      tip[g] = groups[g].head->tip;
      product[g] = Quat<L>::identity();
    }
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      // Step by step for all: processors look ahead a few dozen operations, not over a whole joint.
      TowardsPoint<L> towards[kCount];
      for (int g = 0; g < kCount; ++g) towards[g].begin(tip[g] - place[g], groups[g].head->target - place[g]);
      for (int g = 0; g < kCount; ++g) {
        const PointRotation<L> found = towards[g].end();
        tip[g] = place[g] + found.point;
        product[g] = found.rotation * product[g];
      }
      for (int g = 0; g < kCount; ++g) {
        FreeLink<T>& link = groups[g].links[i];
        const Quat<L> base_from_joint = product[g] * link.base_from_joint;
        place[g] = place[g] + rotate(base_from_joint, link.bone_joint);
        link.base_from_joint = renormalized(base_from_joint);
      }
    }
    for (int g = 0; g < kCount; ++g) groups[g].end_sweep(plan, place[g]);
  }

  // One sweep from the tip to the root. It bends straight limbs, which sweep_down() leaves straight.
  LISSOM_INLINE void sweep_up(const IkPlan& plan, Scratch* scratch) {
    const std::size_t link_count = plan.node_count - 1;
    Vec3<L> place = {L(0), L(0), L(0)}, tip = head->tip;
    for (std::size_t i = 0; i < link_count; ++i) {
      scratch[i].point = place;
      place = place + rotate(links[i].base_from_joint, links[i].bone_joint);
    }
    for (std::size_t i = link_count; i-- > 0;) {
      const Vec3<L>& point = scratch[i].point;
      const PointRotation<L> towards = rotation_towards(tip - point, head->target - point);
      tip = point + towards.point;
      scratch[i].rotation = towards.rotation;
    }
    Quat<L> product = Quat<L>::identity();
    place = {L(0), L(0), L(0)};
    for (std::size_t i = 0; i < link_count; ++i) {
      product = product * scratch[i].rotation;
      links[i].base_from_joint = renormalized(product * links[i].base_from_joint);
      place = place + rotate(links[i].base_from_joint, links[i].bone_joint);
    }
    end_sweep(plan, place);
  }

  // Rotates the links of some lanes to direction_at(part), where `part` is the share of the chain before the middle of
  // the link.
  template <class Directions>
  LISSOM_INLINE void lay_out(const IkPlan& plan, Mask<T> which, const Directions& direction_at) {
    Vec3<L> place = {L(0), L(0), L(0)};
    L begin = L(0);
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      FreeLink<T>& link = links[i];
      const L size = length(link.bone_joint);
      const Quat<L> rotation_base = rotation_of_bone<T>(rotate(link.base_from_joint, link.bone_joint),
                                                        direction_at(begin + L(T(0.5)) * size));
      link.base_from_joint =
          select(which, normalized(rotation_base * link.base_from_joint), link.base_from_joint);
      place = place + rotate(link.base_from_joint, link.bone_joint);
      begin += size;
    }
    head->tip = select(which, place, head->tip);
  }

  // Stretches chains towards targets that are out of reach, which is optimal in the base. Returns which.
  LISSOM_INLINE Mask<T> stretch(const IkPlan& plan) {
    const Mask<T> is_far = dot(head->target, head->target) > L(1);
    if (any(is_far)) {
      const Vec3<L> towards = direction(head->target);
      lay_out(plan, is_far, [&](const L&) LISSOM_LAMBDA_INLINE { return towards; });
      this->measure(plan);
    }
    return is_far;
  }

  // Lays chains that are stuck along an arc to the target, about the middle joint's bend axis: from there a few sweeps
  // suffice.
  LISSOM_NOINLINE void restart(const IkPlan& plan, Mask<T> which) {
    note_best(plan, which);
    const Arc<T> arc(head->target, rotate(links[middle_link(plan)].base_from_joint, head->bend_axis_joint));
    lay_out(plan, which, [&](const L& part) LISSOM_LAMBDA_INLINE { return arc.direction_at(part); });
    this->measure(plan);
  }
};

}  // namespace
}  // namespace lissom::LISSOM_ISA
