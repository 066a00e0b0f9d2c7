// SPDX-License-Identifier: MIT
#pragma once

// One chain without limits: solved on positions alone. For fabrik_kernels.cpp only.
//
// Points are measured from the chain's root, in units of its length: no size overflows, and every threshold below is
// a share of the length.

#include "core/ik/base_metric.h"
#include "core/ik/chain_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// Straighter than this, with the target in line, passes get nowhere: inner joints are then moved aside, by no less.
constexpr double kAside = 1e-3;
// Passes end a little before the tolerance, for the answer is measured anew on rotations.
constexpr double kShareOfTolerance = 0.95;

template <class T>
struct FreeHead {
  using L = Lanes<T>;
  Vec3<L> target;
  L tolerance;   // distance to the target that ends a lane
  L iterations;  // passes made
};
template <class T>
struct FreeBone {
  using L = Lanes<T>;
  Vec3<L> end;  // where it is; the first begins at 0
  Vec3<L> way;  // unit: at the start; any where it has no length
  L length;
};

// The chains of one vector: rows of lanes, one after another in memory, so that the chain of a lane can be moved.
template <class T>
struct FreeChain {
  using L = Lanes<T>;
  static constexpr int kLanes = L::kCount;
  std::size_t bones = 0;
  FreeHead<T>* head = nullptr;
  FreeBone<T>* links = nullptr;
  Vec3<L>* answer = nullptr;  // `end` of lanes that have ended
  L scale;                    // shares for lengths in the base
  L before;                   // error of the start
  Mat3<L> metric;             // of the base
  Mask<T> is_skewed;  // whether that does more than turn: what comes nearer in the base need not in the model
  L least;            // of those the square of the least distance seen

  static std::size_t row_bytes(const IkPlan& plan) {
    return sizeof(FreeHead<T>) + (plan.node_count - 1) * sizeof(FreeBone<T>);
  }
  static std::size_t bytes(const IkPlan& plan) {
    return row_bytes(plan) + (plan.node_count - 1) * sizeof(Vec3<L>);
  }
  LISSOM_INLINE void place(const IkPlan& plan, char* memory) {
    bones = plan.node_count - 1;
    head = reinterpret_cast<FreeHead<T>*>(memory);
    links = reinterpret_cast<FreeBone<T>*>(head + 1);
    answer = reinterpret_cast<Vec3<L>*>(links + bones);
  }

  // Composes and measures the start. Gives the lanes that have somewhere to go.
  LISSOM_NOINLINE Mask<T> load(ChainLanes<T>& chains) {
    L sum = L(0);
    for (std::size_t i = 0; i < bones; ++i) {
      links[i].length = any_length(chains.nodes[i + 1].offset);
      sum += links[i].length;
    }
    scale = 1 / select(sum > L(Limits<T>::kSmallest), sum, L(1));
    chains.compose_node(0);
    Vec3<L> at = {L(0), L(0), L(0)};
    for (std::size_t i = 0; i < bones; ++i) {
      FreeBone<T>& link = links[i];
      NodeLanes<T>& next = chains.nodes[i + 1];
      const Vec3<L> bone = rotate(chains.nodes[i].frame, next.offset);
      next.position = chains.nodes[i].position + bone;
      if (i + 1 < bones) next.frame = chains.frame_above(i + 1) * next.local;
      at = at + scale * bone;
      link.end = at;
      const Mask<T> is_point = link.length <= L(Limits<T>::kEpsilon) * sum;
      const L inverse = 1 / select(is_point, L(1), link.length);
      link.way = select(is_point, Vec3<L>{L(0), L(1), L(0)}, inverse * bone);
      link.length = scale * link.length;
    }
    head->target = scale * (chains.effectors[0].target - chains.nodes[0].position);
    head->tolerance = lanes_of<T>(kShareOfTolerance) * L(chains.batch.tolerance) * share_of_stretch(chains);
    head->iterations = L(0);
    is_skewed = L(0) != L(0);
    if (chains.plan.ancestor_count) {
      metric = metric_of(chains);
      is_skewed = does_skew<T>(metric);
    }
    least = L(Limits<T>::kLargest);
    chains.measure();
    before = chains.error();
    return !chains.are_reached();
  }

  // How the mean scale above the chain compares to the largest that a direction may have there: 1 where all are alike.
  static LISSOM_INLINE L share_of_stretch(const ChainLanes<T>& chains) {
    if (!chains.plan.ancestor_count) return L(1);
    const Mat3<L> m = chains.model_from_base.linear();
    const Vec3<L> x = m.column(0), y = m.column(1), z = m.column(2);
    // The greatest row sum of M^T M is no less than the square of the largest stretch.
    const L xy = abs(dot(x, y)), yz = abs(dot(y, z)), zx = abs(dot(z, x));
    const L most = max(max(dot(x, x) + xy + zx, dot(y, y) + xy + yz), dot(z, z) + yz + zx);
    return chains.model_scale / sqrt(most);
  }

  // Where the chain ends the nearest, where that is known: straight where the target is too far, and folded where it is
  // nearer to the root than one long bone can get by the others. Gives the lanes that this answers.
  LISSOM_INLINE Mask<T> answer_out_of_reach() {
    const Vec3<L>& target = head->target;
    const L distance = length(target);
    L longest = links[0].length;
    for (std::size_t i = 1; i < bones; ++i) longest = max(longest, links[i].length);
    const Mask<T> is_far = distance > L(1), is_near = distance < 2 * longest - 1;
    const Mask<T> is_answered = is_far | is_near;
    if (!any(is_answered)) return is_answered;
    // The way to the target; of one at the root that of the first of the longest bones.
    Vec3<L> way = links[0].way;
    Mask<T> is_longest = links[0].length == longest;
    for (std::size_t i = 1; i < bones; ++i) {
      const Mask<T> is_first = (links[i].length == longest) & (!is_longest);
      way = select(is_first, links[i].way, way);
      is_longest = is_longest | is_first;
    }
    const Mask<T> is_root = distance <= L(Limits<T>::kEpsilon);
    const L divisor = select(is_root, L(1), distance);
    way = select(is_root, way, Vec3<L>{target.x / divisor, target.y / divisor, target.z / divisor});
    Vec3<L> at = {L(0), L(0), L(0)};
    for (std::size_t i = 0; i < bones; ++i) {
      const L& length = links[i].length;
      const L step = select(is_near & (length < longest), -length, length);
      at = at + step * way;
      links[i].end = select(is_answered, at, links[i].end);
    }
    return is_answered;
  }

  // Moves inner joints aside the way the limb bends, where all of it and the target stand in line.
  LISSOM_INLINE void leave_the_line(const ChainLanes<T>& chains) {
    const Vec3<L>& target = head->target;
    Vec3<L> farthest = target;
    L most = dot(target, target);
    for (std::size_t i = 0; i < bones; ++i) {
      const L square = dot(links[i].end, links[i].end);
      farthest = select(square > most, links[i].end, farthest);
      most = max(square, most);
    }
    const auto off_line = [&](const Vec3<L>& point) LISSOM_LAMBDA_INLINE {
      const Vec3<L> area = cross(point, farthest);
      return dot(area, area);
    };
    L aside = off_line(target);
    for (std::size_t i = 0; i < bones; ++i) aside = max(aside, off_line(links[i].end));
    const Mask<T> is_line = aside <= lanes_of<T>(kAside * kAside) * most;
    if (!any(is_line)) return;
    // To the bow of an arc whose chord leads to the target, by the first term of its series. Passes from much less fold the
    // chain along the line before they get away from it: of a hundred chains three are not unfolded by 60.
    const L slack = max(1 - sqrt(dot(target, target)), L(0));
    const L bow = max(lanes_of<T>(0.612) * sqrt(slack), lanes_of<T>(kAside));
    L along = L(0);
    for (std::size_t i = 1; i < bones; ++i) {
      along += links[i - 1].length;
      const Vec3<L> axis = rotate(chains.nodes[i].frame,
                                  chains.axis_in_mirror(i, broadcast<T>(chains.plan.nodes[i].bend_axis)));
      // A joint that bends further goes away from where its child goes.
      Vec3<L>& joint = links[i - 1].end;
      const Vec3<L> moved = joint - (4 * bow * along * (1 - along)) * cross(axis, links[i].way);
      joint = select(is_line, moved, joint);
    }
  }

  // The point at `length` from `from` on the way to `to`; along `way` where the two coincide.
  static LISSOM_INLINE Vec3<L> at_length(const Vec3<L>& from, const Vec3<L>& to, const L& length,
                                         const Vec3<L>& way, const L& side) {
    const Vec3<L> bone = to - from;
    const L square = dot(bone, bone);
    const Mask<T> is_point = square <= L(Limits<T>::kSmallest);
    if (__builtin_expect(any(is_point), false)) {
      const L share = length / sqrt(select(is_point, L(1), square));
      return from + select(is_point, (side * length) * way, share * bone);
    }
    return from + (length / sqrt(square)) * bone;
  }

  // There and back again, of several vectors side by side: each waits for its own last joint.
  template <int kCount>
  static LISSOM_NOINLINE void reach(FreeChain* chains) {
    const std::size_t bones = chains[0].bones;
    Vec3<L> at[kCount];
    for (int g = 0; g < kCount; ++g) at[g] = chains[g].head->target;
    for (std::size_t i = bones - 1; i > 0; --i) {
      for (int g = 0; g < kCount; ++g) {
        const FreeBone<T>& link = chains[g].links[i];
        Vec3<L>& begin = chains[g].links[i - 1].end;
        at[g] = at_length(at[g], begin, link.length, link.way, L(-1));
        begin = at[g];
      }
    }
    for (int g = 0; g < kCount; ++g) {
      chains[g].links[bones - 1].end = chains[g].head->target;
      at[g] = {L(0), L(0), L(0)};
    }
    for (std::size_t i = 0; i < bones; ++i) {
      for (int g = 0; g < kCount; ++g) {
        FreeBone<T>& link = chains[g].links[i];
        at[g] = at_length(at[g], link.end, link.length, link.way, L(1));
        link.end = at[g];
      }
    }
  }

  LISSOM_INLINE Mask<T> is_reached() const {
    const Vec3<L> way = head->target - links[bones - 1].end;
    return dot(way, way) <= head->tolerance * head->tolerance;
  }

  LISSOM_INLINE void keep(Mask<T> which) {
    for (std::size_t i = 0; i < bones; ++i) answer[i] = select(which, links[i].end, answer[i]);
  }
  // Keeps what is nearer to the target in the model than `least`.
  LISSOM_NOINLINE void keep_nearest(Mask<T> which) {
    const Vec3<L> way = metric * (head->target - links[bones - 1].end);
    const L square = dot(way, way);
    const Mask<T> is_nearer = which & (square < least);
    least = select(is_nearer, square, least);
    keep(is_nearer);
  }

  // Answers what needs no passes; gives the busy lanes that do.
  LISSOM_INLINE Mask<T> begin(const ChainLanes<T>& chains, Mask<T> is_busy) {
    if (!chains.batch.max_iterations) return L(0) != L(0);
    if (!any(is_busy)) return is_busy;
    leave_the_line(chains);
    const Mask<T> is_answered = is_busy & answer_out_of_reach();
    head->iterations = select(is_answered, L(1), L(0));
    for (std::size_t i = 0; i < bones; ++i) answer[i] = links[i].end;
    return is_busy & !is_answered;
  }
  // After a pass: the busy lanes that need more.
  LISSOM_INLINE Mask<T> end_pass(Mask<T> is_busy, bool is_last) {
    head->iterations = select(is_busy, head->iterations + L(1), head->iterations);
    const Mask<T> has_ended = is_last ? is_busy : is_busy & is_reached();
    if (__builtin_expect(any(is_skewed), false)) keep_nearest(is_busy & is_skewed);
    if (!any(has_ended)) return is_busy;
    keep(has_ended & !is_skewed);
    return is_busy & !has_ended;
  }

  // Turns joints of `which` lanes from the root on, each by the least turn that brings its bone to where the answer has
  // it: the twist is carried from the pose that was started from. Rotations become unit, and are composed.
  template <int kCount>
  static LISSOM_NOINLINE void turn(const FreeChain* groups, ChainLanes<T>* chains, const Mask<T>* which) {
    for (std::size_t i = 0; i < groups[0].bones; ++i) {
      for (int g = 0; g < kCount; ++g) groups[g].turn_joint(chains[g], i, which[g]);
    }
  }
  LISSOM_INLINE void turn_joint(ChainLanes<T>& chains, std::size_t i, Mask<T> which) const {
    NodeLanes<T>& node = chains.nodes[i];
    NodeLanes<T>& next = chains.nodes[i + 1];
    const Quat<L> above = chains.frame_above(i);
    const Vec3<L> from = rotate(node.local, scale * next.offset);
    const Vec3<L> bone = i ? answer[i] - answer[i - 1] : answer[0];
    const Vec3<L> to = rotate(conjugate(above), bone);
    const L& length = links[i].length;
    const Mask<T> does_turn = which & (length > L(Limits<T>::kEpsilon));
    node.local = normalized(select(does_turn, arc_between(from, to, length) * node.local, node.local));
    node.frame = above * node.local;
    next.position = node.position + rotate(node.frame, next.offset);
  }

  // The shortest rotation between two vectors of one length, times anything.
  static LISSOM_INLINE Quat<L> arc_between(const Vec3<L>& from, const Vec3<L>& to, const L& length) {
    const L square = length * length, w = square + dot(from, to);
    const Quat<L> arc = quat_from(cross(from, to), w);
    // Of nearly opposite directions the sum loses digits.
    const Mask<T> is_blunt = w <= lanes_of<T>(0.01) * square;
    if (__builtin_expect(!any(is_blunt), true)) return arc;
    const Mask<T> is_point = length <= L(Limits<T>::kEpsilon);
    const Vec3<L> y = {L(0), L(1), L(0)};
    const Quat<L> blunt =
        quat_from_to(select(is_point, y, direction(from)), select(is_point, y, direction(to)));
    return select(is_blunt, blunt, arc);
  }

  // Writes the first `count` lanes, turned: of those that `moved` the answers, unless they started nearer.
  LISSOM_NOINLINE void store(ChainLanes<T>& chains, Mask<T> moved, bool follows, int count) const {
    if (chains.keep_input_of_lost()) chains.compose();
    chains.measure();
    const Mask<T> is_worse = moved & !(chains.error() <= before);
    if (__builtin_expect(any(is_worse), false)) {
      for (std::size_t i = 0; i < bones; ++i) chains.nodes[i].best = chains.nodes[i].local;
      chains.load_start(follows);
      for (std::size_t i = 0; i < bones; ++i) {
        Quat<L>& local = chains.nodes[i].local;
        local = select(is_worse, normalized(local), chains.nodes[i].best);
      }
      chains.compose();
      chains.measure();
    }
    chains.orient_effectors();
    chains.store_composed(head->iterations, count);
  }
};

// Whether a tree is one chain that no limit bounds.
inline bool is_free_chain(const IkPlan& plan) {
  if (plan.effector_count != 1) return false;
  for (std::size_t i = 0; i < plan.node_count; ++i) {
    if (plan.nodes[i].turns && plan.nodes[i].limit.kind != LimitKind::kNone) return false;
  }
  return plan.node_count > 1;
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
