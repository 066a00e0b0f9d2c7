// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/ik/ik_job.h"

namespace lissom {

// Damped least squares (Wampler 1986; Levenberg and Marquardt): steps J^T (J J^T + lambda^2)^-1 e that bring all effectors to
// their targets at once, positions and orientations, where limits let joints turn. lambda follows the error and how
// steps fare. Or selectively damped (Buss and Kim 2005): each direction by itself.
//
// The squares of distances count in the base's lengths, those of angles in radians times the length of the chain. Where
// no step leads on, the search begins anew elsewhere, and ends at the best pose of all.
template <class T>
struct LeastSquaresJob : IkJob<T> {
  Error validate() const;
  Error run() const;

  std::span<const double> stiffness;  // (J) in [0, 1]: 1 does not turn; or none
  double damping = 0.5;               // lambda for the norm of the error, at least 0
  double rest_attraction =
      0;  // in [0, 1]: share of the way to the rest pose in each step, where effectors do not mind
  bool is_selective = false;
};

// For tests: what the solver takes for the Jacobian matrix of the first pose. Looks at inputs alone, unchecked.
struct JacobianOfPose {
  std::vector<double> jacobian;  // (R, node, 3)
  std::vector<double> gram;      // (R, R)
  std::size_t row_count = 0;
};
JacobianOfPose jacobian_of(const LeastSquaresJob<double>& job);

}  // namespace lissom
