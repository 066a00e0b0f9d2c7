// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/linear_algebra/active_set.h"
#include "core/linear_algebra/admm.h"
#include "core/linear_algebra/bounded_multigrid.h"
#include "core/progress.h"

namespace lissom {

// Statistics of a BoundedBiharmonicJob.
struct BoundedBiharmonicFacts {
  BoundedMultigridFacts multigrid;  // its cycles are 0 where it was not tried
  AdmmFacts admm;                   // of small problems, and of those that multigrid left
  ActiveSetFacts polish;
  bool converged = false;                          // the estimated error is below the tolerance
  double lowest_row_sum = 1, highest_row_sum = 1;  // of free nodes, before rows are normalised
  std::size_t free_count = 0;                      // unknowns of each handle
  std::size_t factor_entries = 0;
  std::size_t flat_count = 0;       // tetrahedra without volume, left out
  std::size_t unreached_count = 0;  // nodes of components that hold no fixed node
  std::size_t unreached_component_count = 0;
  double seconds_assembling = 0, seconds_coarsening = 0, seconds_polishing = 0;
};

// Bounded biharmonic weights of N nodes of T tetrahedra for H handles: for each handle, the function with
//   min 1/2 w' L M^-1 L w,   0 <= w <= 1,   w given at C fixed nodes;
// then each row of weights is divided by its sum. L is the Laplacian of linear tetrahedra, M the lumped mass; the
// border is free. Without bounds the sum would be 1 by itself; with them it is near (measured: 0.99 to 1.6).
// Source: Jacobson, Baran, Popovic and Sorkine, Bounded Biharmonic Weights for Real-Time Deformation, ACM TOG 30(4),
// 2011. Their constraint that weights sum to 1 is replaced by the division, as in their implementation.
//
// A component of the tetrahedra without a fixed node has no unique weights; all its nodes have the row of the fixed
// node that is nearest to one of them, and `unreached` marks them. Owns none of its buffers.
struct BoundedBiharmonicJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills the outputs; writes nothing on error

  std::span<const double> nodes;              // (N, 3) finite, any unit
  std::span<const std::int32_t> tets;         // (T, 4) each in [0, N); of either orientation
  std::span<const std::int32_t> fixed_nodes;  // (C) each in [0, N), none twice; C at least 1
  std::span<const double> fixed_rows;         // (C, H) each at least 0, rows sum to 1 within kRowSumTolerance
  double tolerance = 1e-3;                    // largest accepted error of a weight
  int iteration_limit = 1000;
  bool polish = false;  // solve for the exact solution, by active sets, also where the iteration converged
  double memory_limit = 1e300;     // bytes that a factor, and multigrid by an estimate, may use
  double* bytes_needed = nullptr;  // or set where run() refuses for it
  Progress progress;
  // Outputs.
  std::span<double> weights;          // (N, H) in [0, 1], rows sum to 1
  std::span<std::uint8_t> unreached;  // (N) 1 where no handle reaches a node; or empty
  BoundedBiharmonicFacts* facts = nullptr;
};

inline constexpr double kRowSumTolerance = 1e-6;

}  // namespace lissom
