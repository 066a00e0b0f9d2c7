// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/ik/ik_job.h"

namespace lissom {

// Damped least squares (Wampler 1986; Levenberg and Marquardt): steps J^T (J J^T + lambda^2)^-1 e that bring all
// effectors to their targets at once, positions and orientations, as far as limits allow. lambda is adapted to the
// error and to the outcome of steps. Or selectively damped (Buss and Kim 2005): each singular direction by itself.
//
// Squared distances count in the base's lengths, squared angles in radians times the length of the chain. Where no step
// reduces the error, the search restarts from another pose; the best pose of all is the result.
template <class T>
struct LeastSquaresJob : IkJob<T> {
  Error validate() const;
  Error run() const;

  std::span<const double> stiffness;  // (J) in [0, 1]: 1 does not rotate; or none
  double damping = 0.5;               // lambda for the norm of the error, at least 0
  double rest_attraction =
      0;  // in [0, 1]: share of the rotation to the rest pose in each step, within the null space
  bool is_selective = false;
};

// For tests: the solver's Jacobian matrix of the first pose. Reads inputs alone, unchecked.
struct JacobianOfPose {
  std::vector<double> jacobian;  // (R, node, 3)
  std::vector<double> gram;      // (R, R)
  std::size_t row_count = 0;
};
JacobianOfPose jacobian_of(const LeastSquaresJob<double>& job);

}  // namespace lissom
