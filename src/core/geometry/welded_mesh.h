// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"

namespace lissom {

// A surface whose coincident vertices are welded, as files split them at texture seams and hard edges.
struct WeldedMesh {
  // `slack` is a fraction of the diagonal of the box: vertices that are no farther apart become one node, the first
  // of them. 0 welds equal positions only. Triangles with two equal corners are dropped.
  static Error make(std::span<const double> positions, std::span<const std::uint32_t> triangles, double slack,
                    WeldedMesh* mesh);

  std::vector<std::array<double, 3>> positions;         // (N) of the nodes
  std::vector<std::array<std::uint32_t, 3>> triangles;  // (F') their nodes, three different ones
  std::vector<std::uint32_t> nodes;                     // (V) the node of each vertex
  std::vector<std::uint32_t> islands;  // (N) which island: nodes joined by triangles, from 0 in order
  std::uint32_t island_count = 0;      // a node without a triangle is one by itself
  double size = 0;                     // diagonal of the box of all vertices
};

}  // namespace lissom
