// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"

namespace lissom {

// What skinning reads of a mesh, checked once, with the pivot of each vertex. Its spans must outlive it,
// unchanged. V vertices, K influences each. An influence is a palette row and its weight.
class SkinnedMesh {
 public:
  // Inputs, all in bind space. Exactly one of the two index
  // arrays is used: the narrow one, unless it is empty.
  struct Arrays {
    std::span<const float> positions;             // (V, 3)
    std::span<const std::uint16_t> indices;       // (V, K)
    std::span<const std::uint32_t> wide_indices;  // (V, K), for palettes of more than 65 536 rows
    std::span<const float> weights;               // (V, K) >= 0, rows sum to 1
    std::size_t influence_count = 1;              // K, at least 1
  };

  // Fills `mesh`, or says which rule the arrays break and leaves it as it was.
  static Error make(const Arrays& arrays, SkinnedMesh* mesh);

  std::size_t vertex_count() const { return arrays_.positions.size() / 3; }
  std::size_t influence_count() const { return arrays_.influence_count; }
  // 1 + the highest palette row any influence names: the least palette that fits.
  std::size_t row_count() const { return row_count_; }

  const float* positions() const { return arrays_.positions.data(); }
  const float* weights() const { return arrays_.weights.data(); }
  bool is_wide() const { return !arrays_.wide_indices.empty(); }
  template <class Index>
  const Index* indices() const;
  // (V) per vertex the palette row with the largest weight;
  // ties: the lowest row. The others are signed against it.
  template <class Index>
  const Index* pivots() const;

 private:
  Arrays arrays_;
  std::size_t row_count_ = 0;
  std::vector<std::uint16_t> pivots_;
  std::vector<std::uint32_t> wide_pivots_;
};

template <>
inline const std::uint16_t* SkinnedMesh::indices() const {
  return arrays_.indices.data();
}
template <>
inline const std::uint32_t* SkinnedMesh::indices() const {
  return arrays_.wide_indices.data();
}
template <>
inline const std::uint16_t* SkinnedMesh::pivots() const {
  return pivots_.data();
}
template <>
inline const std::uint32_t* SkinnedMesh::pivots() const {
  return wide_pivots_.data();
}

}  // namespace lissom
