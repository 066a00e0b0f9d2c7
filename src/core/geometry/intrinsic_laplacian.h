// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/progress.h"

namespace lissom {

// The cotangent Laplacian of a surface, constructed such that no weight is negative whatever the triangles are: open,
// non-manifold, doubled, obtuse, as thin as a line. Its sum with a positive diagonal is then an M-matrix, and diffused
// values stay between the least and the largest source (the maximum principle).
//
// Steps: all edges are lengthened as much as the flattest triangle needs to have an area (mollification: 1e-5 of the
// mean edge; zero on a mesh of good triangles); each triangle gets a back, and fronts and backs are glued around each
// edge into a surface without boundary (the tufted cover); edges are flipped, by their lengths alone, until all are
// Delaunay; the cotangents of both covers are halved. Clamping negative weights would also avoid them, but distort the
// geometry: diffusion would depend on the triangulation. Source: Sharp and Crane, A Laplacian for Nonmanifold Triangle
// Meshes, Computer Graphics Forum 39(5), 2020.
struct IntrinsicLaplacian {
  struct Edge {
    std::uint32_t a, b;  // nodes, different ones
    double weight;       // at least 0: half the cotangents of the two angles that face the edge
  };

  // True where `progress` stopped it.
  bool make(std::span<const std::array<double, 3>> positions,
            std::span<const std::array<std::uint32_t, 3>> triangles, const Progress& progress);

  std::vector<Edge> edges;    // an edge may occur several times: the weights add up
  std::vector<double> areas;  // (N) a third of the areas of a node's triangles; 0 without triangles
  std::size_t flip_count = 0;
};

}  // namespace lissom
