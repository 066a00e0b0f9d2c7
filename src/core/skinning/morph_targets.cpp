// SPDX-License-Identifier: MIT
#include "core/skinning/morph_targets.h"

#include <algorithm>
#include <string>

#include "core/finite.h"
#include "core/number_text.h"

namespace lissom {
namespace {

Error check_rows(const char* name, std::span<const float> rows, std::size_t row_count) {
  if (!rows.empty() && rows.size() != 3 * row_count) {
    return Error(std::string(name) + " must have one row of 3 per vertex moved");
  }
  const std::size_t i = first_not_finite(rows);
  if (i == rows.size()) return {};
  return Error(std::string(name) + " must be finite, got " + number_text(rows[i]) + " in row " +
               std::to_string(i / 3));
}

}  // namespace

Error MorphTargets::make(const Arrays& arrays, MorphTargets* targets) {
  const std::size_t row_count = arrays.vertices.size();
  if (arrays.offsets.empty() || arrays.offsets.front() != 0 ||
      arrays.offsets.back() != static_cast<std::int64_t>(row_count) ||
      !std::is_sorted(arrays.offsets.begin(), arrays.offsets.end())) {
    return Error("offsets must rise from 0 to the number of rows");
  }
  if (arrays.positions.size() != 3 * row_count)
    return Error("positions must have one row of 3 per vertex moved");
  if (Error error = check_rows("positions", arrays.positions, row_count)) return error;
  if (Error error = check_rows("normals", arrays.normals, row_count)) return error;
  if (Error error = check_rows("tangents", arrays.tangents, row_count)) return error;
  MorphTargets made;
  for (std::size_t target = 0; target + 1 < arrays.offsets.size(); ++target) {
    const auto begin = static_cast<std::size_t>(arrays.offsets[target]),
               end = static_cast<std::size_t>(arrays.offsets[target + 1]);
    for (std::size_t row = begin; row < end; ++row) {
      if (row > begin && arrays.vertices[row] <= arrays.vertices[row - 1]) {
        return Error("vertices must increase within a target, got " +
                     std::to_string(arrays.vertices[row - 1]) + ", then " +
                     std::to_string(arrays.vertices[row]) + " in target " + std::to_string(target));
      }
    }
    if (end > begin)
      made.vertex_bound_ = std::max(made.vertex_bound_, std::size_t{1} + arrays.vertices[end - 1]);
  }
  made.arrays_ = arrays;
  *targets = made;
  return {};
}

template <class T>
ActiveMorphs::ActiveMorphs(const MorphTargets& targets, std::span<const T> weights)
    : vertices_(targets.arrays().vertices.data()) {
  const std::size_t count = targets.target_count();
  const std::span<const std::int64_t> rows = targets.arrays().offsets;
  offsets_.push_back(0);
  for (std::size_t first = 0; first < weights.size(); first += count) {
    for (std::size_t target = 0; target < count; ++target) {
      const auto begin = static_cast<std::size_t>(rows[target]),
                 end = static_cast<std::size_t>(rows[target + 1]);
      const T weight = weights[first + target];
      if (weight != 0 && begin < end) active_.push_back({begin, end, static_cast<double>(weight)});
    }
    offsets_.push_back(active_.size());
  }
}

std::vector<MorphCursor> ActiveMorphs::cursors(std::size_t batch, std::size_t begin) const {
  std::vector<MorphCursor> cursors;
  cursors.reserve(of(batch).size());
  for (const Target& target : of(batch)) {
    const std::uint32_t* const first =
        begin == 0 ? vertices_ + target.begin
                   : std::lower_bound(vertices_ + target.begin, vertices_ + target.end, begin);
    const auto row = static_cast<std::size_t>(first - vertices_);
    cursors.push_back({row, target.end, static_cast<float>(target.weight)});
  }
  return cursors;
}

bool moves_before(std::span<const MorphCursor> cursors, const std::uint32_t* vertices, std::size_t end) {
  return std::any_of(cursors.begin(), cursors.end(), [=](const MorphCursor& cursor) {
    return cursor.row < cursor.end && vertices[cursor.row] < end;
  });
}

template ActiveMorphs::ActiveMorphs(const MorphTargets&, std::span<const float>);
template ActiveMorphs::ActiveMorphs(const MorphTargets&, std::span<const double>);

}  // namespace lissom
