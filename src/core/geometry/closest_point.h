// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/geometry/triangle_bvh.h"

namespace lissom {

// Finds the nearest place on the triangles of a mesh to each of N points, computed in float64. Triangles without area
// are passed over (TriangleBvh::degenerate_count). Where several triangles are equally near, the one with the lowest
// index is taken; the nearest place on an edge or at a vertex is left to rounding among those that share it.
// Source: Ericson, Real-Time Collision Detection, 2005, 5.1.5 (the nearest place on a triangle).
//
// Given normals, triangles that face another way than a point's normal are passed over: those whose unit normal and
// it have a dot product below `least_cosine`. A point with a zero normal takes any triangle. Owns none of its buffers.
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
