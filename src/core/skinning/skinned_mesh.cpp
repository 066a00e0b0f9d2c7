// SPDX-License-Identifier: MIT
#include "core/skinning/skinned_mesh.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace lissom {
namespace {

// How far a row of weights may be from 1. The caller is
// expected to have normalised: this is rounding and slack.
constexpr double kWeightSumSlack = 1e-3;

std::string at(std::size_t vertex) { return " in vertex " + std::to_string(vertex); }

Error check_positions(std::span<const float> positions) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!std::isfinite(positions[i])) {
      return Error("positions must be finite, got " + std::to_string(positions[i]) + at(i / 3));
    }
  }
  return {};
}

Error check_weights(std::span<const float> weights, std::size_t influence_count) {
  for (std::size_t begin = 0; begin < weights.size(); begin += influence_count) {
    double sum = 0;
    for (const float weight : weights.subspan(begin, influence_count)) {
      if (!(weight >= 0) || std::isinf(weight)) {
        return Error("weights must be finite and not negative, got " + std::to_string(weight) +
                     at(begin / influence_count) + "; set it to 0 and normalise the row");
      }
      sum += weight;
    }
    if (!(std::abs(sum - 1) <= kWeightSumSlack)) {
      return Error("weights must sum to 1 in each row, got " + std::to_string(sum) +
                   at(begin / influence_count) + "; divide the row by its sum");
    }
  }
  return {};
}

template <class Index>
std::vector<Index> pivots_of(std::span<const Index> indices, std::span<const float> weights,
                             std::size_t influence_count) {
  std::vector<Index> pivots(indices.size() / influence_count);
  for (std::size_t vertex = 0; vertex < pivots.size(); ++vertex) {
    const Index* rows = &indices[vertex * influence_count];
    const float* row_weights = &weights[vertex * influence_count];
    std::size_t best = 0;
    for (std::size_t k = 1; k < influence_count; ++k) {
      const bool heavier = row_weights[k] > row_weights[best];
      if (heavier || (row_weights[k] == row_weights[best] && rows[k] < rows[best])) best = k;
    }
    pivots[vertex] = rows[best];
  }
  return pivots;
}

}  // namespace

Error SkinnedMesh::make(const Arrays& arrays, SkinnedMesh* mesh) {
  const std::size_t influence_count = arrays.influence_count;
  if (influence_count == 0) return Error("indices must have at least one column, got (V, 0)");
  const std::size_t index_count = std::max(arrays.indices.size(), arrays.wide_indices.size());
  if (arrays.positions.size() % 3 || arrays.weights.size() != arrays.positions.size() / 3 * influence_count ||
      index_count != arrays.weights.size()) {
    return Error("positions, indices and weights must have one row per vertex");
  }
  if (Error error = check_positions(arrays.positions)) return error;
  if (Error error = check_weights(arrays.weights, influence_count)) return error;

  SkinnedMesh made;
  made.arrays_ = arrays;
  if (!arrays.indices.empty()) {
    made.arrays_.wide_indices = {};
    made.row_count_ = 1 + std::size_t{*std::max_element(arrays.indices.begin(), arrays.indices.end())};
    made.pivots_ = pivots_of(arrays.indices, arrays.weights, influence_count);
  } else if (!arrays.wide_indices.empty()) {
    made.row_count_ =
        1 + std::size_t{*std::max_element(arrays.wide_indices.begin(), arrays.wide_indices.end())};
    made.wide_pivots_ = pivots_of(arrays.wide_indices, arrays.weights, influence_count);
  }
  *mesh = std::move(made);
  return {};
}

}  // namespace lissom
