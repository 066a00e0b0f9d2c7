// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/linear_algebra/sparse_matrix.h"
#include "core/progress.h"

namespace lissom {

// P A P^T = L L^T of a sparse, symmetric, positive definite matrix, by fronts (Duff and Reid 1983; supernodes relaxed
// as in Chen, Davis, Hager and Rajamanickam 2008). Most of its time goes into dense products of the widest instruction
// set here, large ones on all threads. Its bits do not depend on the number of threads. Why not Eigen's SimplicialLDLT:
// in its place, in the same order and for eight right-hand sides at a time, all of ADMM took 1.1 s instead of 0.46 s
// for 7 381 nodes and 8.5 s instead of 2.1 s for 19 125 (5 handles, one thread), beyond the 0.8 s and 5 s that such
// weights may take. Of a surface's Laplacian too: 167 ms instead of 113 ms for assembling, factorising and 20
// right-hand sides on 50 002 vertices (two threads).
class CholeskyFactor {
 public:
  // Plans the factor of matrices with the pattern of `a`: all rows, both triangles, columns ascending. Ordered by
  // approximate minimum degree (Amestoy, Davis and Duff 1996, as Eigen has it), or as `order` says: order[k] is the row
  // that is eliminated k-th. `stage` is passed to `progress`.
  Error analyse(const SparseMatrix& a, std::span<const std::int32_t> order, const char* stage,
                const Progress& progress);
  // Computes the factor of `a` + shift diag(`diagonal`), of the pattern that was analysed.
  Error factorise(const SparseMatrix& a, double shift, std::span<const double> diagonal, const char* stage,
                  const Progress& progress);
  // After analyse(): an error, and bytes() in *bytes_needed unless that is null, where factorise() needs more than `limit`.
  Error check_memory(double limit, double* bytes_needed) const;
  // x = A^-1 x for kSolveLanes right-hand sides, interleaved, in the order of elimination. Any thread may call it.
  void solve(double* x) const;

  std::size_t row_count() const { return order_.size(); }
  std::span<const std::int32_t> order() const { return order_; }
  std::size_t entry_count() const { return panel_starts_.empty() ? 0 : panel_starts_.back(); }
  double bytes() const { return bytes_; }  // that factorise() needs, known after analyse()

 private:
  void find_supernodes(std::span<const std::int32_t> parents, std::span<const std::int32_t> counts);
  void find_rows(const SparseMatrix& a);

  std::vector<std::int32_t> order_;    // (rows) the row eliminated at each place
  std::vector<std::int32_t> places_;   // (rows) its inverse
  std::vector<std::int32_t> firsts_;   // (supernodes + 1) first column of each, by place
  std::vector<std::int32_t> parents_;  // (supernodes) in the tree of supernodes; -1 at a root
  std::vector<std::size_t> row_starts_;
  std::vector<std::int32_t> rows_;  // below the diagonal block, by place
  std::vector<std::size_t> panel_starts_;
  std::vector<double> panels_;
  std::size_t widest_front_ = 0;
  double bytes_ = 0;
};

}  // namespace lissom
