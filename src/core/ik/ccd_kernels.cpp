// SPDX-License-Identifier: MIT
#include "core/ik/best_turn.h"
#include "core/ik/ccd_stream.h"
#include "core/ik/chain_lanes.h"
#include "core/ik/ik_kernels.h"

namespace lissom::LISSOM_ISA {
namespace {

// Turns node `i` and moves the effectors below it. Its position and frame must be those of now.
template <class T>
LISSOM_INLINE void turn_node(ChainLanes<T>& chains, std::size_t i, Mask<T> is_busy,
                             Vec3<Lanes<T>>* effectors) {
  using L = Lanes<T>;
  const IkPlan& plan = chains.plan;
  const IkNode& plan_node = plan.nodes[i];
  NodeLanes<T>& node = chains.nodes[i];
  PairSums<L> pairs(turning_axis(chains, i, node.frame));
  for (std::int32_t k = plan_node.below_begin; k < plan_node.below_end; ++k) {
    const std::int32_t e = plan.below[k];
    pairs.add(effectors[e] - node.position, chains.effectors[e].target - node.position);
  }
  const Quat<L> turn = best_turn<T>(plan_node, pairs);
  const Quat<L> above = chains.frame_above(i);
  const Quat<L> local = chains.clamp(i, normalized(conjugate(above) * (turn * node.frame)));
  const Quat<L> turned = (above * local) * conjugate(node.frame);
  for (std::int32_t k = plan_node.below_begin; k < plan_node.below_end; ++k) {
    const std::int32_t e = plan.below[k];
    effectors[e] = node.position + rotate(turned, effectors[e] - node.position);
  }
  node.local = select(is_busy, local, node.local);
}

// A sweep from the effectors to the root: what hangs below a node that turns only moves the effectors, so one look at
// each node does. Or one from the root to the effectors, which places each node on its way.
template <class T>
LISSOM_INLINE void sweep(ChainLanes<T>& chains, bool is_up, Mask<T> is_busy, Vec3<Lanes<T>>* effectors) {
  const IkPlan& plan = chains.plan;
  for (std::size_t e = 0; e < plan.effector_count; ++e) {
    effectors[e] = chains.nodes[plan.effectors[e]].position;
  }
  for (std::size_t step = 0; step < plan.node_count; ++step) {
    const std::size_t i = is_up ? plan.node_count - 1 - step : step;
    if (!is_up) chains.compose_node(i);
    if (!plan.nodes[i].turns) continue;
    turn_node(chains, i, is_busy, effectors);
    if (!is_up) chains.compose_node(i);
  }
  if (is_up) chains.compose();
  chains.measure();
}

LISSOM_INLINE bool is_limited(const IkPlan& plan) {
  for (std::size_t i = 0; i + 1 < plan.node_count; ++i) {
    if (plan.nodes[i].limit.kind != LimitKind::kNone) return true;
  }
  return false;
}

template <class T, class Chains>
void stream(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin, std::size_t end, void* scratch) {
  CcdStream<T, Chains> stream(plan, batch, scratch);
  if (batch.frames > 1) {
    stream.solve_sequences(begin / batch.frames, end / batch.frames);
  } else {
    stream.solve(begin, end);
  }
}

template <class T>
void solve(const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin, std::size_t end, void* scratch) {
  using L = Lanes<T>;
  if (is_single_chain(plan)) {
    if (is_limited(plan)) return stream<T, LimitedChains<T>>(plan, batch, begin, end, scratch);
    return stream<T, FreeChains<T>>(plan, batch, begin, end, scratch);
  }
  auto* moved = reinterpret_cast<Vec3<L>*>(static_cast<char*>(scratch) + ChainLanes<T>::scratch_bytes(plan));
  for_each_group<T>(plan, batch, begin, end, scratch, [&](ChainLanes<T>& chains) {
    L iterations = L(0);
    chains.compose();
    chains.measure();
    L best = chains.error();
    for (std::size_t i = 0; i < plan.node_count; ++i) chains.nodes[i].best = chains.nodes[i].local;
    for (std::int32_t i = 0; i < batch.max_iterations; ++i) {
      const Mask<T> is_busy = !chains.are_reached();
      if (!any(is_busy)) break;
      sweep(chains, i == 0, is_busy, moved);
      iterations = select(is_busy, iterations + L(1), iterations);
      const L error = chains.error();
      const Mask<T> is_better = error < best;
      best = select(is_better, error, best);
      for (std::size_t k = 0; k < plan.node_count; ++k) {
        chains.nodes[k].best = select(is_better, chains.nodes[k].local, chains.nodes[k].best);
      }
    }
    for (std::size_t i = 0; i < plan.node_count; ++i) chains.nodes[i].local = chains.nodes[i].best;
    chains.compose();
    chains.orient_effectors();
    return iterations;
  });
}

template <class T>
std::size_t scratch_bytes(const IkPlan& plan) {
  if (is_single_chain(plan)) {
    return is_limited(plan) ? CcdStream<T, LimitedChains<T>>::scratch_bytes(plan)
                            : CcdStream<T, FreeChains<T>>::scratch_bytes(plan);
  }
  return ChainLanes<T>::scratch_bytes(plan) + plan.effector_count * sizeof(Vec3<Lanes<T>>);
}

}  // namespace

extern const IkKernels ccd_kernels;
const IkKernels ccd_kernels = {{&solve<float>, &scratch_bytes<float>},
                               LISSOM_DOUBLES(&solve<double>, &scratch_bytes<double>)};

}  // namespace lissom::LISSOM_ISA
