// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/linear_algebra/sparse_matrix.h"

namespace lissom {

// min 1/2 w' Q w - b' w with 0 <= w <= 1, for each of H right-hand sides b. N unknowns.
struct BoxProblem {
  SparseMatrix q;            // (N, N) symmetric, positive definite: all rows, columns ascending
  std::vector<double> b;     // (N, H)
  std::vector<double> mass;  // (N) above 0: the weights of means
  // (N) above 0: the relative penalty of an unknown outside its bounds, times mass.
  std::vector<double> metric;
  std::size_t handle_count = 0;
};

}  // namespace lissom
