// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/geometry/welded_mesh.h"

namespace lissom {

// The triangles of a welded mesh oriented outwards, whatever their input orientation: consistent across edges that two
// triangles share, and each such patch so that it encloses a positive volume. A patch that encloses almost none (a flat
// or open sheet) keeps the orientation of most of its area.
struct OutwardTriangles {
  explicit OutwardTriangles(const WeldedMesh& mesh);

  std::vector<std::array<std::uint32_t, 3>> triangles;  // (F') in the order of the mesh
  std::vector<std::array<double, 3>> crosses;           // (F') normals of twice the area's length
  std::vector<char> is_closed;                 // (F') each of its edges has exactly one other triangle
  std::vector<std::array<double, 3>> normals;  // (N) unit, outwards, of the nodes; 0 where there is none
};

}  // namespace lissom
