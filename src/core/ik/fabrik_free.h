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
struct FreeChain {
  using L = Lanes<T>;
  const IkPlan& plan;
  std::size_t bones;
  Vec3<L>* points;  // (bones + 1), the root's stays 0
  Vec3<L>* answer;  // (bones + 1), of lanes that have ended
  Vec3<L>* ways;    // (bones) unit: of the bones at the start; any where a bone has no length
  L* lengths;       // (bones)
  Vec3<L> target;
  L tolerance;     // distance to the target that ends a lane
  Mat3<L> metric;  // of the base
  Mask<T>
      is_skewed;  // whether that does more than turn: passes that come nearer in the base need not in the model

  static std::size_t scratch_bytes(const IkPlan& plan) {
    return plan.node_count * (3 * sizeof(Vec3<L>) + sizeof(L));
  }
  LISSOM_INLINE FreeChain(const IkPlan& p, void* scratch)
      : plan(p), bones(p.node_count - 1), points(static_cast<Vec3<L>*>(scratch)) {
    answer = points + p.node_count;
    ways = answer + p.node_count;
    lengths = reinterpret_cast<L*>(ways + p.node_count);
  }

  // Takes a composed pose.
  LISSOM_INLINE void load(const ChainLanes<T>& chains) {
    L sum = L(0);
    for (std::size_t i = 0; i < bones; ++i) {
      lengths[i] = length(chains.nodes[i + 1].offset);
      sum += lengths[i];
    }
    const L scale = 1 / select(sum > L(Limits<T>::kSmallest), sum, L(1));
    const Vec3<L> root = chains.nodes[0].position;
    const Vec3<L> zero = {L(0), L(0), L(0)};
    points[0] = zero;
    for (std::size_t i = 0; i < bones; ++i) {
      lengths[i] = lengths[i] * scale;
      points[i + 1] = scale * (chains.nodes[i + 1].position - root);
      const Vec3<L> bone = points[i + 1] - points[i];
      const L size = length(bone);
      const Mask<T> is_point = size <= L(Limits<T>::kEpsilon);
      const L divisor = select(is_point, L(1), size);
      ways[i] = select(is_point, Vec3<L>{L(0), L(1), L(0)},
                       Vec3<L>{bone.x / divisor, bone.y / divisor, bone.z / divisor});
    }
    target = scale * (chains.effectors[0].target - root);
    tolerance = lanes_of<T>(kShareOfTolerance) * L(chains.batch.tolerance) * share_of_stretch(chains);
    is_skewed = L(0) != L(0);
    if (chains.plan.ancestor_count) {
      metric = metric_of(chains);
      is_skewed = does_skew<T>(metric);
    }
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
    const L distance = length(target);
    L longest = lengths[0];
    Vec3<L> way = ways[0];
    for (std::size_t i = 1; i < bones; ++i) {
      const Mask<T> is_longer = lengths[i] > longest;
      longest = select(is_longer, lengths[i], longest);
      way = select(is_longer, ways[i], way);
    }
    const Mask<T> is_far = distance > L(1), is_near = distance < 2 * longest - 1;
    const Mask<T> is_answered = is_far | is_near;
    if (!any(is_answered)) return is_answered;
    const Mask<T> is_root = distance <= L(Limits<T>::kEpsilon);
    const L divisor = select(is_root, L(1), distance);
    way = select(is_root, way, Vec3<L>{target.x / divisor, target.y / divisor, target.z / divisor});
    Vec3<L> at = points[0];
    for (std::size_t i = 0; i < bones; ++i) {
      const L step = select(is_near & (lengths[i] < longest), -lengths[i], lengths[i]);
      at = at + step * way;
      points[i + 1] = select(is_answered, at, points[i + 1]);
    }
    return is_answered;
  }

  // Moves inner joints aside the way the limb bends, where all of it and the target stand in line.
  LISSOM_INLINE void leave_the_line(const ChainLanes<T>& chains) {
    Vec3<L> farthest = target;
    L most = dot(target, target);
    for (std::size_t i = 1; i <= bones; ++i) {
      const L square = dot(points[i], points[i]);
      farthest = select(square > most, points[i], farthest);
      most = max(square, most);
    }
    const auto off_line = [&](const Vec3<L>& point) LISSOM_LAMBDA_INLINE {
      const Vec3<L> area = cross(point, farthest);
      return dot(area, area);
    };
    L aside = off_line(target);
    for (std::size_t i = 1; i <= bones; ++i) aside = max(aside, off_line(points[i]));
    const Mask<T> is_line = aside <= lanes_of<T>(kAside * kAside) * most;
    if (!any(is_line)) return;
    // To the bow of an arc whose chord leads to the target, by the first term of its series. Passes from much less fold the
    // chain along the line before they get away from it: of a hundred chains three are not unfolded by 60.
    const L slack = max(1 - sqrt(dot(target, target)), L(0));
    const L bow = max(lanes_of<T>(0.612) * sqrt(slack), lanes_of<T>(kAside));
    L along = L(0);
    for (std::size_t i = 1; i < bones; ++i) {
      along += lengths[i - 1];
      const Vec3<L> axis =
          rotate(chains.nodes[i].frame, chains.axis_in_mirror(i, broadcast<T>(plan.nodes[i].bend_axis)));
      // A joint that bends further goes away from where its child goes.
      const Vec3<L> moved = points[i] - (4 * bow * along * (1 - along)) * cross(axis, ways[i]);
      points[i] = select(is_line, moved, points[i]);
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

  // There and back again.
  LISSOM_NOINLINE void reach() {
    Vec3<L> at = target;
    for (std::size_t i = bones - 1; i > 0; --i) {
      at = at_length(at, points[i], lengths[i], ways[i], L(-1));
      points[i] = at;
    }
    points[bones] = target;
    at = points[0];
    for (std::size_t i = 0; i < bones; ++i) {
      at = at_length(at, points[i + 1], lengths[i], ways[i], L(1));
      points[i + 1] = at;
    }
  }

  LISSOM_INLINE Mask<T> is_reached() const {
    const Vec3<L> way = target - points[bones];
    return dot(way, way) <= tolerance * tolerance;
  }

  LISSOM_INLINE void keep(Mask<T> which) {
    for (std::size_t i = 1; i <= bones; ++i) answer[i] = select(which, points[i], answer[i]);
  }

  // Keeps what is nearer to the target in the model than `least`, a square.
  LISSOM_NOINLINE void keep_nearest(Mask<T> which, L& least) {
    const Vec3<L> way = metric * (target - points[bones]);
    const L square = dot(way, way);
    const Mask<T> is_nearer = which & (square < least);
    least = select(is_nearer, square, least);
    keep(is_nearer);
  }

  // Iterates lanes that are `busy`; gives how often each did.
  LISSOM_INLINE L solve(const ChainLanes<T>& chains, Mask<T> is_busy) {
    L iterations = L(0);
    const std::int32_t most = chains.batch.max_iterations;
    if (!most || !any(is_busy)) return iterations;
    leave_the_line(chains);
    const Mask<T> is_answered = is_busy & answer_out_of_reach();
    iterations = select(is_answered, L(1), iterations);
    for (std::size_t i = 1; i <= bones; ++i) answer[i] = points[i];
    is_busy = is_busy & !is_answered;
    L least = L(Limits<T>::kLargest);
    for (std::int32_t i = 0; i < most && any(is_busy); ++i) {
      reach();
      iterations = select(is_busy, iterations + L(1), iterations);
      const Mask<T> has_ended = i + 1 < most ? is_busy & is_reached() : is_busy;
      if (__builtin_expect(any(is_skewed), false)) keep_nearest(is_busy & is_skewed, least);
      if (!any(has_ended)) continue;
      keep(has_ended & !is_skewed);
      is_busy = is_busy & !has_ended;
    }
    return iterations;
  }

  // Turns joints of `which` lanes from the root on, each by the least turn that brings its bone to where the answer has
  // it: the twist is carried from the pose that was started from.
  LISSOM_NOINLINE void turn(ChainLanes<T>& chains, Mask<T> which) const {
    for (std::size_t i = 0; i < bones; ++i) {
      NodeLanes<T>& node = chains.nodes[i];
      const Quat<L> above = chains.frame_above(i);
      const Vec3<L> from = rotate(node.local, chains.nodes[i + 1].offset);
      const Vec3<L> bone = i ? answer[i + 1] - answer[i] : answer[1];
      const Quat<L> arc = shortest_arc(from, rotate(conjugate(above), bone));
      node.local = select(which, normalized(arc * node.local), node.local);
      node.frame = above * node.local;
    }
  }

  // Between directions of any length; none where one has no length.
  static LISSOM_INLINE Quat<L> shortest_arc(const Vec3<L>& from, const Vec3<L>& to) {
    const L sizes = sqrt(dot(from, from)) * sqrt(dot(to, to));
    const L cosine = dot(from, to);
    const Mask<T> is_point = sizes <= L(Limits<T>::kSmallest);
    const L w = sizes + cosine;
    // Of nearly opposite directions the sum loses digits.
    const Mask<T> is_blunt = w <= lanes_of<T>(0.01) * sizes;
    const Quat<L> arc = normalized(quat_from(cross(from, to), select(is_point, L(1), w)));
    if (__builtin_expect(any(is_blunt & !is_point), false)) {
      const Vec3<L> y = {L(0), L(1), L(0)};
      const Quat<L> blunt =
          quat_from_to(select(is_point, y, direction(from)), select(is_point, y, direction(to)));
      return select(is_point, Quat<L>::identity(), select(is_blunt, blunt, arc));
    }
    return select(is_point, Quat<L>::identity(), arc);
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

template <class T>
LISSOM_INLINE void solve_free(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin, std::size_t end,
                              void* scratch) {
  using L = Lanes<T>;
  FreeChain<T> chain(plan, static_cast<char*>(scratch) + ChainLanes<T>::scratch_bytes(plan));
  for_each_group<T>(plan, batch, begin, end, scratch, [&](ChainLanes<T>& chains) LISSOM_LAMBDA_INLINE {
    chains.compose();
    chains.measure();
    const Mask<T> is_busy = !chains.are_reached();
    const L before = chains.error();
    chain.load(chains);
    for (std::size_t i = 0; i < chain.bones; ++i) chains.nodes[i].best = chains.nodes[i].local;
    const L iterations = chain.solve(chains, is_busy);
    const Mask<T> has_moved = iterations > L(0);
    chain.turn(chains, has_moved);
    chains.compose();
    chains.measure();
    const Mask<T> is_worse = has_moved & (chains.error() > before);
    if (any(is_worse)) {
      for (std::size_t i = 0; i < chain.bones; ++i) {
        chains.nodes[i].local = select(is_worse, chains.nodes[i].best, chains.nodes[i].local);
      }
      chains.compose();
    }
    chains.orient_effectors();
    return iterations;
  });
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
