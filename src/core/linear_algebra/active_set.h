// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/linear_algebra/box_problem.h"
#include "core/progress.h"

namespace lissom {

struct ActiveSetFacts {
  bool is_exact = false;  // every handle's conditions of optimality hold
  int steps = 0;          // factorisations, over all handles
  double change = 0;      // largest change of a weight
};

// From an approximate solution of a BoxProblem to the exact one, handle by handle: unknowns at their bounds stay there,
// the others are solved for, and those that violate a condition of optimality change sides, all at once while that
// reduces their number, else the last one alone, which terminates (block principal pivoting: Judice and Pires 1994).
struct ActiveSet {
  const BoxProblem* problem = nullptr;
  std::span<const std::int32_t> order;  // (N) of elimination of the whole problem, used for its parts
  Progress progress;

  Error run(std::vector<double>* w, ActiveSetFacts* facts) const;
};

}  // namespace lissom
