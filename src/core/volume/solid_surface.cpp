// SPDX-License-Identifier: MIT
#include "core/volume/solid_surface.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

#include "core/number_text.h"
#include "core/simd/isa.h"
#include "core/union_find.h"

namespace lissom {
LISSOM_EQUAL_KERNEL_TABLE(WindingKernels, winding_kernels)
namespace {

constexpr double kLargestCoordinate = 1e100;  // squares of larger ones overflow float64
// A triangle whose doubled area is below this part of its longest edge, squared, has a normal of rounding
// alone.
constexpr double kLeastArea = 1e-12;
constexpr std::uint32_t kLeafSize = 8;

struct Edge {
  std::uint32_t low, high;  // welded
  std::uint32_t triangle;
  bool is_reversed;  // goes from high to low
};

Point area_vector(const Triangle& t) {
  return 0.5 * cross(t.corners[1] - t.corners[0], t.corners[2] - t.corners[0]);
}

bool area_counts(const Triangle& t) {
  const Point a = t.corners[1] - t.corners[0], b = t.corners[2] - t.corners[0],
              c = t.corners[2] - t.corners[1];
  const double longest = std::max({dot(a, a), dot(b, b), dot(c, c)});
  return norm(cross(a, b)) > kLeastArea * longest;
}

// The edges of the triangles that count, sorted.
std::vector<Edge> edges_of(const std::vector<std::array<std::uint32_t, 3>>& triangles,
                           const std::vector<std::uint32_t>& welded, const std::vector<char>& counts) {
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (std::uint32_t f = 0; f < triangles.size(); ++f) {
    for (int i = 0; i < 3 && counts[f]; ++i) {
      const std::uint32_t from = welded[triangles[f][i]], to = welded[triangles[f][(i + 1) % 3]];
      if (from != to) edges.push_back({std::min(from, to), std::max(from, to), f, from > to});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.low, a.high, a.triangle, a.is_reversed) <
           std::tie(b.low, b.high, b.triangle, b.is_reversed);
  });
  return edges;
}

}  // namespace

Error SolidSurface::make(std::span<const double> positions, std::span<const std::uint32_t> triangles,
                         SolidSurface* surface) {
  const std::size_t vertex_count = positions.size() / 3;
  if (positions.empty()) return Error("positions must have at least one vertex, got none");
  if (triangles.empty()) return Error("triangles must have at least one row, got none");
  if (std::max(positions.size(), triangles.size()) > 0x7fffffff) {
    return Error("surface must have at most 715827882 vertices and triangles");
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!std::isfinite(positions[i])) {
      return Error("positions must be finite, got " + number_text(positions[i]) + " in vertex " +
                   std::to_string(i / 3) + "; remove or repair it");
    }
    if (std::abs(positions[i]) > kLargestCoordinate) {
      return Error("positions must be at most 1e100 in size, got " + number_text(positions[i]) +
                   " in vertex " + std::to_string(i / 3) + "; scale them");
    }
  }
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    if (triangles[i] >= vertex_count) {
      return Error("triangles must be in [0, " + std::to_string(vertex_count) + "), got " +
                   std::to_string(triangles[i]) + " in triangle " + std::to_string(i / 3));
    }
  }
  Point low{{HUGE_VAL, HUGE_VAL, HUGE_VAL}}, high{{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  for (const std::uint32_t vertex : triangles) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], positions[3 * std::size_t{vertex} + axis]);
      high[axis] = std::max(high[axis], positions[3 * std::size_t{vertex} + axis]);
    }
  }
  SolidSurface made;
  made.center_ = 0.5 * (low + high);
  const Point sides = high - low;
  made.scale_ = std::max({sides[0], sides[1], sides[2]});
  if (!(made.scale_ > 0)) return Error("positions must not all be one point; nothing can be inside");
  made.half_ = 0.5 / made.scale_ * sides;
  made.points_.resize(vertex_count);
  for (std::size_t v = 0; v < vertex_count; ++v) {
    made.points_[v] = made.to_unit({{positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]}});
  }
  made.triangles_.resize(triangles.size() / 3);
  for (std::size_t i = 0; i < triangles.size(); ++i) made.triangles_[i / 3][i % 3] = triangles[i];
  made.is_boundary_.resize(made.triangles_.size());
  for (std::size_t f = 0; f < made.triangles_.size(); ++f) {
    made.is_boundary_[f] = area_counts(made.triangle(f));
    if (!made.is_boundary_[f]) ++made.degenerate_count_;
  }
  if (made.degenerate_count_ == made.triangles_.size()) {
    return Error("triangles must have an area, got " + std::to_string(made.degenerate_count_) + " without");
  }
  made.weld();
  made.find_islands();
  made.drop_doubles();
  made.orient();
  made.build_tree();
  if (made.order_.empty())
    return Error("triangles must bound something, got only pairs that face each other");
  *surface = std::move(made);
  return {};
}

Triangle SolidSurface::triangle(std::size_t index) const {
  const auto& corners = triangles_[index];
  return {{points_[corners[0]], points_[corners[1]], points_[corners[2]]}};
}

void SolidSurface::weld() {
  std::vector<std::uint32_t> sorted(points_.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto key = [&](std::uint32_t v) {
    const Point& p = points_[v];
    return std::tuple(p[0], p[1], p[2]);
  };
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple_cat(key(a), std::tuple(a)) < std::tuple_cat(key(b), std::tuple(b));
  });
  welded_.resize(points_.size());
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || key(sorted[i]) != key(first)) first = sorted[i];
    welded_[sorted[i]] = first;
  }
}

void SolidSurface::find_islands() {
  UnionFind islands(triangles_.size());
  const std::vector<Edge> edges = edges_of(triangles_, welded_, std::vector<char>(triangles_.size(), 1));
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const Edge &a = edges[i], &b = edges[i + 1];
    if (a.low == b.low && a.high == b.high) {
      islands.join(static_cast<std::int32_t>(a.triangle), static_cast<std::int32_t>(b.triangle));
    }
  }
  islands_.resize(triangles_.size());
  for (std::size_t f = 0; f < triangles_.size(); ++f)
    islands_[f] = islands.root(static_cast<std::int32_t>(f));
}

// An island whose triangles all have doubles has its back modelled, too: one of each counts. Elsewhere two that face
// each other are a wall within the solid, and neither counts.
void SolidSurface::drop_doubles() {
  struct Key {
    std::array<std::uint32_t, 3> places;
    std::uint32_t triangle;
    int orientation;  // +1 or -1, by the sorted corners
  };
  std::vector<Key> keys;
  originals_.resize(triangles_.size());
  std::vector<std::size_t> doubled(triangles_.size(), 0), sizes(triangles_.size(), 0);  // by island
  for (std::uint32_t f = 0; f < triangles_.size(); ++f) {
    originals_[f] = f;
    if (!is_boundary_[f]) continue;
    ++sizes[islands_[f]];
    Key key{{}, f, 1};
    for (int i = 0; i < 3; ++i) key.places[i] = welded_[triangles_[f][i]];
    for (const auto& [i, k] : {std::pair(0, 1), std::pair(1, 2), std::pair(0, 1)}) {
      if (key.places[i] < key.places[k]) continue;
      std::swap(key.places[i], key.places[k]);
      key.orientation = -key.orientation;
    }
    keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return std::tie(a.places, a.triangle) < std::tie(b.places, b.triangle);
  });
  const auto group_end = [&](std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < keys.size() && keys[end].places == keys[begin].places) ++end;
    return end;
  };
  for (std::size_t begin = 0; begin < keys.size(); begin = group_end(begin)) {
    if (group_end(begin) - begin > 1) doubled[islands_[keys[begin].triangle]] += group_end(begin) - begin;
  }
  for (std::size_t begin = 0; begin < keys.size(); begin = group_end(begin)) {
    const std::size_t end = group_end(begin);
    if (end - begin == 1) continue;
    const std::int32_t island = islands_[keys[begin].triangle];
    int sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      originals_[keys[i].triangle] = keys[begin].triangle;
      is_boundary_[keys[i].triangle] = 0;
      sum += keys[i].orientation;
    }
    if (doubled[island] == sizes[island]) sum = keys[begin].orientation;
    for (std::size_t i = begin; i < end && sum != 0; ++i) {
      if ((keys[i].orientation > 0) != (sum > 0)) continue;
      is_boundary_[keys[i].triangle] = 1;
      break;
    }
    doubled_count_ += end - begin - (sum != 0 ? 1 : 0);
  }
}

void SolidSurface::orient() {
  const std::vector<Edge> edges = edges_of(triangles_, welded_, is_boundary_);

  // Neighbours across an edge of two triangles, and whether their orientations disagree.
  struct Neighbour {
    std::uint32_t from, to;
    bool disagree;
  };
  std::vector<Neighbour> neighbours;
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = begin + 1;
    while (end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high)
      ++end;
    const Edge &a = edges[begin], &b = edges[end - 1];
    if (end - begin == 2) {
      const bool disagree = a.is_reversed == b.is_reversed;
      neighbours.push_back({a.triangle, b.triangle, disagree});
      neighbours.push_back({b.triangle, a.triangle, disagree});
    }
    begin = end;
  }
  std::sort(neighbours.begin(), neighbours.end(), [](const Neighbour& a, const Neighbour& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  std::vector<std::size_t> starts(triangles_.size() + 1, 0);
  for (const Neighbour& n : neighbours) ++starts[n.from + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());

  std::vector<char> is_reversed(triangles_.size(), 0), is_seen(triangles_.size(), 0);
  std::vector<std::uint32_t> patch;
  for (std::uint32_t seed = 0; seed < triangles_.size(); ++seed) {
    if (is_seen[seed] || !is_boundary_[seed]) continue;
    patch.assign(1, seed);
    is_seen[seed] = 1;
    for (std::size_t next = 0; next < patch.size(); ++next) {
      for (std::size_t i = starts[patch[next]]; i < starts[patch[next] + 1]; ++i) {
        const Neighbour& n = neighbours[i];
        if (is_seen[n.to]) continue;
        is_seen[n.to] = 1;
        is_reversed[n.to] = is_reversed[n.from] != n.disagree;
        patch.push_back(n.to);
      }
    }
    // About the patch's own middle: the volume of an open patch is positive, too, where it bulges outwards.
    Point middle;
    double area = 0;
    for (const std::uint32_t f : patch) {
      const Triangle t = triangle(f);
      const double part = norm(area_vector(t));
      area += part;
      middle = middle + part / 3 * (t.corners[0] + t.corners[1] + t.corners[2]);
    }
    middle = 1 / area * middle;
    double volume = 0;
    for (const std::uint32_t f : patch) {
      const Triangle t = triangle(f);
      const double part = dot(t.corners[0] - middle, area_vector(t)) / 3;
      volume += is_reversed[f] ? -part : part;
    }
    // A flat patch has a volume of rounding alone, and keeps its orientation.
    const bool is_inside_out = volume < -1e-9 * area * std::sqrt(area);
    for (const std::uint32_t f : patch) {
      is_reversed[f] = is_reversed[f] != static_cast<char>(is_inside_out);
      if (is_reversed[f]) std::swap(triangles_[f][1], triangles_[f][2]);
    }
  }
  // As often in one direction as in the other.
  is_closed_ = true;
  for (std::size_t begin = 0; begin < edges.size();) {
    int forward = 0;
    std::size_t end = begin;
    for (; end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high;
         ++end)
      forward += edges[end].is_reversed != (is_reversed[edges[end].triangle] != 0) ? -1 : 1;
    is_closed_ = is_closed_ && forward == 0;
    begin = end;
  }
}

void SolidSurface::build_tree() {
  for (std::uint32_t f = 0; f < triangles_.size(); ++f) {
    if (is_boundary_[f]) order_.push_back(f);
  }
  nodes_.reserve(order_.size());
  if (!order_.empty()) make_node(0, static_cast<std::uint32_t>(order_.size()));
  for (const std::uint32_t f : order_) leaves_.push_back(triangle(f));
}

std::uint32_t SolidSurface::make_node(std::uint32_t begin, std::uint32_t end) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  SurfaceNode node;
  node.begin = begin;
  node.end = end;
  Point low{{HUGE_VAL, HUGE_VAL, HUGE_VAL}}, high{{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  const auto middle = [&](std::uint32_t f) {
    const Triangle t = triangle(f);
    return 1.0 / 3 * (t.corners[0] + t.corners[1] + t.corners[2]);
  };
  double area = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Point vector = area_vector(triangle(order_[i])), at = middle(order_[i]);
    area += norm(vector);
    node.area = node.area + vector;
    node.center = node.center + norm(vector) * at;
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], at[axis]);
      high[axis] = std::max(high[axis], at[axis]);
    }
  }
  node.center = 1 / area * node.center;
  for (std::uint32_t i = begin; i < end; ++i) {
    for (const Point& corner : triangle(order_[i]).corners)
      node.radius = std::max(node.radius, norm(corner - node.center));
  }
  if (end - begin > kLeafSize) {
    const Point sides = high - low;
    const int axis = sides[0] >= sides[1] && sides[0] >= sides[2] ? 0 : sides[1] >= sides[2] ? 1 : 2;
    const std::uint32_t half = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + half, order_.begin() + end,
                     [&](std::uint32_t a, std::uint32_t b) {
                       const double x = middle(a)[axis], y = middle(b)[axis];
                       return x < y || (x == y && a < b);
                     });
    node.left = make_node(begin, half);
    node.right = make_node(half, end);
  }
  nodes_[index] = node;
  return index;
}

void SolidSurface::winding_numbers(std::span<const Point> points, std::span<double> numbers) const {
  winding_kernels().sum({nodes_.data(), leaves_.data()}, points.data(), points.size(), numbers.data());
}

SolidSurface::Nearest SolidSurface::nearest(const Point& point) const {
  Nearest best;
  best.distance = std::numeric_limits<double>::infinity();
  std::uint32_t stack[64];
  int count = 0;
  stack[count++] = 0;
  while (count > 0) {
    const SurfaceNode& node = nodes_[stack[--count]];
    if (norm(node.center - point) - node.radius > best.distance) continue;
    if (node.left == 0) {
      for (std::uint32_t i = node.begin; i < node.end; ++i) {
        const Point place = nearest_point(leaves_[i], point);
        const double distance = norm(place - point);
        if (distance < best.distance) best = {place, order_[i], distance};
      }
      continue;
    }
    // The nearer child last, so that it is visited first.
    const bool left_first = norm(nodes_[node.left].center - point) < norm(nodes_[node.right].center - point);
    stack[count++] = left_first ? node.right : node.left;
    stack[count++] = left_first ? node.left : node.right;
  }
  return best;
}

}  // namespace lissom
