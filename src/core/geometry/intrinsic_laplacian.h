// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/progress.h"

namespace lissom {

// The cotangent Laplacian of a surface, made so that no weight is negative whatever the triangles are like: open,
// non-manifold, doubled, obtuse, as thin as a line. Then a system of it and a positive diagonal is an M-matrix, and
// what it diffuses stays between the least and the largest source (the maximum principle).
//
// Steps: all edges are made longer by as much as the flattest triangle needs to have an area (mollified: 1e-5 of the
// mean edge; by nothing on a mesh of decent triangles); each triangle gets a back, and fronts and backs are glued
// round each edge into a surface without borders (the tufted cover); edges are flipped, by their lengths alone, until
// all are Delaunay; the cotangents of both covers are halved. Clamping negative weights would keep the sign, too, but
// not the geometry: diffusion would then depend on how a mesh happens to be triangulated.
// Source: Sharp and Crane, A Laplacian for Nonmanifold Triangle Meshes, Computer Graphics Forum 39(5), 2020.
struct IntrinsicLaplacian {
  struct Edge {
    std::uint32_t a, b;  // nodes, different ones
    double weight;       // at least 0: half the cotangents of the two angles that face the edge
  };

  // True where `progress` stopped it.
  bool make(std::span<const std::array<double, 3>> positions,
            std::span<const std::array<std::uint32_t, 3>> triangles, const Progress& progress);

  std::vector<Edge> edges;    // an edge may come up several times: the weights add up
  std::vector<double> areas;  // (N) a third of the areas of a node's triangles; 0 without triangles
  std::size_t flip_count = 0;
};

}  // namespace lissom
