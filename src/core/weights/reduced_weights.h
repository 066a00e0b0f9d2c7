// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/progress.h"

namespace lissom {

// Weights with at most K influences per vertex near the given ones whose differences change smoothly from vertex to
// vertex. With w the given weights, x the reduced ones and d = x - w it minimises
//
//   sum over vertices |d_v|^2  +  smoothness * sum over edges |d_a - d_b|^2
//
// over all rows x_v that are not negative, sum to 1 and have at most K entries. Truncation alone makes d jump where the
// K largest change; the second sum makes that gradual. By coordinate descent one vertex after the other is set to its
// best row given its neighbours, which lowers the sum in each step: the projection of w_v + smoothness sum d_n / (1 +
// smoothness n) onto rows of K entries, those of its K largest. Coincident vertices of equal weights are one. Without
// edges each row is the nearest one with K entries. Sources: Landreneau and Schaefer, Poisson-Based Weight Reduction of
// Animated Meshes, Computer Graphics Forum 29(6),
// 2010 (errors and their differences along edges, there over example poses); Kyrillidis, Becker, Cevher and Koch,
// Sparse Projections onto the Simplex, ICML 2013 (the projection is exact). Owns none of its buffers.
struct ReducedWeightsJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills the output; writes nothing on error

  // Inputs. V vertices, H handles, F triangles.
  std::span<const double> weights;           // (V, H) finite, not negative, rows sum to 1
  std::size_t handle_count = 0;              // H, at least 1
  std::span<const double> positions;         // (V, 3); or empty, then there are no edges
  std::span<const std::uint32_t> triangles;  // (F, 3) each < V
  int influence_count = 4;                   // K, at least 1
  double smoothness = 10;                    // at least 0
  double weld = 1e-6;                        // of the box's diagonal, as in heat.h
  int sweep_limit = 200;                     // at least 1
  double tolerance = 1e-5;                   // above 0: ends when no weight changes by more in a sweep
  Progress progress;                         // may be empty
  // Outputs.
  std::span<double> reduced;   // (V, H) zeros except for K entries of a row, which sum to 1
  int* sweep_count = nullptr;  // may be null
};

}  // namespace lissom
