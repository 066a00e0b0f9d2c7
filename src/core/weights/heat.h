// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/progress.h"
#include "core/weights/nearest_bones.h"

namespace lissom {

// Weights by heat: each bone heats the vertices that it is the nearest to, and heat spreads over the surface until it
// is in equilibrium. -Delta w + H w = H p, as (L + M H) w = M H p: one symmetric, positive definite system for all
// bones, L the Laplacian of intrinsic_laplacian.h, M the areas of the vertices, H = conductance / distance^2 of the
// bones that nearest_bones.h names, p = 1 for these (1/k each, and k times the heat, where k are equally near). L + M H
// is an M-matrix and its rows sum to M H: all weights are in [0, 1] and sum to 1, up to rounding, which is measured
// and corrected. Lengths cancel: the weights are invariant under scale, translation and rotation. Source: Baran and
// Popovic, Automatic Rigging and Animation of 3D Characters, SIGGRAPH 2007, section 5.
//
// Vertices in no triangle have the weights of their nearest bones. Owns none of its buffers.
struct HeatWeightsJob {
  // The source of a vertex's heat.
  enum Sight : std::uint8_t {
    kSees,   // from a bone that it sees
    kCold,   // from the vertices around it: it sees none, others of its island do
    kBlind,  // from the nearest bone, unseen: no vertex of its island sees any
    kLoose,  // it is in no triangle, and has the nearest bone's weight
  };
  struct Outcome {
    std::size_t node_count = 0;    // distinct vertices
    std::size_t island_count = 0;  // that have triangles
    std::size_t blind_island_count =
        0;  // of them: no vertex sees any bone, so the nearest unseen ones heat them
    std::size_t degenerate_count = 0;            // dropped triangles: two corners are one
    std::size_t flip_count = 0;                  // edges flipped to be Delaunay
    double least_weight = 0, most_weight = 0;    // before they are clipped to [0, 1] ...
    double least_row_sum = 0, most_row_sum = 0;  // ... and rows scaled to sum to 1
  };

  Error validate() const;  // first broken rule below that needs no computation, or empty
  Error run() const;       // fills the outputs; writes nothing on error

  // Inputs. V vertices, F triangles, H bones.
  std::span<const double> positions;         // (V, 3) finite, at most 1e75; V at least 1
  std::span<const std::uint32_t> triangles;  // (F, 3) each < V
  std::span<const BoneSegment> bones;        // (H) in the space of the positions; H at least 1
  double conductance = 1;  // above zero. The authors' value: 1; 0.22 spreads as far as through the volume
  double weld = 1e-6;      // of the box's diagonal: vertices so near are one; in [0, 1)
  bool sight = true;       // false: the nearest bones, seen or not
  Progress progress;       // may be empty
  // Outputs.
  std::span<double> weights;       // (V, H)
  std::span<std::uint8_t> sights;  // (V) of Sight
  Outcome* outcome = nullptr;      // may be null
};

}  // namespace lissom
