// SPDX-License-Identifier: MIT
#include "core/geometry/welded_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

#include "core/number_text.h"
#include "core/union_find.h"

namespace lissom {
namespace {

// Beyond this, squares of squares of lengths (Heron's formula) would overflow float64.
constexpr double kLargestCoordinate = 1e75;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

using Point = std::array<double, 3>;

Error check(std::span<const double> positions, std::span<const std::uint32_t> triangles) {
  const std::size_t count = positions.size() / 3;
  if (positions.size() % 3 != 0 || triangles.size() % 3 != 0) {
    return Error("positions and triangles must hold three numbers each, got " +
                 std::to_string(positions.size()) + " and " + std::to_string(triangles.size()) + " in all");
  }
  if (count == 0) return Error("positions must have at least one vertex, got none");
  if (count >= kNone / 2 || triangles.size() / 3 >= kNone / 8) {
    return Error("surface must have fewer than 536870911 triangles and 2147483647 vertices");
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!std::isfinite(positions[i])) {
      return Error("positions must be finite, got " + number_text(positions[i]) + " in vertex " +
                   std::to_string(i / 3) + "; remove or repair it");
    }
    if (std::abs(positions[i]) > kLargestCoordinate) {
      return Error("positions must be at most 1e75 in size, got " + number_text(positions[i]) +
                   " in vertex " + std::to_string(i / 3) + "; scale them");
    }
  }
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    if (triangles[i] >= count) {
      return Error("triangles must be in [0, " + std::to_string(count) + "), the number of vertices, got " +
                   std::to_string(triangles[i]) + " in row " + std::to_string(i / 3));
    }
  }
  return {};
}

// Nodes by the cell of a grid that they are in. Cells are four times as wide as the weld distance, so that most points
// search one cell only.
class Grid {
 public:
  Grid(const Point& low, double reach) : low_(low), reach_(reach) {}

  // The first node within reach of `point`, or kNone.
  std::uint32_t find(const std::vector<Point>& nodes, const Point& point) const {
    std::int64_t from[3];
    std::int64_t to[3];
    for (int i = 0; i < 3; ++i) {
      from[i] = cell(point[i] - low_[i] - reach_);
      to[i] = cell(point[i] - low_[i] + reach_);
    }
    std::uint32_t best = kNone;
    for (std::int64_t x = from[0]; x <= to[0]; ++x) {
      for (std::int64_t y = from[1]; y <= to[1]; ++y) {
        for (std::int64_t z = from[2]; z <= to[2]; ++z) {
          const auto found = heads_.find(key(x, y, z));
          if (found == heads_.end()) continue;
          for (std::uint32_t node = found->second; node != kNone; node = next_[node]) {
            const double dx = nodes[node][0] - point[0];
            const double dy = nodes[node][1] - point[1];
            const double dz = nodes[node][2] - point[2];
            if (dx * dx + dy * dy + dz * dz <= reach_ * reach_) best = std::min(best, node);
          }
        }
      }
    }
    return best;
  }

  // Nodes are added in order: this is the next.
  void add(const Point& point) {
    const std::uint64_t at =
        key(cell(point[0] - low_[0]), cell(point[1] - low_[1]), cell(point[2] - low_[2]));
    const auto node = static_cast<std::uint32_t>(next_.size());
    const auto [entry, is_new] = heads_.try_emplace(at, node);
    next_.push_back(is_new ? kNone : entry->second);
    entry->second = node;
  }

 private:
  std::int64_t cell(double coordinate) const {
    return reach_ > 0 ? static_cast<std::int64_t>(std::floor(coordinate / (4 * reach_))) : 0;
  }
  // Cells may share a key: distances are compared anyway.
  static std::uint64_t key(std::int64_t x, std::int64_t y, std::int64_t z) {
    auto mixed = static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 29)) + static_cast<std::uint64_t>(y) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 31)) + static_cast<std::uint64_t>(z) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 30);
  }

  Point low_;
  double reach_;
  std::unordered_map<std::uint64_t, std::uint32_t> heads_;
  std::vector<std::uint32_t> next_;
};

void number_islands(WeldedMesh* mesh) {
  UnionFind joined(mesh->positions.size());
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    joined.join(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
  };
  for (const auto& triangle : mesh->triangles) {
    join(triangle[0], triangle[1]);
    join(triangle[1], triangle[2]);
  }
  mesh->islands.resize(mesh->positions.size());
  for (std::uint32_t node = 0; node < mesh->positions.size(); ++node) {
    const auto root = static_cast<std::uint32_t>(
        joined.root(static_cast<std::int32_t>(node)));  // the lowest of its set, so numbered before
    mesh->islands[node] = root == node ? mesh->island_count++ : mesh->islands[root];
  }
}

}  // namespace

Error WeldedMesh::make(std::span<const double> positions, std::span<const std::uint32_t> triangles,
                       double slack, WeldedMesh* mesh) {
  if (Error error = check(positions, triangles)) return error;
  if (!(slack >= 0 && slack < 1)) return Error("weld must be in [0, 1), got " + number_text(slack));
  const std::size_t count = positions.size() / 3;
  Point low = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  Point high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], positions[i]);
    high[i % 3] = std::max(high[i % 3], positions[i]);
  }
  WeldedMesh made;
  made.size = std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  // At least the spacing of float64 numbers of this size: equal positions are always welded, and the number of cells
  // stays representable.
  Grid grid(low, std::max(slack, 1e-15) * made.size);
  made.nodes.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Point point = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
    std::uint32_t node = grid.find(made.positions, point);
    if (node == kNone) {
      node = static_cast<std::uint32_t>(made.positions.size());
      made.positions.push_back(point);
      grid.add(point);
    }
    made.nodes[i] = node;
  }
  made.triangles.reserve(triangles.size() / 3);
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    const std::uint32_t a = made.nodes[triangles[i]];
    const std::uint32_t b = made.nodes[triangles[i + 1]];
    const std::uint32_t c = made.nodes[triangles[i + 2]];
    if (a != b && b != c && c != a) made.triangles.push_back({a, b, c});
  }
  number_islands(&made);
  *mesh = std::move(made);
  return {};
}

}  // namespace lissom
