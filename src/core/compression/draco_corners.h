// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lissom {

// Triangles glued at their edges. Corner 3 f + i is of face f; an edge goes by the corner opposite to it.
// Source: the specification, Corners.
struct DracoCorners {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  DracoCorners(std::uint32_t faces, std::uint32_t most_vertices)
      : opposite(std::size_t{3} * faces, kNone), vertex(std::size_t{3} * faces, kNone), most(most_vertices) {
    leftmost.reserve(most);  // here and below: so that nothing is twice in memory while it grows
    is_open.reserve(most);
  }

  static std::uint32_t next(std::uint32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }
  static std::uint32_t previous(std::uint32_t corner) { return corner % 3 == 0 ? corner + 2 : corner - 1; }

  void glue(std::uint32_t a, std::uint32_t b) {
    opposite[a] = b;
    opposite[b] = a;
  }
  bool is_free(std::uint32_t corner) const { return opposite[corner] == kNone; }
  std::uint32_t add_vertex(std::uint32_t corner) {
    leftmost.push_back(corner);
    is_open.push_back(1);
    return static_cast<std::uint32_t>(leftmost.size()) - 1;
  }

  std::vector<std::uint32_t> opposite, vertex;  // of corners
  std::vector<std::uint32_t> leftmost;          // of vertices: the corner at the left end of its triangles
  std::vector<std::uint8_t> is_open;            // vertices at a border
  std::uint32_t most;
};

}  // namespace lissom
