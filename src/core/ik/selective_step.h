// SPDX-License-Identifier: MIT
#pragma once

// Selectively damped least squares: each singular direction is damped by itself, by how far joints would have to rotate
// for it, without a damping constant. For *_kernels.cpp files only.
//
// Source: Buss and Kim, "Selectively damped least squares for inverse kinematics", Journal of Graphics Tools 10(3),
// 2005. Of J w^(1/2) = U diag(s) V^T, U and s^2 are eigenvectors and eigenvalues of J w J^T. A joint with three axes
// counts as one, by the length of its rotation vector.

#include "core/ik/jacobian_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// Numbers of scratch for a step: U, then one of its columns.
LISSOM_INLINE std::size_t selective_scratch(std::size_t rows) { return rows * rows + rows; }

// A bound of how far effectors move when node `i` rotates by one radian: the sum over their positions and orientations.
template <class T>
LISSOM_INLINE Lanes<T> reach_of(const JacobianLanes<T>& jacobian, std::size_t i) {
  using L = Lanes<T>;
  const IkPlan& plan = jacobian.chains.plan;
  L sum = L(0);
  for (std::int32_t k = plan.nodes[i].below_begin; k < plan.nodes[i].below_end; ++k) {
    const auto e = static_cast<std::size_t>(plan.below[k]);
    const Vec3<L> arm =
        jacobian.chains.nodes[plan.effectors[e]].position_base - jacobian.chains.nodes[i].position_base;
    sum += length(jacobian.in_metric(arm));
    if (jacobian.has_orientation_rows(e)) sum += jacobian.radian_length(e);
  }
  return sum;
}

// v, scaled down as much as takes `largest` to `most`.
template <class L>
LISSOM_INLINE Vec3<L> scaled_down(const Vec3<L>& v, const L& most, const L& largest) {
  return select(largest > most, most / select(largest > L(0), largest, L(1)), L(1)) * v;
}

// Fills the steps of all nodes for `errors`; overwrites J w J^T. `damping` above 1 makes steps shorter.
template <class T>
LISSOM_INLINE void take_selective_step(JacobianLanes<T>& jacobian, const Lanes<T>* errors,
                                       const Lanes<T>& damping, Lanes<T>* scratch) {
  using L = Lanes<T>;
  const IkPlan& plan = jacobian.chains.plan;
  const std::size_t rows = jacobian.row_count, nodes = plan.node_count;
  L *vectors = scratch, *direction = scratch + rows * rows;
  const L least = L(16 * Limits<T>::kEpsilon) * trace<T>(jacobian.gram, rows);
  diagonalise<T>(jacobian.gram, vectors, rows);
  // The largest rotation of one joint in one step, gamma_max of the paper.
  const L most = lanes_of<T>(kPi / 4) / max(damping, L(1));
  for (std::size_t i = 0; i < nodes; ++i) jacobian.freedoms[i].step_base = jacobian.freedoms[i].pull_base;
  for (std::size_t k = 0; k < rows; ++k) {
    const L square = jacobian.gram[packed(k, k)];
    const Mask<T> is_lost = square <= max(least, L(Limits<T>::kSmallest));
    const L inverse = select(is_lost, L(0), 1 / select(is_lost, L(1), square));
    L alpha = L(0), n = L(0);  // of the paper: the error in this direction, and how far effectors move for it
    for (std::size_t row = 0; row < rows; ++row) {
      direction[row] = vectors[row * rows + k];
      alpha += direction[row] * errors[row];
    }
    for (std::size_t row = 0; row < rows; row += 3) {
      const L* u = direction + row;
      n += sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    // M of the paper: a bound of how far effectors move while all joints rotate for one unit of this direction.
    L m = L(0), largest = L(0);
    for (std::size_t i = 0; i < nodes; ++i) {
      if (!jacobian.axis_counts[i]) continue;
      const L size = inverse * length(jacobian.rotation_for(i, direction));
      m += size * reach_of(jacobian, i);
      largest = max(largest, size);
    }
    const L gamma = select(m > n, n / select(m > L(0), m, L(1)), L(1)) * most;
    for (std::size_t i = 0; i < nodes; ++i) {
      if (!jacobian.axis_counts[i]) continue;
      const Vec3<L> rotation_base = (inverse * alpha) * jacobian.rotation_for(i, direction);
      Vec3<L>& step_base = jacobian.freedoms[i].step_base;
      step_base = step_base + scaled_down(rotation_base, gamma, largest * abs(alpha));
    }
  }
  L largest = L(0);
  for (std::size_t i = 0; i < nodes; ++i) {
    if (jacobian.axis_counts[i]) largest = max(largest, length(jacobian.freedoms[i].step_base));
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    jacobian.freedoms[i].step_base = scaled_down(jacobian.freedoms[i].step_base, most, largest);
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
