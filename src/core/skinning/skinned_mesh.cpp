// SPDX-License-Identifier: MIT
#include "core/skinning/skinned_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/finite.h"
#include "core/geometry/row_checks.h"
#include "core/number_text.h"

namespace lissom {
namespace {

// The tolerance of the sum of a row of weights: rounding. Skinning skips scales that are the identity, which is exact
// only if weights sum to 1.
constexpr double kWeightSumSlack = 1e-5;

std::string at(std::size_t vertex) { return " in vertex " + std::to_string(vertex); }

Error check_positions(std::span<const float> positions) {
  const std::size_t i = first_not_finite(positions);
  if (i == positions.size()) return {};
  return Error("positions must be finite, got " + number_text(positions[i]) + at(i / 3));
}

Error check_weights(std::span<const float> weights, std::size_t influence_count) {
  if (largest_weight_sum_error(weights, influence_count) <= kWeightSumSlack) return {};
  for (std::size_t begin = 0; begin < weights.size(); begin += influence_count) {
    double sum = 0;
    for (const float weight : weights.subspan(begin, influence_count)) {
      if (!(weight >= 0) || std::isinf(weight)) {
        return Error("weights must be finite and not negative, got " + number_text(weight) +
                     at(begin / influence_count) + "; set it to 0 and normalise the row");
      }
      sum += weight;
    }
    if (!(std::abs(sum - 1) <= kWeightSumSlack)) {
      return Error("weights must sum to 1 in each row, got " + number_text(sum) +
                   at(begin / influence_count) + "; divide the row by its sum");
    }
  }
  return {};
}

template <class Weight>
Error check_whole_weights(std::span<const Weight> weights, std::size_t influence_count) {
  constexpr int kOne = std::numeric_limits<Weight>::max();
  for (std::size_t begin = 0; begin < weights.size(); begin += influence_count) {
    std::size_t sum = 0;
    for (const Weight weight : weights.subspan(begin, influence_count)) sum += weight;
    if (sum != kOne) {
      return Error("weights must sum to " + std::to_string(kOne) + " in each row, for they count in " +
                   std::to_string(kOne) + "ths, got " + std::to_string(sum) + at(begin / influence_count) +
                   "; divide the row by its sum and pass float32");
    }
  }
  return {};
}

// The palette row with the largest weight of a vertex, over all influences that name it; ties: the lowest row.
std::size_t pivot_of(const SkinnedMesh& mesh, std::size_t vertex) {
  const std::size_t first = vertex * mesh.influence_count(), last = first + mesh.influence_count();
  std::size_t best = 0;
  float largest = -1;
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t row = mesh.row(i);
    float weight = 0;
    for (std::size_t j = first; j < last; ++j) weight += mesh.row(j) == row ? mesh.weight(j) : 0;
    if (weight > largest || (weight == largest && row < best)) best = row, largest = weight;
  }
  return best;
}

// What is more than half of a row, whose sum is 1 up to rounding, no other row of the palette can have.
constexpr float kMoreThanHalf = 0.5001f;

template <class Index>
std::vector<Index> pivots_of(const SkinnedMesh& mesh, std::span<const Index> indices) {
  const std::size_t influence_count = mesh.influence_count();
  const std::span<const float> weights = mesh.arrays().weights;
  std::vector<Index> pivots(mesh.vertex_count());
  for (std::size_t vertex = 0; vertex < pivots.size(); ++vertex) {
    const std::size_t first = vertex * influence_count;
    const bool is_clear = !weights.empty() && !indices.empty() && weights[first] > kMoreThanHalf;
    pivots[vertex] = is_clear ? indices[first] : static_cast<Index>(pivot_of(mesh, vertex));
  }
  return pivots;
}

// 0 where there are none.
template <class Index>
std::size_t rows_named_by(std::span<const Index> indices) {
  return indices.empty() ? 0 : 1 + std::size_t{*std::max_element(indices.begin(), indices.end())};
}

}  // namespace

Error SkinnedMesh::make(const Arrays& arrays, SkinnedMesh* mesh) {
  const std::size_t influence_count = arrays.influence_count;
  if (influence_count == 0) return Error("indices must have at least one column, got (V, 0)");
  const std::size_t vertex_count = arrays.positions.size() / 3, expected = vertex_count * influence_count;
  const std::size_t index_count =
      std::max({arrays.byte_indices.size(), arrays.indices.size(), arrays.wide_indices.size()});
  const std::size_t weight_count =
      std::max({arrays.byte_weights.size(), arrays.short_weights.size(), arrays.weights.size()});
  if (arrays.positions.size() % 3 || weight_count != expected || index_count != expected) {
    return Error("positions, indices and weights must have one row per vertex");
  }
  const auto given = [](const auto&... values) { return (!values.empty() + ...); };
  if (given(arrays.byte_indices, arrays.indices, arrays.wide_indices) > 1 ||
      given(arrays.byte_weights, arrays.short_weights, arrays.weights) > 1) {
    return Error("indices and weights must be given in one type each");
  }
  if (Error error = check_positions(arrays.positions)) return error;
  if (Error error = check_weights(arrays.weights, influence_count)) return error;
  if (Error error = check_whole_weights(arrays.byte_weights, influence_count)) return error;
  if (Error error = check_whole_weights(arrays.short_weights, influence_count)) return error;

  SkinnedMesh made;
  made.arrays_ = arrays;
  made.row_count_ = std::max({rows_named_by(arrays.byte_indices), rows_named_by(arrays.indices),
                              rows_named_by(arrays.wide_indices)});
  if (made.is_wide()) {
    made.wide_pivots_ = pivots_of(made, arrays.wide_indices);
  } else {
    made.pivots_ = pivots_of(made, arrays.indices);
  }
  *mesh = std::move(made);
  return {};
}

void SkinnedMesh::copy_pivots(std::span<std::int32_t> out) const {
  for (std::size_t vertex = 0; vertex < vertex_count(); ++vertex)
    out[vertex] = static_cast<std::int32_t>(pivot(vertex));
}

}  // namespace lissom
