// SPDX-License-Identifier: MIT
#include "core/ik/ccd_stream.h"
#include "core/ik/chain_lanes.h"
#include "core/ik/ik_kernels.h"

namespace lissom::LISSOM_ISA {
namespace {

// The rotation about `axis` (unit; about any, where there is none) that brings the directions whose sums of cross and
// scalar products are given closest together: of all turns about that axis by its half angle.
template <class L>
LISSOM_INLINE Quat<L> best_turn(const Vec3<L>& axis, const L& sine, const L& cosine) {
  const L size = sqrt(sine * sine + cosine * cosine);
  const L w = size + cosine;
  const auto is_opposite = w <= size * L(4 * Limits<L>::kEpsilon);
  const auto is_lost = size <= L(Limits<L>::kSmallest);
  const Quat<L> turn =
      normalized(quat_from(select(is_opposite, L(1), sine) * axis, select(is_opposite, L(0), w)));
  return select(is_lost, Quat<L>::identity(), turn);
}

// Turns node `i` and moves the effectors below it. Its position and frame must be those of now.
template <class T>
LISSOM_INLINE void turn_node(ChainLanes<T>& chains, std::size_t i, Mask<T> is_busy,
                             Vec3<Lanes<T>>* effectors) {
  using L = Lanes<T>;
  const IkPlan& plan = chains.plan;
  const IkNode& plan_node = plan.nodes[i];
  NodeLanes<T>& node = chains.nodes[i];
  Vec3<L> crosses = {L(0), L(0), L(0)};
  L dots = L(0), along = L(0);
  const bool is_hinge = plan_node.limit.kind == LimitKind::kHinge;
  const Vec3<L> bend = rotate(
      node.frame, chains.axis_in_mirror(
                      i, is_hinge ? rotate(broadcast<T>(plan_node.limit.after), Vec3<L>{L(0), L(0), L(1)})
                                  : broadcast<T>(plan_node.bend_axis)));
  for (std::int32_t k = plan_node.below_begin; k < plan_node.below_end; ++k) {
    const std::int32_t e = plan.below[k];
    const Vec3<L> from = effectors[e] - node.position, to = chains.effectors[e].target - node.position;
    crosses = crosses + cross(from, to);
    dots += dot(from, to);
    along += dot(from, bend) * dot(to, bend);
  }
  Quat<L> turn;
  if (is_hinge) {
    turn = best_turn(bend, dot(crosses, bend), dots - along);
  } else {
    const L sine = length(crosses);
    const Mask<T> has_axis = sine > abs(dots) * L(4 * Limits<T>::kEpsilon);
    const L divisor = select(has_axis, sine, L(1));
    const Vec3<L> axis = {crosses.x / divisor, crosses.y / divisor, crosses.z / divisor};
    turn = best_turn(select(has_axis, axis, bend), select(has_axis, sine, L(0)), dots);
  }
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
