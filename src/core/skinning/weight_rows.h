// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lissom {

// One joint's weight of a vertex.
struct JointWeight {
  std::uint32_t joint;
  double weight;  // > 0
  friend bool operator==(const JointWeight&, const JointWeight&) = default;
};

// The different rows of weights of a mesh, and which of them each vertex has. In a row joints ascend, each occurs
// once, and none has weight 0: neither the order of influences nor repeated joints matter. Vertices that a file splits
// have equal rows, and so have most of a rigid part.
class WeightRows {
 public:
  // `indices` and `weights` (V, K), K at least 1; weights finite and not negative.
  WeightRows(std::span<const std::uint32_t> indices, std::span<const float> weights,
             std::size_t influence_count);

  // Rows, in the order of their first vertices.
  std::size_t count() const { return starts_.size() - 1; }
  std::span<const JointWeight> operator[](std::size_t row) const {
    return std::span(entries_).subspan(starts_[row], starts_[row + 1] - starts_[row]);
  }
  // (V)
  const std::vector<std::uint32_t>& of_vertices() const { return of_vertices_; }

 private:
  std::uint32_t find_or_add(std::span<const JointWeight> row, std::vector<std::uint32_t>* slots);
  void grow(std::vector<std::uint32_t>* slots) const;

  std::vector<JointWeight> entries_;
  std::vector<std::size_t> starts_{0};
  std::vector<std::uint32_t> of_vertices_;
};

}  // namespace lissom
