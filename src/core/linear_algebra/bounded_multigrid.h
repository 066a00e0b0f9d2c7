// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/linear_algebra/box_problem.h"
#include "core/linear_algebra/multigrid.h"
#include "core/progress.h"

namespace lissom {

struct BoundedMultigridFacts {
  bool converged = false;
  int cycles = 0;          // of multigrid on the finest level, of the eight handles that take most
  int set_changes = 0;     // sets of active bounds on the finest level, of the same
  double past_bounds = 0;  // how far the last solution lies beyond the bounds, before it is clipped
  double change = 0;       // largest change of a weight by the last set
  double error_estimate = 0;
  double lowest = 0, highest = 1;  // before clipping
  double seconds = 0;
};

// Solves a BoxProblem by active sets (primal-dual: Hintermueller, Ito and Kunisch 2002), from the coarsest level of a
// grid to the finest, each of which starts with the solution and the sets of the one before. What is free is solved for
// by conjugate gradients with a V-cycle of multigrid on the free unknowns, eight handles at a time.
//
// The multipliers of this problem are concentrated at the border of a set, so a set that is too large would shrink by
// one unknown at its border with each step. So coarse unknowns are freed with all that they move where that lowers the
// energy, a limited number of times.
struct BoundedMultigrid {
  const BoxProblem* problem = nullptr;
  const Multigrid* grid = nullptr;  // of problem->q
  double tolerance = 1e-3;          // largest accepted error of w
  // (handle_count) of handles, or empty: eight after each other are solved for at once, fastest where they are neighbours.
  // Results differ by far less than the tolerance.
  std::span<const std::int32_t> order;
  Progress progress;

  // w (N, H) within the bounds, near the solution where facts->converged. Ends with the first group of handles that is
  // given up: all are left to another method then, and facts are of the groups in work.
  Error run(std::vector<double>* w, BoundedMultigridFacts* facts) const;
};

// About the bytes that run() takes for each unknown of the finest level and handle in work, of which at most as many groups of
// eight as there are threads.
inline constexpr double kBoundedMultigridBytes = 8 * 16;

}  // namespace lissom
