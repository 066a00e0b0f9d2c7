// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/skinning/skinned_mesh.h"

namespace lissom {

inline constexpr std::size_t kPreparedBlock = 16;  // vertices of a block at most, on every instruction set

// A mesh's vertices sorted into blocks that share palette rows and the pivot that rows are signed against. Block b has
// the vertices vertices[first_vertex[b]] to vertices[first_vertex[b + 1] - 1], 1 to kPreparedBlock of them, ascending;
// likewise its rows: the pivot, then the others, ascending.
struct InfluenceBlocks {
  std::vector<std::size_t> first_vertex{0}, first_row{0};  // (B + 1)
  std::vector<std::uint32_t> vertices;                     // (V)
  std::vector<std::uint32_t> rows;
};

// Rows of weight zero do not count. No vertex is moved across `cuts` (in any order). A few vertices of a
// rare set share a block with others, with weight 0 for rows they do not use, where that is less work than a
// block of their own. Blocks between two cuts are in the order of their first vertices.
InfluenceBlocks sort_by_influences(const SkinnedMesh& mesh, std::span<const std::uint32_t> cuts);

}  // namespace lissom
