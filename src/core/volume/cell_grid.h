// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/volume/solid_surface.h"

namespace lissom {

// Called between batches of work with the fraction that is done, 0 to 1. True stops the work.
using Stop = std::function<bool(double)>;

// Cubes over the box of a surface, in unit space, centred on its middle: the mirror planes of the box map the
// grid to itself. It classifies cubes: those that the surface passes through, and of the others those inside.
class CellGrid {
 public:
  // `cell` is the side of a cube in unit space, above zero.
  CellGrid(const SolidSurface& surface, double cell);

  const std::array<std::int32_t, 3>& counts() const { return counts_; }
  double cell() const { return cell_; }
  // Of cubes and of their corners: x runs fastest.
  std::size_t cell_count() const;
  std::size_t index(const std::array<std::int32_t, 3>& at) const;
  std::array<std::int32_t, 3> at(std::size_t index) const;
  // The position of a corner, or of any coordinates in cells from the grid's lowest corner.
  Point place(double x, double y, double z) const;
  HalfBox box(const std::array<std::int32_t, 3>& at) const;
  // The cube that holds a point, the nearest one of a point outside the grid.
  std::array<std::int32_t, 3> cell_of(const Point& point) const;
  bool holds(const Point& point) const;

  // Fills the rest. False where `stop` stopped it.
  bool classify(const SolidSurface& surface, const Stop& stop);

  enum Kind : std::uint8_t { kOutside, kInside, kCrossed };
  Kind kind(std::size_t index) const { return kinds_[index]; }
  std::span<const std::uint32_t> triangles(std::size_t index) const;  // that pass through a cube, ascending
  std::size_t crossed_count() const { return crossed_count_; }
  std::size_t inside_count() const { return inside_count_; }

 private:
  std::size_t alike_before(std::size_t index) const;
  void classify_by_windings(const SolidSurface& surface, std::span<const std::size_t> cells);

  std::array<std::int32_t, 3> counts_;
  double cell_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> triangles_;
  std::size_t crossed_count_ = 0, inside_count_ = 0;
};

// The least margin of a grid around the surface, both sides together, in cells: no face of the surface's box is in a
// face of the grid.
inline constexpr double kGridMargin = 1.0 / 64;

// A point counts as inside above this winding number: on the surface of a solid it is one half, within
// rounding.
inline constexpr double kInsideAbove = 0.5 + 1e-6;

}  // namespace lissom
