// SPDX-License-Identifier: MIT
#include "core/skinning/prepared_mesh.h"

#include <algorithm>

namespace lissom {

PreparedMesh::PreparedMesh(const SkinnedMesh& mesh, std::span<const std::uint32_t> cuts)
    : row_count_(mesh.row_count()) {
  InfluenceBlocks sorted = sort_by_influences(mesh, cuts);
  order_ = std::move(sorted.vertices);
  rows_ = std::move(sorted.rows);
  blocks_.reserve(sorted.first_vertex.size());
  for (std::size_t b = 0; b < sorted.first_vertex.size(); ++b) {
    blocks_.push_back({sorted.first_vertex[b], sorted.first_row[b]});
  }
  positions_ = pack({mesh.positions(), 3 * mesh.vertex_count()}, 3, true);
  pack_weights(mesh);
}

void PreparedMesh::pack_weights(const SkinnedMesh& mesh) {
  const std::size_t influences = mesh.influence_count();
  weights_.resize(kPreparedBlock * rows_.size());
  std::vector<std::uint32_t> places(row_count_);  // of the rows of a block, among its rows
  for (std::size_t b = 0; b < block_count(); ++b) {
    const PreparedBlock block = blocks_[b], next = blocks_[b + 1];
    float* to = weights_.data() + kPreparedBlock * block.row;
    std::fill_n(to, kPreparedBlock * (next.row - block.row), 0.0f);
    for (std::size_t row = block.row; row < next.row; ++row) {
      places[rows_[row]] = static_cast<std::uint32_t>(kPreparedBlock * (row - block.row));
    }
    const std::size_t lanes = next.vertex - block.vertex;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t v = order_[block.vertex + lane];
      for (std::size_t k = v * influences; k < (v + 1) * influences; ++k) {
        if (mesh.weight(k) > 0) to[places[mesh.row(k)] + lane] += mesh.weight(k);
      }
    }
    if (lanes == kPreparedBlock) continue;
    for (std::size_t row = block.row; row < next.row; ++row, to += kPreparedBlock) {
      std::fill(to + lanes, to + kPreparedBlock, to[lanes - 1]);
    }
  }
}

PackedFloats PreparedMesh::pack(std::span<const float> values, std::size_t width,
                                bool is_original_order) const {
  PackedFloats packed(kPreparedBlock * width * block_count());
  float* to = packed.data();
  for (std::size_t b = 0; b < block_count(); ++b, to += kPreparedBlock * width) {
    const std::size_t lanes = blocks_[b + 1].vertex - blocks_[b].vertex;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t vertex = blocks_[b].vertex + lane;
      const float* from = &values[width * (is_original_order ? order_[vertex] : vertex)];
      for (std::size_t i = 0; i < width; ++i) to[kPreparedBlock * i + lane] = from[i];
    }
    if (lanes == kPreparedBlock) continue;
    for (float* row = to; row != to + kPreparedBlock * width; row += kPreparedBlock) {
      std::fill(row + lanes, row + kPreparedBlock, row[lanes - 1]);
    }
  }
  return packed;
}

void PreparedMesh::keep_slots() {
  if (!slots_.empty()) return;
  slots_.reserve(vertex_count());
  for (std::size_t b = 0; b < block_count(); ++b) {
    for (std::size_t lane = 0; lane < blocks_[b + 1].vertex - blocks_[b].vertex; ++lane) {
      slots_.push_back(static_cast<std::uint32_t>(kPreparedBlock * b + lane));
    }
  }
}

PreparedKernelArgs PreparedMesh::view() const {
  PreparedKernelArgs args{};
  args.blocks = blocks_.data();
  args.rows = rows_.data();
  args.weights = weights_.data();
  args.positions = positions_.data();
  return args;
}

}  // namespace lissom
