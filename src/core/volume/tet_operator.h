// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry/point.h"
#include "core/linear_algebra/sparse_matrix.h"

namespace lissom {

// The Laplacian of functions that are linear on each of T tetrahedra over N nodes.
// Lengths are in units of the box's diagonal and start at its lowest corner, so that neither the place nor the scale
// of the input matters.
struct TetOperator {
  // Nodes finite, indices in range: unchecked. The sign of a tetrahedron does not matter. One without
  // volume (kLeastVolume) is left out and counted.
  static TetOperator make(std::span<const double> nodes, std::span<const std::int32_t> tets);

  double length(std::int32_t a, std::int32_t b) const;  // between two nodes

  std::vector<Point> points;  // (N) the nodes, in these units
  // L_ij = sum over tetrahedra of volume * grad_i . grad_j: positive semi-definite, rows sum to 0. Entries that are
  // zero within rounding (most diagonals of a regular lattice) are left out; the diagonal is always there.
  SparseMatrix stiffness;    // (N, N), unit: length
  std::vector<double> mass;  // (N) a quarter of the volume of each tetrahedron around; 0 where there is none
  std::vector<std::int32_t>
      components;  // (N) of nodes joined by tetrahedra, from 0 in order of their first node
  std::int32_t component_count = 0;
  std::size_t flat_count = 0;  // tetrahedra left out
};

// A tetrahedron whose volume is below this part of the cube of its longest edge is degenerate: its Laplacian
// would be rounding alone.
inline constexpr double kLeastVolume = 1e-12;

// Rows of Q = L M^-1 L, the bilaplacian, among `rows` (ascending) and to all nodes: columns are nodes.
SparseMatrix bilaplacian_rows(const TetOperator& op, std::span<const std::int32_t> rows);

}  // namespace lissom
