// SPDX-License-Identifier: MIT
#pragma once

// Selectively damped least squares: each direction that effectors can move in is damped by itself, as far as joints would
// have to turn for it, and none needs a constant. For *_kernels.cpp files only.
//
// Source: Buss and Kim, "Selectively damped least squares for inverse kinematics", Journal of Graphics Tools 10(3), 2005.
// Of J w^(1/2) = U diag(s) V^T, U and s^2 are eigenvectors and eigenvalues of J w J^T. A joint that turns about three axes
// counts as one, by the size of its rotation vector.

#include "core/ik/jacobian_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// Numbers that a step needs besides: U, then a step for each direction.
LISSOM_INLINE std::size_t selective_scratch(std::size_t rows) { return rows * rows + rows; }

// The farthest that effectors move when node `i` turns by one radian: the sum over their positions and orientations.
template <class T>
LISSOM_INLINE Lanes<T> reach_of(const JacobianLanes<T>& jacobian, std::size_t i) {
  using L = Lanes<T>;
  const IkPlan& plan = jacobian.chains.plan;
  L sum = L(0);
  for (std::int32_t k = plan.nodes[i].below_begin; k < plan.nodes[i].below_end; ++k) {
    const auto e = static_cast<std::size_t>(plan.below[k]);
    const Vec3<L> arm = jacobian.chains.nodes[plan.effectors[e]].position - jacobian.chains.nodes[i].position;
    sum += length(jacobian.in_metric(arm));
    if (jacobian.has_turn_rows(e)) sum += jacobian.turn_weight(e);
  }
  return sum;
}

template <class L>
LISSOM_INLINE Vec3<L> cut(const Vec3<L>& v, const L& most, const L& largest) {
  return select(largest > most, most / select(largest > L(0), largest, L(1)), L(1)) * v;
}

// Fills the steps of all nodes for `errors`; J w J^T is used up. `damping` above 1 makes steps shorter.
template <class T>
LISSOM_INLINE void take_selective_step(JacobianLanes<T>& jacobian, const Lanes<T>* errors,
                                       const Lanes<T>& damping, Lanes<T>* scratch) {
  using L = Lanes<T>;
  const IkPlan& plan = jacobian.chains.plan;
  const std::size_t rows = jacobian.row_count, nodes = plan.node_count;
  L *vectors = scratch, *direction = scratch + rows * rows;
  const L least = L(16 * Limits<T>::kEpsilon) * trace<T>(jacobian.gram, rows);
  diagonalise<T>(jacobian.gram, vectors, rows);
  // The largest turn of one joint in one step, gamma_max of the paper.
  const L most = lanes_of<T>(kHalfTurn / 4) / max(damping, L(1));
  for (std::size_t i = 0; i < nodes; ++i) jacobian.freedoms[i].step = jacobian.freedoms[i].pull;
  for (std::size_t k = 0; k < rows; ++k) {
    const L square = jacobian.gram[packed(k, k)];
    const Mask<T> is_lost = square <= max(least, L(Limits<T>::kSmallest));
    const L inverse = select(is_lost, L(0), 1 / select(is_lost, L(1), square));
    L along = L(0), moved = L(0);  // alpha and N
    for (std::size_t row = 0; row < rows; ++row) {
      direction[row] = vectors[row * rows + k];
      along += direction[row] * errors[row];
    }
    for (std::size_t row = 0; row < rows; row += 3) {
      const L* u = direction + row;
      moved += sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    // M: how far effectors would move at most if all joints turned as they do for this direction, one unit of it.
    L turned = L(0), largest = L(0);
    for (std::size_t i = 0; i < nodes; ++i) {
      if (!jacobian.axis_counts[i]) continue;
      const L size = inverse * length(jacobian.turn_for(i, direction));
      turned += size * reach_of(jacobian, i);
      largest = max(largest, size);
    }
    const L bound = select(turned > moved, moved / select(turned > L(0), turned, L(1)), L(1)) * most;
    for (std::size_t i = 0; i < nodes; ++i) {
      if (!jacobian.axis_counts[i]) continue;
      const Vec3<L> turn = (inverse * along) * jacobian.turn_for(i, direction);
      Vec3<L>& step = jacobian.freedoms[i].step;
      step = step + cut(turn, bound, largest * abs(along));
    }
  }
  L largest = L(0);
  for (std::size_t i = 0; i < nodes; ++i) {
    if (jacobian.axis_counts[i]) largest = max(largest, length(jacobian.freedoms[i].step));
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    jacobian.freedoms[i].step = cut(jacobian.freedoms[i].step, most, largest);
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
