// SPDX-License-Identifier: MIT
#include "core/ik/least_squares_kernels.h"

#include "core/ik/chain_groups.h"
#include "core/ik/jacobian_lanes.h"
#include "core/ik/restart_poses.h"
#include "core/ik/selective_step.h"

namespace lissom::LISSOM_ISA {
namespace {

// Errors are clamped to this share of a chain's length in each step, which keeps steps from overshooting.
constexpr double kLongestStep = 0.5;
// An attempt ends after as many steps, in all, that do not reduce the squared error by three tenths.
constexpr int kPatience = 5;
// Damping is multiplied on failure and divided on success.
constexpr double kMoreDamping = 8, kLessDamping = 0.25, kLeastDamping = 1e-3, kMostDamping = 1e6;

// Damped least squares after Levenberg and Marquardt: only steps that reduce the error are taken, and damping is
// adapted.
template <class T>
struct LeastSquares {
  using L = Lanes<T>;
  ChainLanes<T>& chains;
  JacobianLanes<T>& jacobian;
  const LeastSquaresSettings& settings;
  L* clamped_errors;  // (rows)
  L* multipliers;     // (rows) y of a step J^T y
  L* system;          // packed (rows)
  L* selective;       // (selective_scratch)

  L error, best;  // sums of squares
  L damping;      // factor, adapted by the outcome of steps
  L patience;     // steps without progress that are left
  L attempt, iterations;
  L pull;             // share of the rotation to rest in each step
  L rest, best_rest;  // squared distance from rest
  Mask<T> is_busy, is_last, best_is_reached;

  LeastSquares(ChainLanes<T>& c, JacobianLanes<T>& j, const LeastSquaresSettings& s, L* scratch)
      : chains(c), jacobian(j), settings(s), clamped_errors(scratch) {
    const std::size_t rows = 6 * c.plan.effector_count;
    multipliers = clamped_errors + rows;
    system = multipliers + rows;
    selective = system + packed_size(rows);
  }

  bool has_pull() const { return settings.rest_attraction > 0; }
  bool has_limits() const {
    for (std::size_t i = 0; i < chains.plan.node_count; ++i) {
      if (jacobian.axis_counts[i] && chains.plan.nodes[i].limit.kind != LimitKind::kNone) return true;
    }
    return false;
  }

  void begin() {
    jacobian.begin(settings.stiffness);
    damping = L(1), patience = L(kPatience);
    attempt = L(0), iterations = L(0), pull = lanes_of<T>(settings.rest_attraction);
    chains.compose();
    error = jacobian.measure();
    const Mask<T> is_reached = jacobian.are_reached();
    is_busy = has_pull() ? L(0) == L(0) : !is_reached;
    best = error, best_is_reached = is_reached;
    keep(L(0) == L(0));
    rest = best_rest = has_pull() ? squared_distance_from_rest() : L(0);
    is_last = follows() ? L(0) == L(0) : L(0) != L(0);
    if (is_simple()) stretch_to_far_targets();
  }
  // Later frames of a sequence stay near the one before: they do not restart.
  bool follows() const { return chains.items[0] % chains.batch.frames != 0; }

  // A chain without limits and stiffness, with a target position alone.
  bool is_simple() const {
    return chains.plan.effector_count == 1 && jacobian.row_count == 3 && !settings.stiffness && !has_limits();
  }
  // Targets at the full reach or beyond: the straight chain is optimal. It counts as an iteration.
  void stretch_to_far_targets() {
    const EffectorLanes<T>& effector = chains.effectors[0];
    const Vec3<L> to_target_base = effector.target_base - chains.nodes[chains.plan.tops[0]].position_base;
    const L reach = (1 - L(T(0.5)) * L(chains.batch.tolerance)) * effector.chain_length;
    const Mask<T> is_far = is_busy & (length(to_target_base) * chains.model_scale > reach);
    if (!any(is_far) || chains.batch.max_iterations == 0) return;
    lay_along_arc(chains, jacobian.axis_counts, is_far);
    is_last = is_last | is_far;
    chains.compose();
    error = jacobian.measure();
    const Mask<T> is_reached = jacobian.are_reached();
    keep_better(is_far, is_reached);
    iterations = select(is_far, L(1), iterations);
    if (!has_pull()) is_busy = is_busy & !is_reached;
  }

  void keep(Mask<T> is_meant) {
    for (std::size_t i = 0; i < chains.plan.node_count; ++i) {
      chains.nodes[i].best = select(is_meant, chains.nodes[i].local, chains.nodes[i].best);
    }
  }
  // Keeps the better pose: nearer to the target, or of those that reach it nearer to rest.
  void keep_better(Mask<T> is_meant, Mask<T> is_reached) {
    Mask<T> is_better = error < best;
    if (has_pull()) {
      const Mask<T> is_nearer = rest < best_rest;
      const Mask<T> none_is_reached = !(is_reached | best_is_reached), is_first = !best_is_reached;
      is_better = (is_reached & (is_first | is_nearer)) | (none_is_reached & is_better);
    }
    is_better = is_better & is_meant;
    best = select(is_better, error, best);
    best_rest = select(is_better, rest, best_rest);
    best_is_reached = best_is_reached | (is_reached & is_meant);
    keep(is_better);
  }

  // ---- One step. ----

  // Fills clamped_errors; returns the sum of their squares.
  L clamp_errors() {
    L sum = L(0);
    for (std::size_t e = 0; e < chains.plan.effector_count; ++e) {
      const L most = lanes_of<T>(kLongestStep) * chains.effectors[e].chain_length / chains.model_scale;
      const auto begin = static_cast<std::size_t>(jacobian.first_rows[e]);
      for (std::size_t row = begin; row < begin + (jacobian.has_orientation_rows(e) ? 6 : 3); row += 3) {
        const L* from = jacobian.errors + row;
        const L square = from[0] * from[0] + from[1] * from[1] + from[2] * from[2];
        const Mask<T> is_long = square > most * most;
        const L share = select(is_long, most / sqrt(select(is_long, square, L(1))), L(1));
        for (std::size_t k = 0; k < 3; ++k) clamped_errors[row + k] = share * from[k];
        sum += share * share * square;
      }
    }
    return sum;
  }

  // The rotation vector from the current pose of a node to its rest pose.
  Vec3<L> to_rest_base(std::size_t i) const {
    const NodeLanes<T>& node = chains.nodes[i];
    const Quat<L> at_rest = mirrored(node.mirror, broadcast<T>(chains.plan.nodes[i].rest));
    const Quat<L> whole = (chains.base_from_parent(i) * at_rest) * conjugate(node.base_from_joint);
    const Quat<L> q = select(whole.w < L(0), -whole, whole);
    const L sine = length(q.vector());
    const Mask<T> is_small = sine <= L(Limits<T>::kSmallest);
    return select(is_small, L(2), 2 * atan2(sine, q.w) / select(is_small, L(1), sine)) * q.vector();
  }
  L squared_distance_from_rest() const {
    L sum = L(0);
    for (std::size_t i = 0; i < chains.plan.node_count; ++i) {
      if (!jacobian.axis_counts[i]) continue;
      const Vec3<L> vector_base = to_rest_base(i);
      sum += jacobian.freedoms[i].share * dot(vector_base, vector_base);
    }
    return sum;
  }

  void choose_step() {
    constexpr int kRounds = 3;
    jacobian.update_axes();
    const L square = clamp_errors();
    const bool can_be_limited = has_limits();
    for (int round = 0; round < kRounds; ++round) {
      if (has_pull()) pull_to_rest();
      jacobian.accumulate();
      if (settings.is_selective) {
        take_selective_step(jacobian, clamped_errors, damping, selective);
      } else {
        solve_damped(square);
        for (std::size_t i = 0; i < chains.plan.node_count; ++i) {
          jacobian.freedoms[i].step_base =
              jacobian.freedoms[i].pull_base + jacobian.rotation_for(i, multipliers);
        }
      }
      if (!can_be_limited || !any(drop_saturated())) break;
    }
  }
  void pull_to_rest() {
    clamp_errors();
    for (std::size_t i = 0; i < chains.plan.node_count; ++i) {
      if (jacobian.axis_counts[i])
        jacobian.freedoms[i].pull_base = pull * jacobian.allowed(i, to_rest_base(i));
    }
    jacobian.subtract_pull(clamped_errors);
  }
  // (J J^T + lambda^2) y = e, lambda = damping |e|.
  void solve_damped(const L& square) {
    const std::size_t rows = jacobian.row_count;
    const L share = lanes_of<T>(settings.damping * settings.damping) * damping;
    const L least = L(4 * Limits<T>::kEpsilon) * trace<T>(jacobian.gram, rows);
    const L lambda = max(share * square + least, L(Limits<T>::kSmallest));
    for (std::size_t i = 0; i < packed_size(rows); ++i) system[i] = jacobian.gram[i];
    for (std::size_t i = 0; i < rows; ++i) system[packed(i, i)] += lambda;
    if (rows == 3) {
      solve_positive<T>(system, clamped_errors, multipliers, 3);
    } else {
      solve_positive<T>(system, clamped_errors, multipliers, rows);
    }
  }
  // Drops the axes about which the step would rotate joints out of active limits.
  Mask<T> drop_saturated() {
    Mask<T> is_dropped = L(0) != L(0);
    for (std::size_t i = 0; i < chains.plan.node_count; ++i) {
      if (chains.plan.nodes[i].limit.kind == LimitKind::kNone) continue;
      FreedomLanes<T>& freedom = jacobian.freedoms[i];
      for (int k = 0; k < jacobian.axis_counts[i]; ++k) {
        const L outward = freedom.axes.outward[k], angle = dot(freedom.axes.axis[k], freedom.step_base);
        const Mask<T> is_out = (freedom.kept[k] > L(0)) & ((outward * angle > L(0)) | (outward > L(1)));
        freedom.kept[k] = select(is_out, L(0), freedom.kept[k]);
        is_dropped = is_dropped | is_out;
      }
    }
    return is_dropped;
  }

  // Rotates all nodes by their steps, as far as limits allow: q (1 + w / 2) rotates about w, by |w| - O(|w|^3).
  void take_step() {
    for (std::size_t i = 0; i < chains.plan.node_count; ++i) {
      if (!jacobian.axis_counts[i]) continue;
      NodeLanes<T>& node = chains.nodes[i];
      const Vec3<L> half_step_joint =
          rotate(conjugate(node.base_from_joint), L(T(0.5)) * jacobian.freedoms[i].step_base);
      node.local = chains.clamp(i, normalized(node.local * quat_from(half_step_joint, L(1))));
    }
  }

  // ---- The search. ----

  void step(bool may_restart) {
    choose_step();
    take_step();
    chains.compose();
    const L next = jacobian.measure();
    const Mask<T> is_reached = jacobian.are_reached();
    Mask<T> is_better = is_busy & (next < error);
    L next_rest = L(0);
    if (has_pull()) {
      // Poses that hold the target form a curved set: steps to rest may leave it a little, and return.
      next_rest = squared_distance_from_rest();
      is_better = is_busy & (next < max(error, allowance()));
    }
    const L needed = select(is_last, lanes_of<T>(1 - 1e-6), lanes_of<T>(0.7));
    Mask<T> is_fast = is_better & (next <= needed * error);
    if (has_pull()) {
      const Mask<T> is_worse = !is_better, can_be_less = is_worse & (pull > L(T(1e-3)));
      is_fast = is_fast | can_be_less | (is_better & (next_rest < L(T(0.9999)) * rest));
    }
    patience = select(is_fast, min(patience + L(1), L(kPatience)), patience - L(1));
    damping = select(is_better, max(damping * lanes_of<T>(kLessDamping), lanes_of<T>(kLeastDamping)),
                     min(damping * L(kMoreDamping), L(kMostDamping)));
    if (has_pull()) pull = select(is_busy & !is_better, L(T(0.5)) * pull, pull);
    for (std::size_t i = 0; i < chains.plan.node_count; ++i) {
      chains.nodes[i].local = select(is_better, chains.nodes[i].local, jacobian.freedoms[i].from);
    }
    error = select(is_better, next, error);
    rest = select(is_better, next_rest, rest);
    iterations = select(is_busy, iterations + L(1), iterations);
    keep_better(is_better, is_reached);
    const Mask<T> is_done = is_better & is_reached;
    Mask<T> is_stuck = is_busy & (patience <= L(0));
    if (has_pull()) {
      is_busy = is_busy & !(is_stuck & best_is_reached);
    } else {
      is_busy = is_busy & !is_done;
    }
    is_stuck = is_stuck & is_busy;
    bool is_moved = any(is_busy & !is_better);
    if (any(is_stuck)) {
      is_moved = true;
      is_busy = is_busy & !(is_stuck & is_last);
      restart(is_stuck & is_busy, may_restart);
    }
    if (is_moved) {
      chains.compose();
      error = jacobian.measure();
    }
  }
  // How far the squared error may grow in steps to rest.
  L allowance() const {
    L sum = L(0);
    for (std::size_t e = 0; e < chains.plan.effector_count; ++e) {
      const L error_limit = lanes_of<T>(0.05) * chains.effectors[e].chain_length / chains.model_scale;
      sum += error_limit * error_limit;
    }
    return sum;
  }

  // From the next restart pose, or once there are no more, from the best pose until the end.
  void restart(Mask<T> is_stuck, bool may_restart) {
    patience = select(is_stuck, L(kPatience), patience);
    damping = select(is_stuck, L(1), damping);
    if (may_restart) {
      attempt = select(is_stuck, attempt + L(1), attempt);
      take_restart_poses(chains, jacobian.axis_counts, attempt, is_stuck);
      const Mask<T> is_first = is_stuck & (attempt == L(1));
      if (is_simple() && any(is_first)) lay_along_arc(chains, jacobian.axis_counts, is_first);
      if (has_pull()) chains.compose(), rest = select(is_stuck, squared_distance_from_rest(), rest);
      return;
    }
    is_last = is_last | is_stuck;
    rest = select(is_stuck, best_rest, rest);
    for (std::size_t i = 0; i < chains.plan.node_count; ++i) {
      chains.nodes[i].local = select(is_stuck, chains.nodes[i].best, chains.nodes[i].local);
    }
  }

  L solve() {
    begin();
    const std::int32_t most = chains.batch.max_iterations;
    for (std::int32_t i = 0; i < most; ++i) {
      is_busy = is_busy & (iterations < L(most));
      if (!any(is_busy)) break;
      step(3 * i < 2 * most);
    }
    for (std::size_t i = 0; i < chains.plan.node_count; ++i) chains.nodes[i].local = chains.nodes[i].best;
    chains.compose();
    chains.orient_effectors();
    return iterations;
  }
};

template <class T>
std::size_t scratch_bytes(const IkPlan& plan) {
  const std::size_t rows = 6 * plan.effector_count;
  return ChainLanes<T>::scratch_bytes(plan) + JacobianLanes<T>::scratch_bytes(plan) +
         (2 * rows + packed_size(rows) + selective_scratch(rows)) * sizeof(Lanes<T>);
}

template <class T>
void solve(const IkPlan& plan, const IkBatch<T>& batch, const LeastSquaresSettings& settings,
           std::size_t begin, std::size_t end, void* scratch) {
  using L = Lanes<T>;
  char* after_chains = static_cast<char*>(scratch) + ChainLanes<T>::scratch_bytes(plan);
  auto* own = reinterpret_cast<L*>(after_chains + JacobianLanes<T>::scratch_bytes(plan));
  for_each_group<T>(plan, batch, begin, end, scratch, [&](ChainLanes<T>& chains) {
    JacobianLanes<T> jacobian(chains, after_chains);
    return LeastSquares<T>(chains, jacobian, settings, own).solve();
  });
}

[[maybe_unused]] std::size_t jacobian_of(const IkPlan& plan, const IkBatch<double>& batch,
                                         const double* stiffness, void* scratch, double* out, double* gram) {
  using L = Lanes<double>;
  ChainLanes<double> chains(plan, batch, scratch);
  for (std::size_t& item : chains.items) item = 0;
  chains.load(false);
  JacobianLanes<double> jacobian(chains,
                                 static_cast<char*>(scratch) + ChainLanes<double>::scratch_bytes(plan));
  jacobian.begin(stiffness);
  chains.compose();
  jacobian.update_axes();
  jacobian.accumulate();
  const std::size_t rows = jacobian.row_count;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < rows; ++k) jacobian.errors[k] = L(k == row ? 1 : 0);
    for (std::size_t i = 0; i < plan.node_count; ++i) {
      const Vec3<L> rotation_base = jacobian.rotation_for(i, jacobian.errors);
      double* to = out + (row * plan.node_count + i) * 3;
      to[0] = rotation_base.x.v[0], to[1] = rotation_base.y.v[0], to[2] = rotation_base.z.v[0];
    }
    for (std::size_t k = 0; k <= row; ++k) {
      gram[row * rows + k] = gram[k * rows + row] = jacobian.gram[packed(row, k)].v[0];
    }
  }
  return rows;
}

}  // namespace

extern const LeastSquaresKernels least_squares_kernels;
const LeastSquaresKernels least_squares_kernels = {{&solve<float>, &scratch_bytes<float>},
                                                   LISSOM_DOUBLES(&solve<double>, &scratch_bytes<double>),
                                                   LISSOM_DOUBLES(&jacobian_of)};

}  // namespace lissom::LISSOM_ISA
