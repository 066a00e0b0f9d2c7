// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/linear_algebra/multigrid_kernels.h"
#include "core/linear_algebra/sparse_matrix.h"

namespace lissom {

// A symmetric, positive definite matrix on ever coarser levels, which stand in for it where vectors vary slowly: of the
// coarse unknowns c with w = P c, the matrix is P' Q P.
class Multigrid {
 public:
  explicit Multigrid(SparseMatrix q) { add(std::move(q)); }

  // P of the coarsest level to a coarser one: rows of `column_count` columns, each of which some row has.
  void coarsen(SparseMatrix interpolation, std::size_t column_count);

  std::size_t level_count() const { return levels_.size(); }
  std::size_t row_count(std::size_t level) const { return levels_[level].q.row_count(); }
  const SparseMatrix& matrix(std::size_t level) const { return levels_[level].q; }
  const SparseMatrix& interpolation(std::size_t level) const { return levels_[level].p; }
  // `chosen` outlives the result.
  MatrixRows rows(std::size_t level, const std::vector<std::int32_t>& chosen) const;
  InterpolationRows interpolation_rows(std::size_t level) const;

 private:
  struct Level {
    SparseMatrix q, p;
    std::vector<std::size_t> diagonals;
    std::vector<double> inverses, scales;
    std::vector<float> scaled_q, scaled_p;
  };
  void add(SparseMatrix q);

  std::vector<Level> levels_;
};

// What a level keeps of kSolveLanes vectors.
struct MultigridVectors {
  std::vector<float> mask, r, z;     // r and z scaled, as multigrid_kernels.h says
  std::vector<std::int32_t> chosen;  // rows with a free unknown
};

// Preconditions with a V-cycle, in scaled vectors of float32: z = B r with B near the inverse of the free part of Q, symmetric and positive definite,
// by one sweep of Gauss-Seidel before the coarser level and one after it. `vectors` has all levels from the finest;
// masks say what is free, r of `level` is given and z of it returned.
void multigrid_cycle(const Multigrid& grid, std::size_t level, std::vector<MultigridVectors>* vectors);

// From the mask of `level`, masks of all coarser ones and the chosen rows of all: a coarse unknown is free where all that
// it moves is, so that what it moves stays as smooth as it is. Clears z.
void multigrid_masks(const Multigrid& grid, std::size_t level, std::vector<MultigridVectors>* vectors);

}  // namespace lissom
