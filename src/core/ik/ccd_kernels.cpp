// SPDX-License-Identifier: MIT
#include "core/ik/aligning_rotation.h"
#include "core/ik/ccd_stream.h"
#include "core/ik/chain_groups.h"
#include "core/ik/ik_kernels.h"

namespace lissom::LISSOM_ISA {
namespace {

// Rotates node `i`, which must be composed, and moves the effectors below it.
template <class T>
LISSOM_INLINE void rotate_node(ChainLanes<T>& chains, std::size_t i, Mask<T> is_busy,
                               Vec3<Lanes<T>>* effectors_base) {
  using L = Lanes<T>;
  const IkPlan& plan = chains.plan;
  const IkNode& plan_node = plan.nodes[i];
  NodeLanes<T>& node = chains.nodes[i];
  PairSums<L> pairs(rotation_axis_base(chains, i, node.base_from_joint));
  for (std::int32_t k = plan_node.below_begin; k < plan_node.below_end; ++k) {
    const std::int32_t e = plan.below[k];
    pairs.add(effectors_base[e] - node.position_base, chains.effectors[e].target_base - node.position_base);
  }
  const Quat<L> rotation_base = aligning_rotation<T>(plan_node, pairs);
  const Quat<L> base_from_parent = chains.base_from_parent(i);
  const Quat<L> local =
      chains.clamp(i, normalized(conjugate(base_from_parent) * (rotation_base * node.base_from_joint)));
  const Quat<L> applied_base = (base_from_parent * local) * conjugate(node.base_from_joint);
  for (std::int32_t k = plan_node.below_begin; k < plan_node.below_end; ++k) {
    const std::int32_t e = plan.below[k];
    effectors_base[e] = node.position_base + rotate(applied_base, effectors_base[e] - node.position_base);
  }
  node.local = select(is_busy, local, node.local);
}

// A sweep from the effectors to the root: joints below a node that rotates only move the effectors, so each node is
// composed once, at the end. Or one from the root to the effectors, which composes each node as it comes.
template <class T>
LISSOM_INLINE void sweep(ChainLanes<T>& chains, bool is_up, Mask<T> is_busy, Vec3<Lanes<T>>* effectors_base) {
  const IkPlan& plan = chains.plan;
  for (std::size_t e = 0; e < plan.effector_count; ++e) {
    effectors_base[e] = chains.nodes[plan.effectors[e]].position_base;
  }
  for (std::size_t step = 0; step < plan.node_count; ++step) {
    const std::size_t i = is_up ? plan.node_count - 1 - step : step;
    if (!is_up) chains.compose_node(i);
    if (!plan.nodes[i].rotates) continue;
    rotate_node(chains, i, is_busy, effectors_base);
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
  auto* effectors_base =
      reinterpret_cast<Vec3<L>*>(static_cast<char*>(scratch) + ChainLanes<T>::scratch_bytes(plan));
  for_each_group<T>(plan, batch, begin, end, scratch, [&](ChainLanes<T>& chains) {
    L iterations = L(0);
    chains.compose();
    chains.measure();
    L best = chains.error();
    for (std::size_t i = 0; i < plan.node_count; ++i) chains.nodes[i].best = chains.nodes[i].local;
    for (std::int32_t i = 0; i < batch.max_iterations; ++i) {
      const Mask<T> is_busy = !chains.are_reached();
      if (!any(is_busy)) break;
      sweep(chains, i == 0, is_busy, effectors_base);
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
