// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/large_pages.h"
#include "core/skinning/prepared_kernels.h"
#include "core/skinning/skinned_mesh.h"

namespace lissom {

using PackedFloats = LargeVector<float>;

// A skinned mesh in blocks that share palette rows (influence_blocks.h), with all that skinning reads of it, block by
// block. Owns all of it. V vertices, B blocks.
class PreparedMesh {
 public:
  // `cuts` are vertex numbers across which no vertex is moved, at most V each.
  PreparedMesh(const SkinnedMesh& mesh, std::span<const std::uint32_t> cuts);

  std::size_t vertex_count() const { return order_.size(); }
  std::size_t row_count() const { return row_count_; }  // SkinnedMesh::row_count()
  std::size_t block_count() const { return blocks_.size() - 1; }
  // Palette rows of all blocks together, as many as blending reads.
  std::size_t block_row_count() const { return rows_.size(); }
  // (V) the original vertex of each prepared one.
  const std::vector<std::uint32_t>& order() const { return order_; }

  // Numbers of the vertices (V, width), in the original or in the prepared order, as kernels read them: (B, width, 16).
  PackedFloats pack(std::span<const float> values, std::size_t width, bool is_original_order) const;

  // The mesh's bind normals (V, 3) and tangents (V, 4), packed once and kept: null before. Not thread-safe, nor
  // during a job.
  void keep_normals(std::span<const float> normals, bool is_original_order) {
    normals_ = pack(normals, 3, is_original_order);
  }
  void keep_tangents(std::span<const float> tangents, bool is_original_order) {
    tangents_ = pack(tangents, 4, is_original_order);
  }
  // (V) where each prepared vertex is in the lanes of all blocks, made once and kept: empty before. As thread-safe.
  void keep_slots();
  const std::vector<std::uint32_t>& slots() const { return slots_; }
  const std::vector<PreparedBlock>& blocks() const { return blocks_; }  // and one past the last
  const float* normals() const { return normals_.empty() ? nullptr : normals_.data(); }
  const float* tangents() const { return tangents_.empty() ? nullptr : tangents_.data(); }

  // All that kernels read of the mesh, except for normals and tangents.
  PreparedKernelArgs view() const;

 private:
  void pack_weights(const SkinnedMesh& mesh);

  std::size_t row_count_;
  std::vector<PreparedBlock> blocks_;
  std::vector<std::uint32_t> order_, rows_, slots_;
  PackedFloats weights_, positions_, normals_, tangents_;
};

}  // namespace lissom
