// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/volume/cell_parts.h"

namespace lissom {

// A lattice of cubes over the inside of a surface and over the surface itself, for functions on the solid without a
// fitted tetrahedral mesh. A cube that the surface divides into several parts has a copy for each (cell_parts.h);
// copies of neighbouring cubes share nodes where their parts meet in the face between them, and only there. So parts
// that are separate in the solid are separate in the lattice, however thin the gap.
//
// A function on the lattice has a value at each node and is trilinear in each cube.
class Lattice {
 public:
  // `cell` in unit space. Calls `progress` many times a second with the fraction done, 0 to 1; true stops it.
  static Error make(SolidSurface surface, double cell, const Stop& progress, Lattice* lattice);

  const SolidSurface& surface() const { return surface_; }
  const CellGrid& grid() const { return *grid_; }

  std::size_t copy_count() const { return copy_nodes_.size(); }
  std::size_t node_count() const { return nodes_.size(); }
  // (C, 8) nodes of each copy of a cube, corner x + 2 y + 4 z.
  const std::vector<std::array<std::int32_t, 8>>& copy_nodes() const { return copy_nodes_; }
  // (C) which cube of the grid each is a copy of.
  const std::vector<std::size_t>& copy_cells() const { return copy_cells_; }
  // (N) coordinates of nodes, in cells from the grid's lowest corner.
  const std::vector<std::array<std::int32_t, 3>>& nodes() const { return nodes_; }
  std::vector<Point> node_positions() const;                    // (N) model space
  std::vector<std::array<std::int32_t, 3>> copy_cubes() const;  // (C) as copy_cells(), by x, y and z
  // (N) the connected component of each node: its lowest node.
  std::vector<std::int32_t> components() const;
  // (V) the copy that contains each vertex; -1 of a vertex without a triangle.
  const std::vector<std::int32_t>& vertex_copies() const { return vertex_copies_; }

  // Copies of cubes that the triangles from `first` on pass through, each with the number of the triangle after that: in
  // order of cubes.
  std::vector<std::array<std::int32_t, 2>> copies_of_triangles(std::size_t first) const;

  // The place of a point of unit space in the lattice.
  struct Place {
    std::int32_t copy = -1;
    bool is_inside = false;  // its winding number is above one half
    double distance = 0;     // to the surface, unit space; 0 inside
    Point point;             // itself; outside of all cubes the nearest point of the surface
  };
  Place locate(const Point& point) const;
  Place locate(const Point& point, double winding) const;  // where its winding number is known

 private:
  bool build(const Stop& progress);
  bool find_all_parts(const Stop& progress);
  void number_copies();
  void glue();
  void place_vertices();
  std::int32_t copy_of_triangle(std::size_t cell, std::size_t triangle) const;

  SolidSurface surface_;
  std::optional<CellGrid> grid_;
  std::optional<CellSamples> samples_;
  std::vector<std::int32_t> part_index_;  // (cells) of parts_, or -1
  std::vector<CellParts> parts_;          // of crossed cubes
  std::vector<std::int32_t> first_copy_;  // (cells) -1 where there is none
  std::vector<std::size_t> copy_cells_;
  std::vector<std::array<std::int32_t, 8>> copy_nodes_;
  std::vector<std::array<std::int32_t, 3>> nodes_;
  std::vector<std::int32_t> vertex_copies_;
};

}  // namespace lissom
