// SPDX-License-Identifier: MIT
#include "core/skinning/prepared_mesh.h"

#include <algorithm>

namespace lissom {

PreparedMesh::PreparedMesh(const SkinnedMesh& mesh, std::span<const std::uint32_t> cuts) {
  InfluenceBlocks sorted = sort_by_influences(mesh, cuts);
  order_ = std::move(sorted.vertices);
  rows_ = std::move(sorted.rows);
  for (std::size_t b = 0; b < sorted.first_vertex.size(); ++b) {
    blocks_.push_back({sorted.first_vertex[b], sorted.first_row[b]});
  }
  const std::span<const float> positions(mesh.positions(), 3 * mesh.vertex_count());
  positions_ = pack(positions, 3, true);
  mesh.is_wide() ? pack_weights<std::uint32_t>(mesh) : pack_weights<std::uint16_t>(mesh);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const float lower = i < 3 ? positions[i] : lower_[i % 3], upper = i < 3 ? positions[i] : upper_[i % 3];
    lower_[i % 3] = std::min(lower, positions[i]);
    upper_[i % 3] = std::max(upper, positions[i]);
  }
}

template <class Index>
void PreparedMesh::pack_weights(const SkinnedMesh& mesh) {
  const std::size_t influences = mesh.influence_count();
  weights_ = std::make_unique<AlignedFloats>(kPreparedBlock * rows_.size());
  std::fill_n(weights_->data(), kPreparedBlock * rows_.size(), 0.0f);
  for (std::size_t b = 0; b < block_count(); ++b) {
    const PreparedBlock block = blocks_[b], next = blocks_[b + 1];
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(block.row),
               end = rows_.begin() + static_cast<std::ptrdiff_t>(next.row);
    for (std::size_t lane = 0; lane < kPreparedBlock; ++lane) {
      const std::size_t v = order_[std::min(block.vertex + lane, next.vertex - 1)];
      for (std::size_t k = v * influences; k < (v + 1) * influences; ++k) {
        if (!(mesh.weights()[k] > 0)) continue;
        const auto row = static_cast<std::size_t>(
            std::find(begin, end, std::uint32_t{mesh.indices<Index>()[k]}) - rows_.begin());
        weights_->data()[kPreparedBlock * row + lane] += mesh.weights()[k];
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

PreparedKernelArgs PreparedMesh::view() const {
  PreparedKernelArgs args{};
  args.blocks = blocks_.data();
  args.rows = rows_.data();
  args.weights = weights_->data();
  args.positions = positions_->data();
  return args;
}

}  // namespace lissom
