// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/error.h"
#include "core/linear_algebra/box_problem.h"
#include "core/linear_algebra/cholesky.h"
#include "core/progress.h"

namespace lissom {

struct AdmmFacts {
  int iterations = 0;
  int factorisations = 0;
  double rho = 0;
  double primal_residual =
      0;              // largest |x - z|: between the minimum of the energy and its projection to the bounds
  double change = 0;  // largest change of z in the last iteration
  double error_estimate = 0;       // of z
  double lowest = 0, highest = 1;  // of x, before clipping
  double seconds_ordering = 0, seconds_factorising = 0, seconds_iterating = 0;
};

// Solves a BoxProblem by splitting it into the energy (x) and the bounds (z): the alternating direction method of
// multipliers (Boyd et al., Distributed Optimization and Statistical Learning via ADMM, 2011: section 5.2 with the
// over-relaxation of 3.4.3). One factorisation of Q + rho D, D the metric, serves every handle and every iteration. rho
// is balanced as in OSQP (Stellato et al. 2020, section 5.2).
struct Admm {
  const BoxProblem* problem = nullptr;
  double rho = 0;           // initial
  double tolerance = 1e-3;  // largest accepted error of z
  int iteration_limit = 1000;
  double memory_limit = 0;  // bytes
  double* bytes_needed = nullptr;
  Progress progress;

  // z (N, H) within the bounds; `factor` keeps its order of elimination. Where the factor needs more than
  // memory_limit, returns an error and sets *bytes_needed.
  Error run(CholeskyFactor* factor, std::vector<double>* z, AdmmFacts* facts) const;
};

}  // namespace lissom
