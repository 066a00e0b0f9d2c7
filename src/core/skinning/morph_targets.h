// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/skinning/morph_kernels.h"

namespace lissom {

// Morph targets: sparse rows of what a weight of 1 adds to vertices before they are skinned (glTF 2.0, 3.7.2.2).
// Checked once. Its spans must outlive it, unchanged. M targets, R rows in all.
class MorphTargets {
 public:
  struct Arrays {
    std::span<const std::int64_t> offsets;    // (M + 1) where the rows of each target begin: from 0 to R
    std::span<const std::uint32_t> vertices;  // (R) increasing within a target
    std::span<const float> positions;         // (R, 3) finite
    std::span<const float> normals;           // (R, 3), or empty
    std::span<const float> tangents;          // (R, 3), or empty
  };

  // Fills `targets`, or says which rule the arrays break and leaves it unchanged.
  static Error make(const Arrays& arrays, MorphTargets* targets);

  std::size_t target_count() const { return arrays_.offsets.size() - 1; }
  // 1 + the highest vertex that a row moves.
  std::size_t vertex_bound() const { return vertex_bound_; }
  const Arrays& arrays() const { return arrays_; }

 private:
  Arrays arrays_;
  std::size_t vertex_bound_ = 0;
};

// Which targets each pose of a batch has: those whose weight is not 0 and that move a vertex.
class ActiveMorphs {
 public:
  struct Target {
    std::size_t begin, end;  // rows
    double weight;
  };

  ActiveMorphs() = default;
  // `weights` (B, M).
  template <class T>
  ActiveMorphs(const MorphTargets& targets, std::span<const T> weights);

  std::span<const Target> of(std::size_t batch) const {
    if (batch + 1 >= offsets_.size()) return {};
    return std::span(active_).subspan(offsets_[batch], offsets_[batch + 1] - offsets_[batch]);
  }

  // Cursors at the first rows of a pose's targets whose vertex is `begin` or later.
  std::vector<MorphCursor> cursors(std::size_t batch, std::size_t begin) const;

 private:
  const std::uint32_t* vertices_ = nullptr;
  std::vector<std::size_t> offsets_;
  std::vector<Target> active_;
};

// Whether any of the cursors stands before a row of a vertex below `end`.
bool moves_before(std::span<const MorphCursor> cursors, const std::uint32_t* vertices, std::size_t end);

}  // namespace lissom
