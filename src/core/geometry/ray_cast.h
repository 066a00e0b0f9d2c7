// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/error.h"
#include "core/geometry/triangle_bvh.h"

namespace lissom {

// Finds the first triangle that each of N rays hits. Everything but the boxes is computed in float64.
//
// Watertight: a ray through an edge or a vertex that triangles share hits one of them. In a space where the ray is the
// z axis, the sides of a triangle are tested by the same products for both triangles at an edge, so they agree on which
// side of it the ray is; on it counts as inside. Float64 costs little here, since four triangles are tested at once,
// and needs no second test on an edge. Source: Woop, Benthin and Wald, Watertight Ray/Triangle Intersection, JCGT 2(1),
// 2013.
//
// Of several triangles at exactly the same distance the one with the lowest index is hit. A ray within the plane of a
// triangle does not hit it. A ray that starts on a triangle may hit it, at 0, subject to rounding. A ray that starts
// farther away than 1e15 times the size of the mesh hits nothing. Owns none of its buffers.
struct RayCastJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills the outputs; writes nothing on error

  const TriangleBvh* bvh = nullptr;
  std::span<const double> origins;     // (N, 3) model space, finite
  std::span<const double> directions;  // (N, 3) model space, finite, not zero, of any length
  double max_distance = std::numeric_limits<double>::infinity();  // at least 0; model units, inclusive
  bool front_only = false;  // only triangles whose corners are counter-clockwise, seen from the origin
  // Outputs. All but the first may be empty.
  std::span<double> distances;        // (N) model units, at least 0; infinity where nothing is hit
  std::span<double> normals;          // (N, 3) of the triangle, unit, against the ray; 0 where nothing is hit
  std::span<std::int64_t> triangles;  // (N) which triangle; -1 where nothing is hit
  std::span<double> weights;          // (N, 3) barycentric, of the three corners; 0 where nothing is hit
};

}  // namespace lissom
