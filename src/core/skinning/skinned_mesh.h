// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/skinning/kernels.h"

namespace lissom {

// The part of a mesh that skinning reads, checked once, with the pivot of each vertex. Its spans must outlive it,
// unchanged. V vertices, K influences each. An influence is a palette row and its weight.
class SkinnedMesh {
 public:
  // Inputs, all in bind space. Indices are given in one of the three types, and so are weights. Compact ones are read
  // as they are, block by block, by the kernels.
  struct Arrays {
    std::span<const float> positions;              // (V, 3)
    std::span<const std::uint8_t> byte_indices;    // (V, K)
    std::span<const std::uint16_t> indices;        // (V, K)
    std::span<const std::uint32_t> wide_indices;   // (V, K), for palettes of more than 65 536 rows
    std::span<const std::uint8_t> byte_weights;    // (V, K) in 255ths, rows sum to 255
    std::span<const std::uint16_t> short_weights;  // (V, K) in 65 535ths, rows sum to 65 535
    std::span<const float> weights;                // (V, K) >= 0, rows sum to 1
    std::size_t influence_count = 1;               // K, at least 1
  };

  // Fills `mesh`, or says which rule the arrays break and leaves it unchanged.
  static Error make(const Arrays& arrays, SkinnedMesh* mesh);

  std::size_t vertex_count() const { return arrays_.positions.size() / 3; }
  std::size_t influence_count() const { return arrays_.influence_count; }
  // 1 + the highest palette row any influence names: the size of the smallest valid palette.
  std::size_t row_count() const { return row_count_; }

  const float* positions() const { return arrays_.positions.data(); }
  const Arrays& arrays() const { return arrays_; }
  bool is_wide() const { return !arrays_.wide_indices.empty(); }
  // Whether indices are uint16 or uint32 and weights float32: then kernels read the arrays themselves.
  bool is_plain() const {
    return arrays_.byte_indices.empty() && (arrays_.byte_weights.empty() && arrays_.short_weights.empty());
  }

  // Palette row and weight of influence `i` = vertex * K + k.
  std::size_t row(std::size_t i) const {
    if (!arrays_.indices.empty()) return arrays_.indices[i];
    return arrays_.byte_indices.empty() ? arrays_.wide_indices[i] : arrays_.byte_indices[i];
  }
  float weight(std::size_t i) const {
    if (!arrays_.weights.empty()) return arrays_.weights[i];
    return arrays_.byte_weights.empty() ? float(arrays_.short_weights[i]) / kShortOne
                                        : float(arrays_.byte_weights[i]) / kByteOne;
  }
  // (V) per vertex the palette row with the largest weight, over all influences that name it; ties: the lowest row. The
  // others are signed against it.
  std::size_t pivot(std::size_t vertex) const { return is_wide() ? wide_pivots_[vertex] : pivots_[vertex]; }
  void copy_pivots(std::span<std::int32_t> out) const;  // (V)
  template <class Index>
  const Index* pivots() const;

 private:
  Arrays arrays_;
  std::size_t row_count_ = 0;
  std::vector<std::uint16_t> pivots_;
  std::vector<std::uint32_t> wide_pivots_;
};

template <>
inline const std::uint16_t* SkinnedMesh::pivots() const {
  return pivots_.data();
}
template <>
inline const std::uint32_t* SkinnedMesh::pivots() const {
  return wide_pivots_.data();
}

}  // namespace lissom
