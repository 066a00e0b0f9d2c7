// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/compression/draco_corners.h"
#include "core/compression/draco_surface.h"
#include "core/compression/draco_symbols.h"

namespace lissom {

// Counts borders, seams, values and points of a surface whose `vertices` are counted, from the bits of each set of
// attributes that has seams of its own, one for each inner edge. What `corners` glues is lost.
// Source: the specification (draco_bytes.h), ProcessInteriorEdges, RecomputeVerticesInternal,
// Attribute_AssignPointsToCorners.
void count_draco_seams(std::span<const DracoBits> sets, DracoCorners& corners, DracoSurface& surface);

}  // namespace lissom
