// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/large_pages.h"
#include "core/skinning/skinned_mesh.h"

namespace lissom {

// The set of each vertex of a mesh: the palette rows that have weight, the pivot first, then the others, ascending.
class InfluenceSets {
 public:
  explicit InfluenceSets(const SkinnedMesh& mesh);

  std::span<const std::uint32_t> of(std::uint32_t vertex) const {
    const std::uint32_t* set = &rows_[stride_ * vertex];
    std::size_t size = 1;
    while (size < stride_ && set[size] != kNone) ++size;
    return {set, size};
  }
  void prefetch(std::uint32_t vertex) const { __builtin_prefetch(&rows_[stride_ * vertex]); }
  std::size_t stride() const { return stride_; }  // rows of a set at most

  // Vertices sorted by their sets, lexicographically; those of the same set keep their order and end at one of `ends`.
  struct Sorted {
    LargeVector<std::uint32_t> vertices, ends;
  };
  Sorted sorted(std::uint32_t begin, std::uint32_t end) const;  // the vertices [begin, end)

 private:
  static constexpr std::uint32_t kNone = ~0u;  // after the rows of a set
  template <class Row, class Weight>
  void gather(const SkinnedMesh& mesh, const Row* rows, const Weight* weights);
  std::uint64_t key(std::uint32_t vertex) const;

  std::size_t stride_, row_bits_, largest_ = 1;  // bits of a row plus 1; rows of the largest set
  LargeVector<std::uint32_t> rows_;              // (V, stride_)
};

}  // namespace lissom
