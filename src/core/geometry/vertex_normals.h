// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"

namespace lissom {

// Which triangles meet at each vertex of a mesh: made once, read by any number of threads. It holds a copy of the
// triangles.
class VertexFaces {
 public:
  // `triangles` (F, 3), each < vertex_count. Fills `faces`, or says which rule is broken and leaves it unchanged.
  static Error make(std::span<const std::uint32_t> triangles, std::size_t vertex_count, VertexFaces* faces);

  std::size_t vertex_count() const { return starts_.size() - 1; }
  std::size_t triangle_count() const { return triangles_.size() / 3; }
  const std::uint32_t* triangle(std::size_t face) const { return &triangles_[3 * face]; }
  // The triangles of a vertex, ascending; one that has it at two corners occurs twice.
  std::span<const std::uint32_t> of_vertex(std::size_t vertex) const {
    return std::span(faces_).subspan(starts_[vertex], starts_[vertex + 1] - starts_[vertex]);
  }

 private:
  std::vector<std::uint32_t> triangles_;
  std::vector<std::uint32_t> faces_;
  std::vector<std::size_t> starts_{0};
};

// Normals of vertices from the triangles of the current positions: the mean of the normals of a vertex's triangles,
// weighted by their area, normalised. The normal of a vertex without a triangle of non-zero area is zero. Nothing is
// welded: vertices that a file splits at a seam do not share normals. In double for either type; a vertex gathers from
// its triangles in their order, so results do not depend on threads.
template <class T>
struct VertexNormalsJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills `normals`; writes nothing on error

  const VertexFaces* faces = nullptr;
  std::span<const T> positions;  // (B, V, 3) finite
  std::size_t batch_count = 1;   // B
  std::span<T> normals;          // (B, V, 3) unit or zero
};

extern template struct VertexNormalsJob<float>;
extern template struct VertexNormalsJob<double>;

}  // namespace lissom
