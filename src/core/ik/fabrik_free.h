// SPDX-License-Identifier: MIT
#pragma once

// One chain without limits, solved on positions alone. For fabrik_kernels.cpp only.
//
// Vectors are in the base; points are relative to the chain's root, in units of its length: no size overflows, and
// every threshold below is a share of the length.

#include "core/ik/base_metric.h"
#include "core/ik/chain_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// On chains straighter than this, with the target in line, passes make no progress: inner joints are then displaced, by
// no less.
constexpr double kAside = 1e-3;
// Passes end a little below the tolerance, as the residual is then measured on rotations.
constexpr double kShareOfTolerance = 0.95;

template <class T>
struct FreeHead {
  using L = Lanes<T>;
  Vec3<L> target;
  L tolerance;   // distance from tip to target that ends a lane
  L iterations;  // passes so far
};
template <class T>
struct FreeBone {
  using L = Lanes<T>;
  Vec3<L> end;    // the first begins at 0
  Vec3<L> start;  // the bone of the pose at the start
  L length;

  // Any where the length is zero.
  LISSOM_INLINE Vec3<L> start_direction() const {
    return direction(select(length <= L(Limits<T>::kEpsilon), Vec3<L>{L(0), L(1), L(0)}, start));
  }
};

// The chains of one vector: rows of lanes, one after another in memory, so that the chain of a lane can be moved.
template <class T>
struct FreeChain {
  using L = Lanes<T>;
  static constexpr int kLanes = L::kCount;
  std::size_t bones = 0;
  FreeHead<T>* head = nullptr;
  FreeBone<T>* links = nullptr;
  Vec3<L>* back = nullptr;  // `end` after a pass backward
  L scale;                  // from lengths in the base to shares
  L start_error;
  Mat3<L> metric;              // of the base (base_metric.h)
  Mask<T> is_skewed;           // whether that is more than a rotation
  L least;                     // where it is, the least squared distance so far in the model
  Vec3<L>* nearest = nullptr;  // `end` at that distance

  static std::size_t row_bytes(const IkPlan& plan) {
    return sizeof(FreeHead<T>) + (plan.node_count - 1) * sizeof(FreeBone<T>);
  }
  static std::size_t bytes(const IkPlan& plan) {
    return row_bytes(plan) + 2 * (plan.node_count - 1) * sizeof(Vec3<L>);
  }
  LISSOM_INLINE void place(const IkPlan& plan, char* memory) {
    bones = plan.node_count - 1;
    head = reinterpret_cast<FreeHead<T>*>(memory);
    links = reinterpret_cast<FreeBone<T>*>(head + 1);
    back = reinterpret_cast<Vec3<L>*>(links + bones);
    nearest = back + bones;
  }

  // Places and measures the start. Returns the lanes that are not within tolerance.
  LISSOM_NOINLINE Mask<T> load(ChainLanes<T>& chains) {
    L sum = L(0);
    for (std::size_t i = 0; i < bones; ++i) sum += chains.nodes[i + 1].bone_length;
    scale = 1 / select(sum > L(Limits<T>::kSmallest), sum, L(1));
    chains.compose_node(0);
    Quat<L> base_from_joint = chains.nodes[0].base_from_joint;
    Vec3<L> point = {L(0), L(0), L(0)}, place_base = chains.nodes[0].position_base;
    for (std::size_t i = 0; i < bones; ++i) {
      FreeBone<T>& link = links[i];
      const NodeLanes<T>& next = chains.nodes[i + 1];
      const Vec3<L> bone_base = rotate(base_from_joint, next.offset_parent_node);
      place_base = place_base + bone_base;
      if (i + 1 < bones) base_from_joint = chains.base_from(base_from_joint, i + 1) * next.local;
      link.start = scale * bone_base;
      point = point + link.start;
      link.end = point;
      link.length = scale * next.bone_length;
    }
    chains.nodes[bones].position_base = place_base;
    head->target = scale * (chains.effectors[0].target_base - chains.nodes[0].position_base);
    head->tolerance = lanes_of<T>(kShareOfTolerance) * L(chains.batch.tolerance) * share_of_stretch(chains);
    head->iterations = L(0);
    is_skewed = L(0) != L(0);
    if (chains.plan.ancestor_count) {
      metric = metric_of(chains);
      is_skewed = does_skew<T>(metric);
    }
    least = L(Limits<T>::kLargest);
    chains.measure();
    start_error = chains.error();
    return !chains.are_reached();
  }

  // The mean scale of the base over its largest in any direction: 1 where it is uniform.
  static LISSOM_INLINE L share_of_stretch(const ChainLanes<T>& chains) {
    if (!chains.plan.ancestor_count) return L(1);
    const Mat3<L> m = chains.model_from_base.linear();
    const Vec3<L> x = m.column(0), y = m.column(1), z = m.column(2);
    // The greatest row sum of M^T M is no less than the square of the largest stretch.
    const L xy = abs(dot(x, y)), yz = abs(dot(y, z)), zx = abs(dot(z, x));
    const L most = max(max(dot(x, x) + xy + zx, dot(y, y) + xy + yz), dot(z, z) + yz + zx);
    return chains.model_scale / sqrt(most);
  }

  // The optimum in closed form: straight where the target is out of reach, and folded where it is nearer to the root
  // than the longest bone allows. Returns the lanes that this solves.
  LISSOM_INLINE Mask<T> answer_out_of_reach() {
    const Vec3<L>& target = head->target;
    const L distance = length(target);
    L longest = links[0].length;
    for (std::size_t i = 1; i < bones; ++i) longest = max(longest, links[i].length);
    const Mask<T> is_far = distance > L(1), is_near = distance < 2 * longest - 1;
    const Mask<T> is_answered = is_far | is_near;
    if (!any(is_answered)) return is_answered;
    // To the target; where that is at the root, the direction of the first of the longest bones.
    Vec3<L> target_direction = links[0].start_direction();
    Mask<T> is_longest = links[0].length == longest;
    for (std::size_t i = 1; i < bones; ++i) {
      const Mask<T> is_first = (links[i].length == longest) & (!is_longest);
      target_direction = select(is_first, links[i].start_direction(), target_direction);
      is_longest = is_longest | is_first;
    }
    const Mask<T> is_root = distance <= L(Limits<T>::kEpsilon);
    const L divisor = select(is_root, L(1), distance);
    target_direction = select(is_root, target_direction,
                              Vec3<L>{target.x / divisor, target.y / divisor, target.z / divisor});
    Vec3<L> point = {L(0), L(0), L(0)};
    for (std::size_t i = 0; i < bones; ++i) {
      const L& length = links[i].length;
      const L step = select(is_near & (length < longest), -length, length);
      point = point + step * target_direction;
      links[i].end = select(is_answered, point, links[i].end);
    }
    return is_answered;
  }

  // Displaces inner joints in the direction that the limb bends, where all of it is in line with the target.
  LISSOM_INLINE void break_collinearity(ChainLanes<T>& chains) {
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
    L deviation = off_line(target);
    for (std::size_t i = 0; i < bones; ++i) deviation = max(deviation, off_line(links[i].end));
    const Mask<T> is_line = deviation <= lanes_of<T>(kAside * kAside) * most;
    if (!any(is_line)) return;
    chains.compose();
    // By the sagitta of an arc whose chord ends at the target, the first term of its series. From much less, passes
    // fold the chain within the line before they leave it: of a hundred chains three are still folded after 60.
    const L slack = max(1 - sqrt(dot(target, target)), L(0));
    const L sagitta = max(lanes_of<T>(0.612) * sqrt(slack), lanes_of<T>(kAside));
    L part = L(0);  // of the chain before the joint
    for (std::size_t i = 1; i < bones; ++i) {
      part += links[i - 1].length;
      const Vec3<L> bend_axis_base =
          rotate(chains.nodes[i].base_from_joint,
                 chains.axis_in_mirror(i, broadcast<T>(chains.plan.nodes[i].bend_axis_joint)));
      // A joint that bends further moves opposite to its child.
      Vec3<L>& joint = links[i - 1].end;
      const Vec3<L> moved =
          joint - (4 * sagitta * part * (1 - part)) * cross(bend_axis_base, links[i].start_direction());
      joint = select(is_line, moved, joint);
    }
  }

  // The point at the bone's length from `from` towards `to`; where the two coincide, by side * its start.
  static LISSOM_INLINE Vec3<L> at_length(const Vec3<L>& from, const Vec3<L>& to, const FreeBone<T>& link,
                                         const L& side) {
    const Vec3<L> bone = to - from;
    const L square = dot(bone, bone);
    const Mask<T> is_point = square <= L(Limits<T>::kSmallest);
    if (__builtin_expect(any(is_point), false)) {
      const L share = link.length / sqrt(select(is_point, L(1), square));
      return from + select(is_point, (side * link.length) * link.start_direction(), share * bone);
    }
    return from + (link.length / sqrt(square)) * bone;
  }

  // One pass backward and forward, of several vectors side by side, as each is a chain of dependent operations. Moves
  // the busy lanes.
  template <int kCount>
  static LISSOM_NOINLINE void reach(FreeChain* chains, const Mask<T>* is_busy) {
    const std::size_t bones = chains[0].bones;
    Vec3<L> at[kCount];
    for (int g = 0; g < kCount; ++g) at[g] = chains[g].back[bones - 1] = chains[g].head->target;
    for (std::size_t i = bones - 1; i > 0; --i) {
      for (int g = 0; g < kCount; ++g) {
        at[g] = at_length(at[g], chains[g].links[i - 1].end, chains[g].links[i], L(-1));
        chains[g].back[i - 1] = at[g];
      }
    }
    for (int g = 0; g < kCount; ++g) at[g] = {L(0), L(0), L(0)};
    for (std::size_t i = 0; i < bones; ++i) {
      for (int g = 0; g < kCount; ++g) {
        FreeBone<T>& link = chains[g].links[i];
        at[g] = at_length(at[g], chains[g].back[i], link, L(1));
        link.end = select(is_busy[g], at[g], link.end);
      }
    }
  }

  LISSOM_INLINE Mask<T> is_reached() const {
    const Vec3<L> error_base = head->target - links[bones - 1].end;
    return dot(error_base, error_base) <= head->tolerance * head->tolerance;
  }

  // Keeps poses that are nearer to the target in the model than `least`.
  LISSOM_NOINLINE void keep_nearest(Mask<T> which) {
    const Vec3<L> error_model = metric * (head->target - links[bones - 1].end);
    const L square = dot(error_model, error_model);
    const Mask<T> is_nearer = which & (square < least);
    least = select(is_nearer, square, least);
    for (std::size_t i = 0; i < bones; ++i) nearest[i] = select(is_nearer, links[i].end, nearest[i]);
  }
  // After the last pass.
  LISSOM_INLINE void take_nearest() {
    if (__builtin_expect(!any(is_skewed), true)) return;
    for (std::size_t i = 0; i < bones; ++i) links[i].end = select(is_skewed, nearest[i], links[i].end);
  }

  // Solves what needs no passes; returns the busy lanes that do.
  LISSOM_INLINE Mask<T> begin(ChainLanes<T>& chains, Mask<T> is_busy) {
    if (!chains.batch.max_iterations) return L(0) != L(0);
    if (!any(is_busy)) return is_busy;
    break_collinearity(chains);
    const Mask<T> is_answered = is_busy & answer_out_of_reach();
    head->iterations = select(is_answered, L(1), L(0));
    if (__builtin_expect(any(is_skewed), false)) {
      for (std::size_t i = 0; i < bones; ++i) nearest[i] = links[i].end;
    }
    return is_busy & !is_answered;
  }
  // After a pass; returns the busy lanes that need more.
  LISSOM_INLINE Mask<T> end_pass(Mask<T> is_busy, bool is_last) {
    head->iterations = select(is_busy, head->iterations + L(1), head->iterations);
    if (__builtin_expect(any(is_skewed), false)) keep_nearest(is_busy & is_skewed);
    return is_last ? L(0) != L(0) : is_busy & !is_reached();
  }

  // Rotates joints of `which` lanes from the root on, each by the shortest rotation that brings its bone to the answer,
  // which keeps the twist of the pose at the start. Normalises and composes them.
  template <int kCount>
  static LISSOM_NOINLINE void rotate_joints(const FreeChain* groups, ChainLanes<T>* chains,
                                            const Mask<T>* which) {
    Quat<L> base_from_joint[kCount];
    Vec3<L> place_base[kCount];
    for (int g = 0; g < kCount; ++g) place_base[g] = chains[g].nodes[0].position_base;
    for (std::size_t i = 0; i < groups[0].bones; ++i) {
      for (int g = 0; g < kCount; ++g)
        groups[g].rotate_joint(chains[g], i, which[g], base_from_joint[g], place_base[g]);
    }
    for (int g = 0; g < kCount; ++g) chains[g].nodes[groups[g].bones].position_base = place_base[g];
  }
  // `base_from_joint` is of the joint before, `place_base` where the joint is; then they are of this and the next.
  LISSOM_INLINE void rotate_joint(ChainLanes<T>& chains, std::size_t i, Mask<T> which,
                                  Quat<L>& base_from_joint, Vec3<L>& place_base) const {
    NodeLanes<T>& node = chains.nodes[i];
    const Vec3<L>& offset_parent_node = chains.nodes[i + 1].offset_parent_node;
    const Quat<L> base_from_parent = i ? chains.base_from(base_from_joint, i) : node.parent_node_from_parent;
    const Vec3<L> from_parent = rotate(node.local, scale * offset_parent_node);
    const Vec3<L> bone_base = i ? links[i].end - links[i - 1].end : links[0].end;
    const Vec3<L> to_parent = rotate(conjugate(base_from_parent), bone_base);
    const L& length = links[i].length;
    const Mask<T> rotates = which & (length > L(Limits<T>::kEpsilon));
    node.local = normalized(
        select(rotates, shortest_rotation(from_parent, to_parent, length) * node.local, node.local));
    base_from_joint = base_from_parent * node.local;
    place_base = place_base + rotate(base_from_joint, offset_parent_node);
  }

  // The shortest rotation between two vectors of one length, up to a factor.
  static LISSOM_INLINE Quat<L> shortest_rotation(const Vec3<L>& from, const Vec3<L>& to, const L& length) {
    const L square = length * length, w = square + dot(from, to);
    const Quat<L> arc = quat_from(cross(from, to), w);
    // For nearly opposite directions the sum cancels.
    const Mask<T> is_blunt = w <= lanes_of<T>(0.01) * square;
    if (__builtin_expect(!any(is_blunt), true)) return arc;
    const Mask<T> is_point = length <= L(Limits<T>::kEpsilon);
    const Vec3<L> y = {L(0), L(1), L(0)};
    const Quat<L> blunt =
        quat_from_to(select(is_point, y, direction(from)), select(is_point, y, direction(to)));
    return select(is_blunt, blunt, arc);
  }

  // Writes the first `count` lanes after rotate_joints(): of those that `moved` the answers, unless the start was
  // nearer.
  LISSOM_NOINLINE void store(ChainLanes<T>& chains, Mask<T> moved, bool follows, int count) const {
    if (chains.keep_input_of_lost() || chains.batch.orientations) chains.compose();
    chains.measure();
    const Mask<T> is_worse = moved & !(chains.error() <= start_error);
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

// Whether a plan is one chain without limits.
inline bool is_free_chain(const IkPlan& plan) {
  if (plan.effector_count != 1) return false;
  for (std::size_t i = 0; i < plan.node_count; ++i) {
    if (plan.nodes[i].rotates && plan.nodes[i].limit.kind != LimitKind::kNone) return false;
  }
  return plan.node_count > 1;
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
