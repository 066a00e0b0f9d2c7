// SPDX-License-Identifier: MIT
#include "core/skinning/prepared_mesh.h"

#include <algorithm>

namespace lissom {

PreparedMesh::PreparedMesh(const SkinnedMesh& mesh, std::span<const std::uint32_t> cuts)
    : row_count_(mesh.row_count()) {
  InfluenceBlocks sorted = sort_by_influences(mesh, cuts);
  order_ = std::move(sorted.vertices);
  rows_ = std::move(sorted.rows);
  for (std::size_t b = 0; b < sorted.first_vertex.size(); ++b) {
    blocks_.push_back({sorted.first_vertex[b], sorted.first_row[b]});
  }
  positions_ = pack({mesh.positions(), 3 * mesh.vertex_count()}, 3, true);
  pack_weights(mesh);
}

void PreparedMesh::pack_weights(const SkinnedMesh& mesh) {
  const std::size_t influences = mesh.influence_count();
  weights_ = std::make_unique<AlignedFloats>(kPreparedBlock * rows_.size());
  std::fill_n(weights_->data(), kPreparedBlock * rows_.size(), 0.0f);
  std::vector<std::size_t> places(row_count_);  // in rows_, of the rows of a block
  for (std::size_t b = 0; b < block_count(); ++b) {
    const PreparedBlock block = blocks_[b], next = blocks_[b + 1];
    for (std::size_t row = block.row; row < next.row; ++row) places[rows_[row]] = row;
    for (std::size_t lane = 0; lane < kPreparedBlock; ++lane) {
      const std::size_t v = order_[std::min(block.vertex + lane, next.vertex - 1)];
      for (std::size_t k = v * influences; k < (v + 1) * influences; ++k) {
        if (!(mesh.weight(k) > 0)) continue;
        weights_->data()[kPreparedBlock * places[mesh.row(k)] + lane] += mesh.weight(k);
      }
    }
  }
}

std::unique_ptr<AlignedFloats> PreparedMesh::pack(std::span<const float> values, std::size_t width,
                                                  bool is_original_order) const {
  auto packed = std::make_unique<AlignedFloats>(kPreparedBlock * width * block_count());
  float* to = packed->data();
  for (std::size_t b = 0; b < block_count(); ++b, to += kPreparedBlock * width) {
    for (std::size_t lane = 0; lane < kPreparedBlock; ++lane) {
      const std::size_t vertex = std::min(blocks_[b].vertex + lane, blocks_[b + 1].vertex - 1);
      const float* from = &values[width * (is_original_order ? order_[vertex] : vertex)];
      for (std::size_t i = 0; i < width; ++i) to[kPreparedBlock * i + lane] = from[i];
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
  args.weights = weights_->data();
  args.positions = positions_->data();
  return args;
}

}  // namespace lissom
