// SPDX-License-Identifier: MIT
#pragma once

// Chains with limits, and several chains. For fabrik_kernels.cpp only.

#include "core/ik/aligning_rotation.h"
#include "core/ik/chain_groups.h"
#include "core/ik/restart_poses.h"

namespace lissom::LISSOM_ISA {
namespace {

// The weight of all effectors below a joint in its rotation, where its own bones together weigh 1. By bones alone no
// joint would rotate about its bone, which hinges below it need: of a hundred random chains with hinges 5 are then
// solved within
// 100 iterations, at 1 it is 90, at 3 it is 97, and of branching chains with limits 1, 82 and 96. Branching chains without
// limits do best by bones (of three branches 90, at 3 it is 87), but a small weight leads them to the least squares.
constexpr double kEffectorShare = 3, kShareWithoutLimits = 0.3;
// An attempt has stalled where 2^kOutlook more iterations that reduce the error as the last one did would not converge.
// It then restarts; a last attempt goes on, as its error may still fall considerably.
constexpr int kOutlook = 5;
// Squared distances that differ by less than this share are equal; an error at which as many attempts ended is taken
// for the minimum.
constexpr double kSame = 0.04;
constexpr int kRepeats = 5;
// A last attempt ends where it stagnates: as many iterations in a row that reduce the least distance so far by no more
// than this share of the tolerance. At a tenth, chains that leave a saddle slowly, with each iteration faster, stop
// there at up to 0.4 of their length from the optimum, at a hundredth 0.01; the first iteration alone may increase the
// distance.
constexpr double kLittle = 0.01;
constexpr int kPatience = 2;

template <class T>
struct LimitedTree {
  using L = Lanes<T>;
  struct Node {
    Vec3<L> goal_base;   // mean of the positions that the chains below propose
    L count;             // of proposals
    L length;            // of the bone from its parent
    Quat<L> kept;        // at a restart: its rotation before
    Mask<T> is_reached;  // and whether all effectors below were within tolerance
  };
  ChainLanes<T>& chains;
  const IkPlan& plan;
  Node* nodes;
  Vec3<L>* effectors_base;  // positions while joints above them rotate
  std::int32_t* rotates;    // of each node
  double effector_share = kShareWithoutLimits;

  static std::size_t scratch_bytes(const IkPlan& plan) {
    return plan.node_count * (sizeof(Node) + sizeof(std::int32_t)) + plan.effector_count * sizeof(Vec3<L>);
  }
  LISSOM_INLINE LimitedTree(ChainLanes<T>& c, void* scratch)
      : chains(c), plan(c.plan), nodes(static_cast<Node*>(scratch)) {
    effectors_base = reinterpret_cast<Vec3<L>*>(nodes + c.plan.node_count);
    rotates = reinterpret_cast<std::int32_t*>(effectors_base + c.plan.effector_count);
  }

  LISSOM_INLINE void load() {
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      nodes[i].length = length(chains.nodes[i].offset_parent_node);
      rotates[i] = plan.nodes[i].rotates;
      if (rotates[i] && plan.nodes[i].limit.kind != LimitKind::kNone) effector_share = kEffectorShare;
    }
  }

  // The backward pass, from the effectors up: the goal of each joint is at its bone's length from the goal of the joint
  // below it. Where chains meet, it is the mean of their proposals.
  LISSOM_INLINE void reach_backward() {
    const Vec3<L> zero = {L(0), L(0), L(0)};
    for (std::size_t i = 0; i < plan.node_count; ++i) nodes[i].goal_base = zero, nodes[i].count = L(0);
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      Node& node = nodes[plan.effectors[e]];
      node.goal_base = node.goal_base + chains.effectors[e].target_base;
      node.count += L(1);
    }
    for (std::size_t i = plan.node_count; i-- > 0;) {
      Node& node = nodes[i];
      node.goal_base = (1 / node.count) * node.goal_base;
      const std::int32_t parent = plan.nodes[i].parent;
      if (parent < 0) continue;
      const Vec3<L> bone_base = chains.nodes[parent].position_base - node.goal_base;
      const L size = length(bone_base);
      const Mask<T> is_point = size <= L(Limits<T>::kSmallest);
      const L share = node.length / select(is_point, L(1), size);
      const Vec3<L> pose_bone_base = chains.nodes[parent].position_base - chains.nodes[i].position_base;
      Node& above = nodes[parent];
      above.goal_base =
          above.goal_base + node.goal_base + select(is_point, pose_bone_base, share * bone_base);
      above.count += L(1);
    }
  }

  // The forward pass, from the base down: each joint rotates, within its limit, so that its bones point to the goals of
  // their ends.
  LISSOM_INLINE void reach_forward(Mask<T> is_busy) {
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      effectors_base[e] = chains.nodes[plan.effectors[e]].position_base;
    }
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      const IkNode& plan_node = plan.nodes[i];
      NodeLanes<T>& node = chains.nodes[i];
      if (plan_node.parent >= 0) {
        const NodeLanes<T>& parent = chains.nodes[plan_node.parent];
        node.position_base = parent.position_base + rotate(parent.base_from_joint, node.offset_parent_node);
      }
      const Quat<L> base_from_parent = chains.base_from_parent(i);
      const Quat<L> base_from_joint = base_from_parent * node.local;
      node.base_from_joint = base_from_joint;
      if (!plan_node.rotates) continue;
      const Vec3<L> axis_base = rotation_axis_base(chains, i, base_from_joint);
      PairSums<L> bones(axis_base), ends(axis_base);
      for (std::size_t c = i + 1; c < plan.node_count; ++c) {
        if (plan.nodes[c].parent != static_cast<std::int32_t>(i)) continue;
        bones.add(rotate(base_from_joint, chains.nodes[c].offset_parent_node),
                  nodes[c].goal_base - node.position_base);
      }
      for (std::int32_t k = plan_node.below_begin; k < plan_node.below_end; ++k) {
        const std::int32_t e = plan.below[k];
        ends.add(effectors_base[e] - node.position_base,
                 chains.effectors[e].target_base - node.position_base);
      }
      const L of_bones = 1 / max(bones.lengths, L(Limits<T>::kSmallest));
      const L of_ends = lanes_of<T>(effector_share) / max(ends.lengths, L(Limits<T>::kSmallest));
      const Quat<L> rotation_base =
          aligning_rotation<T>(plan_node, PairSums<L>(of_bones, bones, of_ends, ends));
      const Quat<L> local =
          chains.clamp(i, normalized(conjugate(base_from_parent) * (rotation_base * base_from_joint)));
      node.local = select(is_busy, local, node.local);
      node.base_from_joint = base_from_parent * node.local;
      const Quat<L> applied_base = node.base_from_joint * conjugate(base_from_joint);
      for (std::int32_t k = plan_node.below_begin; k < plan_node.below_end; ++k) {
        const std::int32_t e = plan.below[k];
        effectors_base[e] = node.position_base + rotate(applied_base, effectors_base[e] - node.position_base);
      }
    }
  }

  LISSOM_INLINE void keep_best(Mask<T> is_better) {
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      chains.nodes[i].best = select(is_better, chains.nodes[i].local, chains.nodes[i].best);
    }
  }

  // Nodes must be composed afterwards.
  LISSOM_INLINE void return_to_best(Mask<T> which) {
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      chains.nodes[i].local = select(which, chains.nodes[i].best, chains.nodes[i].local);
    }
  }

  // Joints all of whose effectors are within tolerance stay as they are: arms that share no joint are independent.
  LISSOM_INLINE void restart(Mask<T> which, const L& restarts) {
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      const IkNode& plan_node = plan.nodes[i];
      Mask<T> is_reached = chains.is_reached(static_cast<std::size_t>(plan.below[plan_node.below_begin]));
      for (std::int32_t k = plan_node.below_begin + 1; k < plan_node.below_end; ++k) {
        is_reached = is_reached & chains.is_reached(static_cast<std::size_t>(plan.below[k]));
      }
      nodes[i].is_reached = is_reached;
      nodes[i].kept = chains.nodes[i].local;
    }
    take_restart_poses(chains, rotates, restarts, which);
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      chains.nodes[i].local = select(nodes[i].is_reached, nodes[i].kept, chains.nodes[i].local);
    }
    chains.compose();
  }

  // Returns the iterations of each lane; the best pose is in `local`.
  LISSOM_INLINE L solve() {
    load();
    L iterations = L(0), last = chains.error(), best = last;
    // Attempts, the best error before the last one, and how many ended no better than that.
    L restarts = L(0), record = L(Limits<T>::kLargest), repeats = L(0);
    L squared_tolerance = L(0);
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      const L tolerance = L(chains.batch.tolerance) * chains.effectors[e].chain_length;
      squared_tolerance += tolerance * tolerance;
    }
    chains.begin_best();
    keep_best(last >= L(0));
    Mask<T> is_busy = !chains.are_reached();
    // Lanes in their last attempt, and for how many iterations they have stagnated.
    Mask<T> is_last = is_beyond_reach();
    L stagnant = L(0);
    for (std::int32_t i = 0; i < chains.batch.max_iterations && any(is_busy); ++i) {
      reach_backward();
      reach_forward(is_busy);
      iterations = select(is_busy, iterations + L(1), iterations);
      chains.measure();
      const L error = chains.error();
      if (any(is_last)) {
        const Mask<T> is_nearer = sqrt(best) - sqrt(error) > lanes_of<T>(kLittle) * sqrt(squared_tolerance);
        stagnant = select(is_nearer, L(0), stagnant + L(1));
      }
      const Mask<T> is_better = is_busy & (error < best);
      best = select(is_better, error, best);
      keep_best(is_better);
      is_busy = is_busy & !chains.are_reached() & !(is_last & (stagnant >= L(kPatience)));
      L gain = error / last;
      for (int k = 0; k < kOutlook; ++k) gain = gain * gain;
      const Mask<T> has_stalled = is_busy & !is_last & (error * gain > squared_tolerance);
      last = error;
      if (!any(has_stalled)) continue;
      const Mask<T> is_new = best < lanes_of<T>(1 - kSame) * record,
                    is_same = error < lanes_of<T>(1 + kSame) * best;
      repeats = select(has_stalled, select(is_new, L(1), select(is_same, repeats + L(1), repeats)), repeats);
      record = select(has_stalled, best, record);
      const Mask<T> is_settled = has_stalled & (repeats >= L(kRepeats));
      if (any(is_settled)) {
        is_last = is_last | is_settled;
        stagnant = select(is_settled, L(0), stagnant);
        return_to_best(is_settled);
      }
      const Mask<T> restarting = has_stalled & !is_settled;
      restarts = select(restarting, restarts + L(1), restarts);
      last = select(restarting, L(Limits<T>::kLargest), last);
      restart(restarting, restarts);
    }
    return_to_best(L(0) == L(0));
    return iterations;
  }

  // Whether a target is farther from the root of its chain than the chain is long, by more than the tolerance.
  LISSOM_INLINE Mask<T> is_beyond_reach() const {
    Mask<T> result = L(0) != L(0);
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      L sum = L(0);
      std::int32_t top = plan.effectors[e];
      for (; plan.nodes[top].parent >= 0; top = plan.nodes[top].parent) sum += nodes[top].length;
      const L most = (1 + L(chains.batch.tolerance)) * sum;
      result = result | (length(chains.effectors[e].target_base - chains.nodes[top].position_base) > most);
    }
    return result;
  }
};

template <class T>
LISSOM_INLINE void solve_limited(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin,
                                 std::size_t end, void* scratch) {
  using L = Lanes<T>;
  void* own = static_cast<char*>(scratch) + ChainLanes<T>::scratch_bytes(plan);
  for_each_group<T>(plan, batch, begin, end, scratch, [&](ChainLanes<T>& chains) LISSOM_LAMBDA_INLINE {
    chains.compose();
    chains.measure();
    const L iterations = LimitedTree<T>(chains, own).solve();
    chains.compose();
    chains.orient_effectors();
    return iterations;
  });
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
