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
  const double* inverses;      // (count) of the diagonal
  const double* scales;        // (count) their square roots
  const float* scaled_values;  // rows and columns times scales: the diagonal is 1
};

// Rows of any matrix, from one level to the next coarser one, between scaled vectors.
struct InterpolationRows {
  std::size_t count;
  const std::size_t* starts;
  const std::int32_t* columns;
  const float* scaled_values;
};

// The unit of scaled residuals: they vanish with distance, and numbers that are not normal are slow.
inline constexpr double kScaledUnit = 0x1p40;

// Steps of multigrid for kSolveLanes vectors at a time, interleaved. A mask is 1 at free unknowns and 0 at those that
// stay as they are, for each lane by itself. A cycle preconditions: half as many bytes of float32 do, of which rounding
// is far below what a cycle leaves. Its vectors are scaled: residuals times `scales` and kScaledUnit, z divided by
// `scales`, times kScaledUnit.
struct MultigridKernels {
  // Scaled residuals.
  void (*scale)(const MatrixRows& rows, const double* r, float* scaled);
  // z = one ascending sweep of Gauss-Seidel from zero on A z = r.
  void (*first_sweep)(const MatrixRows& a, const float* mask, const float* r, float* z);
  // coarse += P' mask (r - A z), where z is what first_sweep made of r.
  void (*restrict_rest)(const MatrixRows& a, const InterpolationRows& p, const float* mask, const float* z,
                        float* coarse);
  // z += mask P coarse.
  void (*prolong)(const MatrixRows& rows, const InterpolationRows& p, const float* mask, const float* coarse,
                  float* z);
  // A sweep of Gauss-Seidel on A z = r, from the last row to the first or the other way.
  void (*sweep)(const MatrixRows& a, const float* mask, const float* r, float* z, bool descending);
  // q = A p, and the sums of p q of each lane.
  void (*multiply)(const MatrixRows& a, const double* p, double* q, double* sums);
  // r = b - A x.
  void (*subtract)(const MatrixRows& a, const double* b, const double* x, double* r);
  // The sums of z r of each lane; z is scaled.
  void (*dot)(const MatrixRows& rows, const float* z, const double* r, double* sums);
  // p = z + factor p; z is scaled.
  void (*direct)(const MatrixRows& rows, const float* z, const double* factor, double* p);
  // x += factor p, r -= factor q; the largest |factor p| of each lane.
  void (*advance)(const MatrixRows& rows, const double* factor, const double* p, const double* q, double* x,
                  double* r, double* largest);
};

}  // namespace lissom
