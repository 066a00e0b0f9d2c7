// SPDX-License-Identifier: MIT
#pragma once

// Cyclic coordinate descent of chains with limits, to which each rotation is clamped. For *_kernels.cpp files only.

#include "core/ik/ccd_rows.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
struct LimitedLink {
  using L = Lanes<T>;
  Quat<L> local;                    // within its limit; mirrored, as in NodeLanes
  Quat<L> best;                     // of the pose with the least error
  Quat<L> parent_node_from_parent;  // as in NodeLanes
  Vec3<L> mirror;
  Vec3<L> bone_joint;  // to the next joint
};

// The rotation about `unit_axis` that brings direction `a` closest to `b`; the identity where one is parallel to the
// axis.
template <class T>
LISSOM_INLINE Quat<Lanes<T>> rotation_about(const Vec3<Lanes<T>>& unit_axis, const Vec3<Lanes<T>>& a,
                                            const Vec3<Lanes<T>>& b) {
  using L = Lanes<T>;
  const L sine = dot(cross(a, b), unit_axis), cosine = dot(a, b) - dot(a, unit_axis) * dot(b, unit_axis);
  const L size = sqrt(sine * sine + cosine * cosine), w = size + cosine;
  const L square = sine * sine + w * w;
  // Undefined for opposite directions: half a turn.
  const Mask<T> is_defined = square > size * size * L(T(1e-9)) + L(T(1e-30));
  const Mask<T> is_lost = size <= L(T(1e-15));
  const L inverse = L(1) / sqrt(select(is_defined, square, L(1)));
  const L z = select(is_defined, inverse * sine, L(1));
  return select(is_lost, Quat<L>::identity(),
                quat_from(z * unit_axis, select(is_defined, inverse * w, L(0))));
}

template <class T>
struct LimitedChains : CcdRows<T, LimitedLink<T>> {
  using L = Lanes<T>;
  using CcdRows<T, LimitedLink<T>>::head;
  using CcdRows<T, LimitedLink<T>>::links;
  static constexpr double kSlow = 0.95;
  static constexpr int kRestarts = 1 << 20;  // unbounded: sweeps end first

  struct Scratch {
    Vec3<L> point;
    Quat<L> base_from_joint;
  };

  LISSOM_INLINE void begin(const IkPlan&) {}

  LISSOM_INLINE void load(const ChainLanes<T>& chains, const L& share) {
    for (std::size_t i = 0; i + 1 < chains.plan.node_count; ++i) {
      const NodeLanes<T>& node = chains.nodes[i];
      links[i].local = links[i].best = normalized(node.local);
      links[i].parent_node_from_parent = normalized(node.parent_node_from_parent);
      links[i].mirror = node.mirror;
      links[i].bone_joint = share * chains.nodes[i + 1].offset_parent_node;
    }
    compose(chains.plan);
  }
  LISSOM_INLINE Quat<L> local(const ChainLanes<T>&, std::size_t i) const { return links[i].best; }
  LISSOM_INLINE void keep_answers(const IkPlan& plan, const LimitedChains& other, const LaneMoves<T>& moves) {
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      moves.apply(&links[i].best, &other.links[i].best, sizeof(links[i].best));
    }
  }
  LISSOM_INLINE void note_best(const IkPlan& plan) {
    const Mask<T> is_better = head->error < head->least;
    head->least = select(is_better, head->error, head->least);
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      links[i].best = select(is_better, links[i].local, links[i].best);
    }
  }

  // Of the parent joint of link `i`, by base_from_joint of the link before.
  LISSOM_INLINE Quat<L> base_from_parent(const IkPlan& plan, std::size_t i,
                                         const Quat<L>& base_from_joint) const {
    if (i == 0) return links[0].parent_node_from_parent;
    const IkNode& node = plan.nodes[i];
    return node.between_begin == node.between_end ? base_from_joint
                                                  : base_from_joint * links[i].parent_node_from_parent;
  }
  LISSOM_INLINE Quat<L> clamp(const IkPlan& plan, std::size_t i, const Quat<L>& local) const {
    const IkLimit& limit = plan.nodes[i].limit;
    if (limit.kind == LimitKind::kNone) return normalized(local);
    return mirrored(links[i].mirror, clamped<T>(limit, mirrored(links[i].mirror, normalized(local))));
  }
  LISSOM_INLINE void compose(const IkPlan& plan) {
    Vec3<L> place = {L(0), L(0), L(0)};
    Quat<L> base_from_joint = Quat<L>::identity();
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      base_from_joint = base_from_parent(plan, i, base_from_joint) * links[i].local;
      place = place + rotate(base_from_joint, links[i].bone_joint);
    }
    head->tip = place;
  }

  // Rotates link `i`, whose joint is at `place`, so that the tip comes closest to the target; returns its new
  // base_from_joint.
  LISSOM_NOINLINE Quat<L> rotate_link(const IkPlan& plan, std::size_t i, const Vec3<L>& place,
                                      const Quat<L>& parent, const Quat<L>& base_from_joint, Vec3<L>& tip) {
    const IkLimit& limit = plan.nodes[i].limit;
    const Vec3<L> to_tip = tip - place, to_target = head->target - place;
    Quat<L> rotation;
    if (limit.kind == LimitKind::kHinge) {
      const Vec3<L>& g = links[i].mirror;
      const Vec3<L> axis_joint = rotate(broadcast<T>(limit.joint_from_limit), Vec3<L>{L(0), L(0), L(1)});
      rotation = rotation_about<T>(
          rotate(base_from_joint,
                 Vec3<L>{g.y * g.z * axis_joint.x, g.z * g.x * axis_joint.y, g.x * g.y * axis_joint.z}),
          to_tip, to_target);
    } else {
      rotation = rotation_towards(to_tip, to_target).rotation;
    }
    links[i].local = clamp(plan, i, conjugate(parent) * (rotation * base_from_joint));
    const Quat<L> rotated = parent * links[i].local;
    tip = place + rotate(rotated, rotate(conjugate(base_from_joint), to_tip));
    return rotated;
  }

  LISSOM_NOINLINE void sweep_down(const IkPlan& plan) {
    Vec3<L> place = {L(0), L(0), L(0)}, tip = head->tip;
    Quat<L> base_from_joint = Quat<L>::identity();
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      const Quat<L> parent = base_from_parent(plan, i, base_from_joint);
      base_from_joint = rotate_link(plan, i, place, parent, parent * links[i].local, tip);
      place = place + rotate(base_from_joint, links[i].bone_joint);
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
    Quat<L> base_from_joint = Quat<L>::identity();
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      base_from_joint = base_from_parent(plan, i, base_from_joint) * links[i].local;
      scratch[i] = {place, base_from_joint};
      place = place + rotate(base_from_joint, links[i].bone_joint);
    }
    Vec3<L> tip = place;
    for (std::size_t i = plan.node_count - 1; i-- > 0;) {
      const Quat<L> parent = base_from_parent(plan, i, i ? scratch[i - 1].base_from_joint : base_from_joint);
      rotate_link(plan, i, scratch[i].point, parent, scratch[i].base_from_joint, tip);
    }
    compose(plan);
    this->finish_sweep(plan, head->tip, kSlow);
    note_best(plan);
  }

  // With limits, sweeps alone show whether a target is out of reach.
  LISSOM_INLINE Mask<T> stretch(const IkPlan&) const { return L(0) != L(0); }

  // Chains that are stuck: the first time they are laid along an arc, as far as limits allow, then each joint is set to
  // a sample within its limit.
  LISSOM_NOINLINE void restart(const IkPlan& plan, Mask<T> which) {
    const Mask<T> is_first = head->restarts <= L(1);
    Quat<L> above = Quat<L>::identity();  // base_from_joint of the link before
    for (std::size_t i = 0; i <= middle_link(plan); ++i)
      above = base_from_parent(plan, i, above) * links[i].local;
    const Arc<T> arc(head->target, rotate(above, head->bend_axis_joint));
    above = Quat<L>::identity();
    L begin = L(0);
    for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
      LimitedLink<T>& link = links[i];
      const Quat<L> parent = base_from_parent(plan, i, above), base_from_joint = parent * link.local;
      const L size = length(link.bone_joint);
      const Quat<L> rotation = rotation_of_bone<T>(rotate(base_from_joint, link.bone_joint),
                                                   arc.direction_at(begin + L(T(0.5)) * size));
      const Quat<L> local = select(is_first, conjugate(parent) * (rotation * base_from_joint),
                                   mirrored(link.mirror, sampled_rotation(plan, i)));
      link.local = select(which, clamp(plan, i, local), link.local);
      above = parent * link.local;
      begin += size;
    }
    compose(plan);
    this->measure(plan);
    note_best(plan);
  }

  // A rotation within the limit of link `i`, another one after each restart: additive recurrences with irrational steps
  // fill the ranges evenly (M. Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018).
  LISSOM_INLINE Quat<L> sampled_rotation(const IkPlan& plan, std::size_t i) const {
    const IkLimit& limit = plan.nodes[i].limit;
    const auto part = [&](double step, double shift) LISSOM_LAMBDA_INLINE {
      const L x = head->restarts * lanes_of<T>(step) + lanes_of<T>(shift * static_cast<double>(i % 64));
      return x - ((x + L(Circle<T>::kRound)) - L(Circle<T>::kRound));  // within half of 0
    };
    const auto within = [](double range)
                            LISSOM_LAMBDA_INLINE { return lanes_of<T>(2 * (range < kPi ? range : kPi)); };
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
