// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/geometry/bvh_layout.h"

namespace lissom {

// A bounding volume hierarchy of triangles, for rays and closest points. It copies all it needs. Any mesh is accepted:
// open, non-manifold, flipped or intersecting itself. Once made, any number of threads may read it.
//
// Each node has up to eight children, found by splitting a range of triangles until there are eight: always the
// range with the largest surface, at the plane between bins that minimises the surface area heuristic. Nodes
// and leaves are stored depth first, a parent before its children.
// Sources: Wald, On fast Construction of SAH-based Bounding Volume Hierarchies, 2007 (bins); Wald, Benthin and
// Boulos, Getting Rid of Packets, 2008 (wide nodes); Goldsmith and Salmon, 1987 (the heuristic).
class TriangleBvh {
 public:
  // V vertices, F triangles. Exactly one of the two position arrays is used: the float one, unless it is empty.
  struct Arrays {
    std::span<const float> positions;          // (V, 3)
    std::span<const double> wide_positions;    // (V, 3)
    std::span<const std::uint32_t> triangles;  // (F, 3), each < V
  };

  // Fills `bvh`, or says which rule the arrays break and leaves it unchanged.
  static Error make(const Arrays& arrays, TriangleBvh* bvh);

  // F, those without area included.
  std::size_t triangle_count() const { return triangle_count_; }
  // Triangles whose area is zero within rounding: nothing hits them.
  std::size_t degenerate_count() const { return degenerate_count_; }

  // The tree. The root is node 0; none where no triangle has an area.
  const std::vector<BvhNode>& nodes() const { return nodes_; }
  // The leaves, of the type of the positions; the other is empty.
  const std::vector<BvhLeaf<float>>& leaves() const { return leaves_; }
  const std::vector<BvhLeaf<double>>& wide_leaves() const { return wide_leaves_; }
  bool is_wide() const { return !wide_leaves_.empty(); }
  const BvhSpace& space() const { return space_; }

 private:
  template <class T>
  static Error make(std::span<const T> positions, std::span<const std::uint32_t> triangles, TriangleBvh* bvh);
  template <class T>
  std::vector<BvhLeaf<T>>& leaves_of();

  std::size_t triangle_count_ = 0;
  std::size_t degenerate_count_ = 0;
  std::vector<BvhNode> nodes_;
  std::vector<BvhLeaf<float>> leaves_;
  std::vector<BvhLeaf<double>> wide_leaves_;
  BvhSpace space_;
};

}  // namespace lissom
