// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/skinning/similarity_kernels.h"
#include "core/skinning/weight_rows.h"

namespace lissom {

// Two joints, the lower one first.
struct JointPair {
  std::uint32_t first, second;
  friend auto operator<=>(const JointPair&, const JointPair&) = default;
};

// Triangles whose corners have the same three rows of weights, as one group.
struct TriangleGroup {
  std::array<std::uint32_t, 3> rows;                   // ascending
  double area;                                         // of all
  std::array<std::array<double, 3>, 3> corner_moment;  // sum of area times position, of each row's corner
  int divisions;                                       // n: each side is divided by it
};

// Groups triangles, without those that have no area or whose corners are all bound to a single joint: no pair of joints
// moves these.
std::vector<TriangleGroup> group_triangles(const WeightRows& rows, std::span<const float> positions,
                                           std::span<const std::uint32_t> triangles);

// The sum of the areas of all triangles.
double surface_area(std::span<const float> positions, std::span<const std::uint32_t> triangles);

// The joints that a group is bound to, ascending.
void joints_of(const WeightRows& rows, const TriangleGroup& group, std::vector<std::uint32_t>* joints);

// The number of samples of a group: n^2.
inline std::size_t sample_count(const TriangleGroup& group) {
  return static_cast<std::size_t>(group.divisions) * static_cast<std::size_t>(group.divisions);
}
// Writes the sample_count(group) samples of the group for `pair`.
void write_samples(const WeightRows& rows, const TriangleGroup& group, JointPair pair,
                   SurfaceSample* samples);

}  // namespace lissom
