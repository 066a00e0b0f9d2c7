// SPDX-License-Identifier: MIT
#pragma once

// Chains with limits, and several chains. For fabrik_kernels.cpp only.

#include "core/ik/best_turn.h"
#include "core/ik/chain_lanes.h"
#include "core/ik/guesses.h"

namespace lissom::LISSOM_ISA {
namespace {

// What a joint's turn owes to the effectors below it together, where its own bones together count 1. By bones alone no joint
// would turn about its bone, which hinges below it need: of a hundred random chains with hinges 5 are then solved within
// 100 iterations, at 1 it is 90, at 3 it is 97, and of chains that meet and have limits 1, 82 and 96. Those that meet
// without limits do best by bones (of three branches 90, at 3 it is 87), but a little leads them to the least squares.
constexpr double kEffectorShare = 3, kShareWithoutLimits = 0.3;
// An attempt will not reach where 2^kOutlook more iterations like the last one would not. That calls for a new start, but
// is no reason to stop where none follows: what can only come nearer is still coming nearer by a good share.
constexpr int kOutlook = 5;
// Squared distances that differ by less than this share are the same; after as many new starts that end there, it is
// taken for the best there is.
constexpr double kSame = 0.04;
constexpr int kRepeats = 5;
// What will not reach ends where it stagnates: as many iterations in a row that bring it nearer than ever before by no more
// than this share of what counts as reached. At a tenth chains that leave a dead end slowly, with each iteration faster,
// stop in it up to 0.4 of their length too far away, at a hundredth 0.01; the first iteration alone may lead away.
constexpr double kLittle = 0.01;
constexpr int kPatience = 2;

template <class T>
struct LimitedTree {
  using L = Lanes<T>;
  struct Node {
    Vec3<L> wanted;   // where the effectors below draw it, in the base
    L count;          // proposals that went into it
    L length;         // of the bone from its parent
    Quat<L> kept;     // while lanes start anew: its rotation before
    Mask<T> is_well;  // and whether all effectors below were where they shall be
  };
  ChainLanes<T>& chains;
  const IkPlan& plan;
  Node* nodes;
  Vec3<L>* effectors;   // where they stand as joints above them turn
  std::int32_t* turns;  // of each node, whether it turns
  double effector_share = kShareWithoutLimits;

  static std::size_t scratch_bytes(const IkPlan& plan) {
    return plan.node_count * (sizeof(Node) + sizeof(std::int32_t)) + plan.effector_count * sizeof(Vec3<L>);
  }
  LISSOM_INLINE LimitedTree(ChainLanes<T>& c, void* scratch)
      : chains(c), plan(c.plan), nodes(static_cast<Node*>(scratch)) {
    effectors = reinterpret_cast<Vec3<L>*>(nodes + c.plan.node_count);
    turns = reinterpret_cast<std::int32_t*>(effectors + c.plan.effector_count);
  }

  LISSOM_INLINE void load() {
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      nodes[i].length = length(chains.nodes[i].offset);
      turns[i] = plan.nodes[i].turns;
      if (turns[i] && plan.nodes[i].limit.kind != LimitKind::kNone) effector_share = kEffectorShare;
    }
  }

  // From the effectors up: each joint is drawn to its bone's length from where the joint below it shall be. Where chains
  // meet, the centre of what they propose counts.
  LISSOM_INLINE void draw() {
    const Vec3<L> zero = {L(0), L(0), L(0)};
    for (std::size_t i = 0; i < plan.node_count; ++i) nodes[i].wanted = zero, nodes[i].count = L(0);
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      Node& node = nodes[plan.effectors[e]];
      node.wanted = node.wanted + chains.effectors[e].target;
      node.count += L(1);
    }
    for (std::size_t i = plan.node_count; i-- > 0;) {
      Node& node = nodes[i];
      node.wanted = (1 / node.count) * node.wanted;
      const std::int32_t parent = plan.nodes[i].parent;
      if (parent < 0) continue;
      const Vec3<L> bone = chains.nodes[parent].position - node.wanted;
      const L size = length(bone);
      const Mask<T> is_point = size <= L(Limits<T>::kSmallest);
      const L share = node.length / select(is_point, L(1), size);
      const Vec3<L> before = chains.nodes[parent].position - chains.nodes[i].position;
      Node& above = nodes[parent];
      above.wanted = above.wanted + node.wanted + select(is_point, before, share * bone);
      above.count += L(1);
    }
  }

  // From the base down: each joint turns, as its limit lets it, so that its bones point to where their ends are wanted.
  LISSOM_INLINE void follow(Mask<T> is_busy) {
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      effectors[e] = chains.nodes[plan.effectors[e]].position;
    }
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      const IkNode& plan_node = plan.nodes[i];
      NodeLanes<T>& node = chains.nodes[i];
      if (plan_node.parent >= 0) {
        const NodeLanes<T>& parent = chains.nodes[plan_node.parent];
        node.position = parent.position + rotate(parent.frame, node.offset);
      }
      const Quat<L> above = chains.frame_above(i);
      const Quat<L> frame = above * node.local;
      node.frame = frame;
      if (!plan_node.turns) continue;
      const Vec3<L> axis = turning_axis(chains, i, frame);
      PairSums<L> bones(axis), ends(axis);
      for (std::size_t c = i + 1; c < plan.node_count; ++c) {
        if (plan.nodes[c].parent != static_cast<std::int32_t>(i)) continue;
        bones.add(rotate(frame, chains.nodes[c].offset), nodes[c].wanted - node.position);
      }
      for (std::int32_t k = plan_node.below_begin; k < plan_node.below_end; ++k) {
        const std::int32_t e = plan.below[k];
        ends.add(effectors[e] - node.position, chains.effectors[e].target - node.position);
      }
      const L of_bones = 1 / max(bones.sizes, L(Limits<T>::kSmallest));
      const L of_ends = lanes_of<T>(effector_share) / max(ends.sizes, L(Limits<T>::kSmallest));
      const Quat<L> turn = best_turn<T>(plan_node, PairSums<L>(of_bones, bones, of_ends, ends));
      const Quat<L> local = chains.clamp(i, normalized(conjugate(above) * (turn * frame)));
      node.local = select(is_busy, local, node.local);
      node.frame = above * node.local;
      const Quat<L> turned = node.frame * conjugate(frame);
      for (std::int32_t k = plan_node.below_begin; k < plan_node.below_end; ++k) {
        const std::int32_t e = plan.below[k];
        effectors[e] = node.position + rotate(turned, effectors[e] - node.position);
      }
    }
  }

  LISSOM_INLINE void keep_best(Mask<T> is_better) {
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      chains.nodes[i].best = select(is_better, chains.nodes[i].local, chains.nodes[i].best);
    }
  }

  // Frames are to be composed anew.
  LISSOM_INLINE void return_to_best(Mask<T> which) {
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      chains.nodes[i].local = select(which, chains.nodes[i].best, chains.nodes[i].local);
    }
  }

  // Joints below which all is well stay as they are: arms that no joint shares do not wait for each other.
  LISSOM_INLINE void start_anew(Mask<T> which, const L& restarts) {
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      const IkNode& plan_node = plan.nodes[i];
      Mask<T> is_well = chains.is_reached(static_cast<std::size_t>(plan.below[plan_node.below_begin]));
      for (std::int32_t k = plan_node.below_begin + 1; k < plan_node.below_end; ++k) {
        is_well = is_well & chains.is_reached(static_cast<std::size_t>(plan.below[k]));
      }
      nodes[i].is_well = is_well;
      nodes[i].kept = chains.nodes[i].local;
    }
    take_guesses(chains, turns, restarts, which);
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      chains.nodes[i].local = select(nodes[i].is_well, nodes[i].kept, chains.nodes[i].local);
    }
    chains.compose();
  }

  // Gives how often each lane iterated; the best pose is in `local`.
  LISSOM_INLINE L solve() {
    load();
    L iterations = L(0), last = chains.error(), best = last;
    // New starts, the best error before the last one, and how many of them ended no better than that.
    L restarts = L(0), record = L(Limits<T>::kLargest), repeats = L(0);
    L near = L(0);
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      const L tolerance = L(chains.batch.tolerance) * chains.effectors[e].length;
      near += tolerance * tolerance;
    }
    keep_best(last >= L(0));
    Mask<T> is_busy = !chains.are_reached();
    // Lanes that start anew no more: they come as near as they can from where they are. And for how long they stagnate.
    Mask<T> is_last = is_beyond_reach();
    L stagnant = L(0);
    for (std::int32_t i = 0; i < chains.batch.max_iterations && any(is_busy); ++i) {
      draw();
      follow(is_busy);
      iterations = select(is_busy, iterations + L(1), iterations);
      chains.measure();
      const L error = chains.error();
      if (any(is_last)) {
        const Mask<T> is_nearer = sqrt(best) - sqrt(error) > lanes_of<T>(kLittle) * sqrt(near);
        stagnant = select(is_nearer, L(0), stagnant + L(1));
      }
      const Mask<T> is_better = is_busy & (error < best);
      best = select(is_better, error, best);
      keep_best(is_better);
      is_busy = is_busy & !chains.are_reached() & !(is_last & (stagnant >= L(kPatience)));
      L gain = error / last;
      for (int k = 0; k < kOutlook; ++k) gain = gain * gain;
      const Mask<T> has_stalled = is_busy & !is_last & (error * gain > near);
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
      start_anew(restarting, restarts);
    }
    return_to_best(L(0) == L(0));
    return iterations;
  }

  // Whether a target is farther from the root of its chain than the chain is long, by more than counts as reached.
  LISSOM_INLINE Mask<T> is_beyond_reach() const {
    Mask<T> result = L(0) != L(0);
    for (std::size_t e = 0; e < plan.effector_count; ++e) {
      L sum = L(0);
      std::int32_t top = plan.effectors[e];
      for (; plan.nodes[top].parent >= 0; top = plan.nodes[top].parent) sum += nodes[top].length;
      const L most = (1 + L(chains.batch.tolerance)) * sum;
      result = result | (length(chains.effectors[e].target - chains.nodes[top].position) > most);
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
