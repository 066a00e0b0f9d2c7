// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/volume/cell_grid.h"

namespace lissom {

// Winding numbers at the corners of cubes and half-way between: 27 points of each cube that the surface
// passes through, shared by neighbours.
class CellSamples {
 public:
  explicit CellSamples(const CellGrid& grid);
  // Evaluates those of crossed cubes. False where `stop` stopped it.
  bool evaluate(const SolidSurface& surface, const CellGrid& grid, const Stop& stop);

  // Sample `x + 3 y + 9 z` of a cube, each 0 to 2.
  double winding(const std::array<std::int32_t, 3>& cell, int sample) const;

 private:
  std::size_t index(const std::array<std::int32_t, 3>& cell, int sample) const;

  std::array<std::size_t, 2> counts_;  // along x and y
  std::vector<float> windings_;
};

// The position of a sample of a cube, unit space.
Point sample_place(const CellGrid& grid, const std::array<std::int32_t, 3>& cell, int sample);

// The parts into which the surface divides one cube: the insides of two fingers that both reach into it are two parts,
// front and back of one thin finger are one. A part is a set of samples that are inside and of patches: triangles that
// are connected within the cube.
//
// Two samples are one part where the segment between them stays inside: it starts at the winding number of the one and
// changes by one at each triangle. So parts that overlap are joined (their triangles change it between 1 and 2), and
// parts that touch are not, unless they are of different islands: those were made to fit. A patch is joined with the
// samples that are visible from its inner side, and where there are none (a part thinner than the spacing of the
// samples) with the opposite patch. A patch that has an inside on neither side, a sheet, is a part of its own. Sources
// of the idea: Molino, Bao and Fedkiw, A Virtual Node Algorithm, 2004; Nesme et al., Preserving Topology and Elasticity
// for Embedded Deformable Models, 2009.
struct CellParts {
  std::int32_t count = 0;
  std::int8_t samples[27];            // which part, or -1
  std::vector<std::int32_t> patches;  // the part of each of the cube's triangles

  // The part around an inner `point`, whose winding number is given; -1 where none is visible from it.
  std::int32_t part_at(const SolidSurface& surface, const CellGrid& grid, std::size_t cell,
                       const Point& point, double winding) const;
};

CellParts find_parts(const SolidSurface& surface, const CellGrid& grid, const CellSamples& windings,
                     std::size_t cell);

}  // namespace lissom
