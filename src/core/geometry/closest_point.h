// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/geometry/triangle_bvh.h"

namespace lissom {

// Finds the point on the triangles of a mesh that is closest to each of N points, computed in float64. Triangles
// without area are ignored (TriangleBvh::degenerate_count). Where several triangles are equally near, the one with the
// lowest index is taken; where the closest point is on an edge or a vertex, rounding decides among the triangles that
// share it. Source: Ericson, Real-Time Collision Detection, 2005, 5.1.5 (the closest point on a triangle).
//
// Given normals, triangles are ignored whose unit normal has a dot product with the point's normal below
// `least_cosine`. A point with a zero normal takes any triangle. Owns none of its buffers.
struct ClosestPointJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills the outputs; writes nothing on error

  const TriangleBvh* bvh = nullptr;
  std::span<const double> points;   // (N, 3) in the space of the mesh, finite, at most 1e75
  std::span<const double> normals;  // (N, 3) unit or zero; or empty
  double least_cosine = -1;         // in [-1, 1]; read where there are normals
  // Outputs. All but the first may be empty.
  std::span<double> distances;        // (N) model units; infinity where no triangle is
  std::span<std::int64_t> triangles;  // (N) which; -1 where none is
  std::span<double> weights;  // (N, 3) barycentric, of its three corners, not negative; 0 where none is
};

}  // namespace lissom
