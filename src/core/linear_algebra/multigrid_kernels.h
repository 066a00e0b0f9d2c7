// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/linear_algebra/cholesky_kernels.h"

namespace lissom {

// Rows of a symmetric matrix with a diagonal, as kernels read them: entry diagonals[i] is that of row i, and the columns
// of a row ascend. `chosen`, ascending, are those with a free unknown in some lane: most kernels skip the others, where
// vectors are zero.
struct MatrixRows {
  std::size_t count;
  const std::int32_t* chosen;
  std::size_t chosen_count;
  const std::size_t* starts;
  const std::size_t* diagonals;
  const std::int32_t* columns;
  const double* values;
  const double* inverses;  // (count) of the diagonal
};

// Rows of any matrix, from one level to the next coarser one.
struct InterpolationRows {
  std::size_t count;
  const std::size_t* starts;
  const std::int32_t* columns;
  const double* values;
};

// Steps of multigrid for kSolveLanes vectors at a time, interleaved. A mask is 1 at free unknowns and 0 at those that
// stay as they are, for each lane by itself.
struct MultigridKernels {
  // z = one ascending sweep of Gauss-Seidel from zero on A z = r.
  void (*first_sweep)(const MatrixRows& a, const double* mask, const double* r, double* z);
  // coarse += P' mask (r - A z), where z is what first_sweep made of r.
  void (*restrict_rest)(const MatrixRows& a, const InterpolationRows& p, const double* mask, const double* z,
                        double* coarse);
  // z += mask P coarse.
  void (*prolong)(const MatrixRows& rows, const InterpolationRows& p, const double* mask,
                  const double* coarse, double* z);
  // A sweep of Gauss-Seidel on A z = r, from the last row to the first or the other way.
  void (*sweep)(const MatrixRows& a, const double* mask, const double* r, double* z, bool descending);
  // q = A p, and the sums of p q of each lane.
  void (*multiply)(const MatrixRows& a, const double* p, double* q, double* sums);
  // r = b - A x.
  void (*subtract)(const MatrixRows& a, const double* b, const double* x, double* r);
  // The sums of a b of each lane.
  void (*dot)(const MatrixRows& rows, const double* a, const double* b, double* sums);
  // p = z + factor p.
  void (*direct)(const MatrixRows& rows, const double* z, const double* factor, double* p);
  // x += factor p, r -= factor q; the largest |factor p| of each lane.
  void (*advance)(const MatrixRows& rows, const double* factor, const double* p, const double* q, double* x,
                  double* r, double* largest);
};

}  // namespace lissom
