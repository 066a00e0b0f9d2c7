// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/geometry/point.h"
#include "core/linear_algebra/multigrid.h"

namespace lissom {

// Adds coarser levels to a grid whose finest unknowns lie at `points`, until a level has few unknowns or does not grow
// much smaller. A level has cubes of twice the side of the level before, of which the finest are `spacing` apart. A cube
// has a copy for each part of the nodes in it that its matrix connects; copies of neighbouring cubes share corners where
// the matrix connects them, and only there. So parts that are separate in the solid are separate on all levels, however
// thin the gap, as in a Lattice. Within a copy functions are trilinear.
void add_coarse_levels(std::span<const Point> points, double spacing, Multigrid* grid);

}  // namespace lissom
