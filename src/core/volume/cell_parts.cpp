// SPDX-License-Identifier: MIT
#include "core/volume/cell_parts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "core/parallel/thread_pool.h"
#include "core/union_find.h"

namespace lissom {
namespace {

// The offset from a triangle at which its two sides are tested, in cells: thinner parts are sheets.
constexpr double kOffset = 1e-4;
// Triangles of a patch whose sides are tested, the largest in the cube first.
constexpr std::size_t kViews = 3;
// As a share of that segment: nearer crossings are of the triangle that the segment begins on.
constexpr double kOnTriangle = 1e-3;
// Crossings nearer to each other than this share of a segment are coincident.
constexpr double kCoincident = 1e-9;

struct Hit {
  double t;
  bool exits;
  std::uint32_t local;  // index among the cube's triangles
};

// The crossings of a segment through the solid.
struct Walk {
  bool stays_inside = true;
  std::vector<std::uint32_t> met;  // local triangles up to the one where it leaves, inclusive
};

// The triangles of one cube, and visibility along segments.
class CellView {
 public:
  CellView(const SolidSurface& surface, std::span<const std::uint32_t> triangles)
      : surface_(surface), triangles_(triangles) {}

  // Whether no triangle is between a point on a triangle and one off it.
  bool is_clear(const Point& on_triangle, const Point& off_triangle) const {
    return std::none_of(triangles_.begin(), triangles_.end(), [&](std::uint32_t triangle) {
      if (!surface_.is_boundary(triangle)) return false;
      const Crossing crossing = cross_triangle(surface_.triangle(triangle), on_triangle, off_triangle);
      return crossing.is_met && crossing.t > kOnTriangle;
    });
  }
  // From a point with a winding number above one half.
  void walk(const Point& begin, double winding, const Point& end, Walk* result) {
    result->stays_inside = true;
    result->met.clear();
    hits_.clear();
    for (std::uint32_t i = 0; i < triangles_.size(); ++i) {
      if (!surface_.is_boundary(triangles_[i])) continue;
      const Crossing crossing = cross_triangle(surface_.triangle(triangles_[i]), begin, end);
      if (crossing.is_met) hits_.push_back({crossing.t, crossing.exits, i});
    }
    if (hits_.empty()) return;
    std::sort(hits_.begin(), hits_.end(),
              [](const Hit& a, const Hit& b) { return std::tie(a.t, a.local) < std::tie(b.t, b.local); });
    for (std::size_t first = 0; first < hits_.size();) {
      std::size_t last = first + 1;
      while (last < hits_.size() && hits_[last].t - hits_[first].t <= kCoincident) ++last;
      winding = pass(first, last, winding, result);
      if (!result->stays_inside) return;
      first = last;
    }
  }

 private:
  // Passes coincident hits; returns the winding number behind them. Hits of one island and direction are one sheet,
  // crossed in an edge that its triangles share. Where islands end and others begin, they were made to fit: entries
  // count first. Of an island that touches itself exits count first.
  double pass(std::size_t first, std::size_t last, double winding, Walk* result) {
    islands_.clear();
    for (std::size_t i = first; i < last; ++i) {
      result->met.push_back(hits_[i].local);
      islands_.push_back({surface_.island(triangles_[hits_[i].local]), hits_[i].exits});
    }
    std::sort(islands_.begin(), islands_.end());
    islands_.erase(std::unique(islands_.begin(), islands_.end()), islands_.end());
    double low = winding, sum = winding;
    for (const auto& [island, exits] : islands_) sum += exits ? -1 : 1;
    for (std::size_t i = 0; i + 1 < islands_.size(); ++i) {
      if (islands_[i].first == islands_[i + 1].first) low = winding - 1;
    }
    if (std::min(low, sum) <= kInsideAbove) result->stays_inside = false;
    return sum;
  }

  const SolidSurface& surface_;
  std::span<const std::uint32_t> triangles_;
  std::vector<Hit> hits_;
  std::vector<std::pair<std::int32_t, bool>> islands_;
};

Point normal_of(const Triangle& triangle) {
  const Point normal =
      cross(triangle.corners[1] - triangle.corners[0], triangle.corners[2] - triangle.corners[0]);
  return 1 / norm(normal) * normal;
}

// Segments between a cube's samples: 54 edges, and 26 from the middle.
std::vector<std::pair<int, int>> make_segments() {
  std::vector<std::pair<int, int>> segments;
  const int steps[3] = {1, 3, 9};
  for (int sample = 0; sample < 27; ++sample) {
    for (int axis = 0; axis < 3; ++axis) {
      if (sample / steps[axis] % 3 < 2) segments.push_back({sample, sample + steps[axis]});
    }
    // The six face middles are neighbours of the middle already.
    if (sample != 13 && sample != 4 && sample != 10 && sample != 12 && sample != 14 && sample != 16 &&
        sample != 22) {
      segments.push_back({13, sample});
    }
  }
  return segments;
}

// Joins triangles that share an edge or a corner within the cube, or all of their corners.
void join_patches(const SolidSurface& surface, std::span<const std::uint32_t> triangles, const HalfBox& box,
                  UnionFind* items) {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>> shared;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const auto& corners = surface.corners(triangles[i]);
    const auto original =
        std::lower_bound(triangles.begin(), triangles.end(), surface.original(triangles[i]));
    if (original != triangles.end() && *original == surface.original(triangles[i])) {
      items->join(static_cast<std::int32_t>(27 + i),
                  static_cast<std::int32_t>(27 + (original - triangles.begin())));
    }
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = surface.welded(corners[k]), b = surface.welded(corners[(k + 1) % 3]);
      const auto item = static_cast<std::int32_t>(27 + i);
      shared.push_back({a, a, item});
      if (a != b) shared.push_back({std::min(a, b), std::max(a, b), item});
    }
  }
  std::sort(shared.begin(), shared.end());
  for (std::size_t i = 0; i + 1 < shared.size(); ++i) {
    const auto& [low, high, item] = shared[i];
    const auto& [next_low, next_high, next_item] = shared[i + 1];
    if (low != next_low || high != next_high || items->root(item) == items->root(next_item)) continue;
    if (meets(surface.point(low), surface.point(high), box)) items->join(item, next_item);
  }
}

}  // namespace

CellSamples::CellSamples(const CellGrid& grid) {
  const auto& n = grid.counts();
  counts_ = {2 * std::size_t(n[0]) + 1, 2 * std::size_t(n[1]) + 1};
  windings_.assign(counts_[0] * counts_[1] * (2 * std::size_t(n[2]) + 1), 0.0f);
}

std::size_t CellSamples::index(const std::array<std::int32_t, 3>& cell, int sample) const {
  const std::size_t x = 2 * std::size_t(cell[0]) + sample % 3, y = 2 * std::size_t(cell[1]) + sample / 3 % 3;
  const std::size_t z = 2 * std::size_t(cell[2]) + sample / 9;
  return (z * counts_[1] + y) * counts_[0] + x;
}

double CellSamples::winding(const std::array<std::int32_t, 3>& cell, int sample) const {
  return static_cast<double>(windings_[index(cell, sample)]);
}

Point sample_place(const CellGrid& grid, const std::array<std::int32_t, 3>& cell, int sample) {
  return grid.place(cell[0] + 0.5 * (sample % 3), cell[1] + 0.5 * (sample / 3 % 3),
                    cell[2] + 0.5 * (sample / 9));
}

bool CellSamples::evaluate(const SolidSurface& surface, const CellGrid& grid, const Stop& stop) {
  std::vector<std::size_t> needed;
  std::vector<Point> places;
  std::vector<char> is_needed(windings_.size(), 0);
  for (std::size_t cell = 0; cell < grid.cell_count(); ++cell) {
    if (grid.kind(cell) != CellGrid::kCrossed) continue;
    const auto at = grid.at(cell);
    for (int sample = 0; sample < 27; ++sample) {
      const std::size_t i = index(at, sample);
      if (is_needed[i]) continue;
      is_needed[i] = 1;
      needed.push_back(i);
      places.push_back(sample_place(grid, at, sample));
    }
  }
  for (std::size_t begin = 0; begin < needed.size(); begin += kWindingBatch) {
    if (stop(static_cast<double>(begin) / static_cast<double>(needed.size()))) return false;
    const std::size_t batch = std::min(kWindingBatch, needed.size() - begin);
    parallel_for(batch, kWindingsAtOnce, kNanosecondsPerWinding, [&](std::size_t from, std::size_t to) {
      double windings[kWindingsAtOnce];
      for (std::size_t first = begin + from; first < begin + to; first += kWindingsAtOnce) {
        const std::size_t count = std::min(kWindingsAtOnce, begin + to - first);
        surface.winding_numbers({&places[first], count}, windings);
        for (std::size_t k = 0; k < count; ++k)
          windings_[needed[first + k]] = static_cast<float>(windings[k]);
      }
    });
  }
  return true;
}

CellParts find_parts(const SolidSurface& surface, const CellGrid& grid, const CellSamples& windings,
                     std::size_t cell) {
  static const std::vector<std::pair<int, int>> segments = make_segments();
  const auto at = grid.at(cell);
  const HalfBox box = grid.box(at);
  const std::span<const std::uint32_t> triangles = grid.triangles(cell);
  // Items: 27 samples, then the triangles.
  UnionFind items(27 + triangles.size());
  join_patches(surface, triangles, box, &items);

  CellView view(surface, triangles);
  Walk walk;
  double winding[27];
  Point places[27];
  for (int i = 0; i < 27; ++i) {
    winding[i] = windings.winding(at, i);
    places[i] = sample_place(grid, at, i);
  }
  const auto join_met = [&](std::int32_t item) {
    for (const std::uint32_t local : walk.met) items.join(item, static_cast<std::int32_t>(27 + local));
  };
  for (const auto& [from, to] : segments) {
    const bool from_inside = winding[from] > kInsideAbove, to_inside = winding[to] > kInsideAbove;
    if (from_inside) {
      view.walk(places[from], winding[from], places[to], &walk);
      join_met(from);
      if (to_inside && walk.stays_inside) items.join(from, to);
    }
    if (to_inside && !(from_inside && walk.stays_inside)) {
      view.walk(places[to], winding[to], places[from], &walk);
      join_met(to);
    }
  }

  // Patches are tested on both sides of their largest triangles.
  struct View {
    double area;
    std::uint32_t local;
    Point from;
  };
  std::map<std::int32_t, std::vector<View>> patches;
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    if (!surface.is_boundary(triangles[i])) continue;
    const ClippedPart part = clip(surface.triangle(triangles[i]), box);
    patches[items.root(static_cast<std::int32_t>(27 + i))].push_back({part.area, i, part.middle});
  }
  for (auto& [root, views] : patches) {
    if (root < 27) continue;  // joined with a sample
    const std::size_t count = std::min(kViews, views.size());
    std::partial_sort(
        views.begin(), views.begin() + static_cast<std::ptrdiff_t>(count), views.end(),
        [](const View& a, const View& b) { return std::tie(b.area, a.local) < std::tie(a.area, b.local); });
    Point from[2 * kViews], inwards[2 * kViews];
    double own[2 * kViews];
    std::size_t side_count = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Point normal = normal_of(surface.triangle(triangles[views[i].local]));
      for (const double side : {-1.0, 1.0}) {
        inwards[side_count] = side * grid.cell() * normal;
        from[side_count] = views[i].from + kOffset * inwards[side_count];
        side_count += view.is_clear(views[i].from, from[side_count]);
      }
    }
    surface.winding_numbers({from, side_count}, own);
    for (std::size_t i = 0; i < side_count; ++i) {
      if (own[i] <= kInsideAbove) continue;
      bool is_visible = false;
      for (int sample = 0; sample < 27; ++sample) {
        if (winding[sample] <= kInsideAbove) continue;
        view.walk(from[i], own[i], places[sample], &walk);
        if (!walk.stays_inside) continue;
        items.join(root, sample);
        is_visible = true;
      }
      if (is_visible) continue;
      view.walk(from[i], own[i], from[i] + 2 * inwards[i], &walk);
      join_met(root);
    }
  }

  CellParts parts;
  std::map<std::int32_t, std::int32_t> numbers;
  const auto number = [&](std::int32_t item) {
    return numbers.try_emplace(items.root(item), static_cast<std::int32_t>(numbers.size())).first->second;
  };
  for (int i = 0; i < 27; ++i) {
    parts.samples[i] = winding[i] > kInsideAbove ? static_cast<std::int8_t>(number(i)) : std::int8_t{-1};
  }
  parts.patches.resize(triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i)
    parts.patches[i] = number(static_cast<std::int32_t>(27 + i));
  parts.count = static_cast<std::int32_t>(numbers.size());
  return parts;
}

std::int32_t CellParts::part_at(const SolidSurface& surface, const CellGrid& grid, std::size_t cell,
                                const Point& point, double winding) const {
  const auto at = grid.at(cell);
  const auto triangles = grid.triangles(cell);
  CellView view(surface, triangles);
  Walk walk;
  // The nearest visible sample.
  std::int32_t best = -1;
  double nearest = std::numeric_limits<double>::infinity();
  for (int sample = 0; sample < 27; ++sample) {
    const double distance = norm(sample_place(grid, at, sample) - point);
    if (samples[sample] < 0 || distance >= nearest) continue;
    view.walk(point, winding, sample_place(grid, at, sample), &walk);
    if (!walk.stays_inside) continue;
    best = samples[sample];
    nearest = distance;
  }
  if (best >= 0) return best;
  // Else the first visible patch.
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      Point end = point;
      end[axis] += side * 2 * grid.cell();
      view.walk(point, winding, end, &walk);
      if (!walk.met.empty()) return patches[walk.met.front()];
    }
  }
  return -1;
}

}  // namespace lissom
