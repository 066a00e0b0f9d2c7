// SPDX-License-Identifier: MIT
#include "core/weights/heat.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/geometry/intrinsic_laplacian.h"
#include "core/geometry/welded_mesh.h"
#include "core/linear_algebra/cholesky.h"
#include "core/linear_algebra/cholesky_kernels.h"
#include "core/number_text.h"

namespace lissom {
namespace {

// Of the box's diagonal: distances of bones are at least this, so that the heat of one on the surface is finite.
constexpr double kNearest = 1e-6;
// The share of ordering and analysis in the stage "factorising".
constexpr double kAnalysed = 0.4;

Error check_bones(std::span<const BoneSegment> bones) {
  for (std::size_t i = 0; i < bones.size(); ++i) {
    for (const auto* end : {bones[i].head, bones[i].tail}) {
      for (int k = 0; k < 3; ++k) {
        if (std::isfinite(end[k])) continue;
        return Error("handles must be finite, got " + number_text(end[k]) + " in handle " +
                     std::to_string(i));
      }
    }
  }
  return {};
}

// The heat of the bones in each node: M H, and M H p as pairs. Of nodes without area, which are not in the system:
// 1, and p.
struct Sources {
  Sources(const WeldedMesh& mesh, const std::vector<NearestBones::Pair>& pairs,
          const std::vector<double>& areas, double conductance)
      : warmth(areas.size(), 0.0), given(pairs.size()) {
    const double nearest = kNearest * mesh.size;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& pair = pairs[i];
      const double distance = std::max(pair.distance, nearest);
      const double area = areas[pair.node];
      given[i] = area > 0 ? area * conductance / (distance * distance) : 1.0;
      warmth[pair.node] += given[i];
    }
  }
  std::vector<double> warmth;  // (N)
  std::vector<double> given;   // of each pair
};

// L + M H: all rows, both triangles, columns ascending.
SparseMatrix system_of(const IntrinsicLaplacian& laplacian, const std::vector<double>& warmth) {
  struct Entry {
    std::int32_t column;
    double value;
  };
  const std::size_t count = warmth.size();
  std::vector<double> diagonal = warmth;
  std::vector<std::size_t> ends(count + 1, 0);  // begins of rows at first, then, as they fill, their ends
  for (const auto& [a, b, weight] : laplacian.edges) {
    diagonal[a] += weight;
    diagonal[b] += weight;
    ++ends[a + 1];
    ++ends[b + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Entry> entries(ends.back());
  for (const auto& [a, b, weight] : laplacian.edges) {
    entries[ends[a]++] = {static_cast<std::int32_t>(b), -weight};
    entries[ends[b]++] = {static_cast<std::int32_t>(a), -weight};
  }
  SparseMatrix system;
  system.starts.assign(1, 0);
  const auto add = [&](std::int32_t column, double value) {
    if (system.columns.size() > system.starts.back() && system.columns.back() == column) {
      system.values.back() += value;  // an edge occurs several times
      return;
    }
    system.columns.push_back(column);
    system.values.push_back(value);
  };
  for (std::size_t row = 0; row < count; ++row) {
    const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(row ? ends[row - 1] : 0);
    const auto end = entries.begin() + static_cast<std::ptrdiff_t>(ends[row]);
    const auto own = static_cast<std::int32_t>(row);
    std::stable_sort(begin, end, [](const Entry& a, const Entry& b) { return a.column < b.column; });
    auto it = begin;
    for (; it != end && it->column < own; ++it) add(it->column, it->value);
    add(own, diagonal[row]);
    for (; it != end; ++it) add(it->column, it->value);
    system.starts.push_back(system.columns.size());
  }
  return system;
}

// Scales by a power of two, so that the mesh is about 1 in size and squares of areas stay within float64, whatever its
// units; no bit of the result changes.
void scale_to_one(WeldedMesh* mesh, std::vector<BoneSegment>* bones) {
  if (!(mesh->size > 0)) return;
  int exponent = 0;
  std::frexp(mesh->size, &exponent);
  mesh->size = std::ldexp(mesh->size, -exponent);
  for (auto& position : mesh->positions) {
    for (double& coordinate : position) coordinate = std::ldexp(coordinate, -exponent);
  }
  for (BoneSegment& bone : *bones) {
    for (double* end : {bone.head, bone.tail}) {
      for (int k = 0; k < 3; ++k) end[k] = std::ldexp(end[k], -exponent);
    }
  }
}

// Clips to [0, 1] and scales each row to sum to 1; records how little that was.
void normalise(std::size_t bone_count, std::vector<double>* weights, HeatWeightsJob::Outcome* outcome) {
  outcome->least_weight = outcome->least_row_sum = HUGE_VAL;
  outcome->most_weight = outcome->most_row_sum = -HUGE_VAL;
  for (std::size_t begin = 0; begin < weights->size(); begin += bone_count) {
    double sum = 0;
    double clipped_sum = 0;
    for (std::size_t i = begin; i < begin + bone_count; ++i) {
      double& weight = (*weights)[i];
      sum += weight;
      outcome->least_weight = std::min(outcome->least_weight, weight);
      outcome->most_weight = std::max(outcome->most_weight, weight);
      weight = std::clamp(weight, 0.0, 1.0);
      clipped_sum += weight;
    }
    outcome->least_row_sum = std::min(outcome->least_row_sum, sum);
    outcome->most_row_sum = std::max(outcome->most_row_sum, sum);
    for (std::size_t i = begin; i < begin + bone_count; ++i) (*weights)[i] /= clipped_sum;
  }
}

void count_islands(const WeldedMesh& mesh, const NearestBones& nearest, HeatWeightsJob::Outcome* outcome) {
  std::vector<char> has_triangles(mesh.island_count, 0);
  for (const auto& triangle : mesh.triangles) has_triangles[mesh.islands[triangle[0]]] = 1;
  for (std::uint32_t island = 0; island < mesh.island_count; ++island) {
    if (!has_triangles[island]) continue;
    ++outcome->island_count;
    outcome->blind_island_count += nearest.blind_islands[island] ? 1 : 0;
  }
}

}  // namespace

Error HeatWeightsJob::validate() const {
  if (bones.empty()) return Error("handles must be at least one, got none");
  if (weights.size() != positions.size() / 3 * bones.size()) {
    return Error("weights must hold " + std::to_string(positions.size() / 3 * bones.size()) +
                 " numbers, got " + std::to_string(weights.size()));
  }
  if (sights.size() != positions.size() / 3) {
    return Error("sights must hold " + std::to_string(positions.size() / 3) + " numbers, got " +
                 std::to_string(sights.size()));
  }
  if (!(conductance > 0 && std::isfinite(conductance))) {
    return Error("conductance must be above zero and finite, got " + number_text(conductance));
  }
  return check_bones(bones);
}

Error HeatWeightsJob::run() const {
  if (Error error = validate()) return error;
  const auto is_stopped = [&](const char* stage, double fraction) {
    return progress && progress(stage, fraction);
  };
  WeldedMesh mesh;
  if (Error error = WeldedMesh::make(positions, triangles, weld, &mesh)) return error;
  std::vector<BoneSegment> near_bones(bones.begin(), bones.end());
  scale_to_one(&mesh, &near_bones);
  Outcome result;
  result.node_count = mesh.positions.size();
  result.degenerate_count = triangles.size() / 3 - mesh.triangles.size();
  NearestBones nearest;
  if (nearest.find(mesh, near_bones, sight, progress)) return Error(kStopped);
  IntrinsicLaplacian laplacian;
  if (laplacian.make(mesh.positions, mesh.triangles, progress)) return Error(kStopped);
  result.flip_count = laplacian.flip_count;
  const Sources sources(mesh, nearest.pairs, laplacian.areas, conductance);
  count_islands(mesh, nearest, &result);
  const char* const factorising = "factorising";
  if (is_stopped(factorising, 0)) return Error(kStopped);
  const SparseMatrix system = system_of(laplacian, sources.warmth);
  CholeskyFactor factor;
  const auto part_of_factorising = [&](double from, double to) -> Progress {
    return [&is_stopped, from, to](const char* stage, double fraction) {
      return is_stopped(stage, from + (to - from) * fraction);
    };
  };
  if (Error error = factor.analyse(system, {}, factorising, part_of_factorising(0, kAnalysed))) return error;
  const std::vector<double> nothing(system.row_count(), 0.0);
  if (Error error = factor.factorise(system, 0, nothing, factorising, part_of_factorising(kAnalysed, 1))) {
    if (error.sentence() == kStopped) return error;
    return Error(
        "surface gives a system that float64 cannot solve; scale the mesh, or remove its smallest triangles");
  }

  // kSolveLanes bones at a time, interleaved, in the order of elimination.
  const std::size_t bone_count = bones.size(), node_count = mesh.positions.size();
  const auto order = factor.order();
  std::vector<std::size_t> places(node_count);
  for (std::size_t place = 0; place < node_count; ++place)
    places[static_cast<std::size_t>(order[place])] = place;
  std::vector<double> solved(node_count * bone_count), x;
  for (std::size_t first = 0; first < bone_count; first += kSolveLanes) {
    if (is_stopped("solving", static_cast<double>(first) / static_cast<double>(bone_count)))
      return Error(kStopped);
    const std::size_t lanes = std::min(kSolveLanes, bone_count - first);
    x.assign(node_count * kSolveLanes, 0.0);
    for (std::size_t i = 0; i < nearest.pairs.size(); ++i) {
      const auto& pair = nearest.pairs[i];
      if (pair.bone < first || pair.bone >= first + lanes) continue;
      x[places[pair.node] * kSolveLanes + pair.bone - first] += sources.given[i];
    }
    factor.solve(x.data());
    for (std::size_t node = 0; node < node_count; ++node) {
      std::copy_n(&x[places[node] * kSolveLanes], lanes, &solved[node * bone_count + first]);
    }
  }
  normalise(bone_count, &solved, &result);
  for (std::size_t vertex = 0; vertex < mesh.nodes.size(); ++vertex) {
    const std::uint32_t node = mesh.nodes[vertex];
    std::copy_n(&solved[node * bone_count], bone_count, &weights[vertex * bone_count]);
    const bool is_blind = nearest.blind_islands[mesh.islands[node]] != 0;
    sights[vertex] = !(laplacian.areas[node] > 0) ? kLoose
                     : is_blind                   ? kBlind
                     : sources.warmth[node] == 0  ? kCold
                                                  : kSees;
  }
  if (outcome) *outcome = result;
  return {};
}

}  // namespace lissom
