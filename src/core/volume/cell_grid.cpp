// SPDX-License-Identifier: MIT
#include "core/volume/cell_grid.h"

#include <algorithm>
#include <numeric>

#include "core/parallel/thread_pool.h"

namespace lissom {
namespace {

// Calls visit(index of cell) for each cube that a triangle passes through.
template <class Visit>
void visit_cells(const CellGrid& grid, const Triangle& triangle, const Visit& visit) {
  Point low = triangle.corners[0], high = low;
  for (const Point& corner : triangle.corners) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], corner[axis]);
      high[axis] = std::max(high[axis], corner[axis]);
    }
  }
  // A little larger, for triangles in the face between two cubes.
  const double slack = 1e-9 * grid.cell();
  const auto first = grid.cell_of(low - Point{{slack, slack, slack}});
  const auto last = grid.cell_of(high + Point{{slack, slack, slack}});
  for (std::int32_t z = first[2]; z <= last[2]; ++z) {
    for (std::int32_t y = first[1]; y <= last[1]; ++y) {
      for (std::int32_t x = first[0]; x <= last[0]; ++x) {
        if (meets(triangle, grid.box({x, y, z}))) visit(grid.index({x, y, z}));
      }
    }
  }
}

}  // namespace

CellGrid::CellGrid(const SolidSurface& surface, double cell) : counts_{}, cell_(cell) {
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = 2 * surface.half()[axis] / cell + kGridMargin;
    counts_[axis] = static_cast<std::int32_t>(std::clamp(std::ceil(cells), 1.0, 1e6));
  }
}

std::size_t CellGrid::cell_count() const {
  return std::size_t(counts_[0]) * std::size_t(counts_[1]) * std::size_t(counts_[2]);
}

std::size_t CellGrid::index(const std::array<std::int32_t, 3>& at) const {
  return (std::size_t(at[2]) * counts_[1] + at[1]) * counts_[0] + at[0];
}

std::array<std::int32_t, 3> CellGrid::at(std::size_t index) const {
  const std::size_t nx = counts_[0], ny = counts_[1];
  return {static_cast<std::int32_t>(index % nx), static_cast<std::int32_t>(index / nx % ny),
          static_cast<std::int32_t>(index / nx / ny)};
}

Point CellGrid::place(double x, double y, double z) const {
  return {{(x - 0.5 * counts_[0]) * cell_, (y - 0.5 * counts_[1]) * cell_, (z - 0.5 * counts_[2]) * cell_}};
}

HalfBox CellGrid::box(const std::array<std::int32_t, 3>& at) const {
  return {place(at[0] + 0.5, at[1] + 0.5, at[2] + 0.5), {{0.5 * cell_, 0.5 * cell_, 0.5 * cell_}}};
}

std::array<std::int32_t, 3> CellGrid::cell_of(const Point& point) const {
  std::array<std::int32_t, 3> at;
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = std::floor(point[axis] / cell_ + 0.5 * counts_[axis]);
    at[axis] = static_cast<std::int32_t>(std::clamp(cells, 0.0, counts_[axis] - 1.0));
  }
  return at;
}

bool CellGrid::holds(const Point& point) const {
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(point[axis]) > 0.5 * counts_[axis] * cell_) return false;
  }
  return true;
}

std::span<const std::uint32_t> CellGrid::triangles(std::size_t index) const {
  return std::span(triangles_).subspan(starts_[index], starts_[index + 1] - starts_[index]);
}

// A cube before this one that has a face with it and that, as this one, nothing passes through; or this one.
std::size_t CellGrid::alike_before(std::size_t index) const {
  const auto place = at(index);
  const std::size_t steps[3] = {1, std::size_t(counts_[0]),
                                std::size_t(counts_[0]) * std::size_t(counts_[1])};
  for (int axis = 0; axis < 3; ++axis) {
    const std::size_t before = index - steps[axis];
    if (place[axis] > 0 && starts_[before] == starts_[before + 1]) return before;
  }
  return index;
}

void CellGrid::classify_by_windings(const SolidSurface& surface, std::span<const std::size_t> cells) {
  Point middles[kWindingsAtOnce];
  double windings[kWindingsAtOnce];
  for (std::size_t begin = 0; begin < cells.size(); begin += kWindingsAtOnce) {
    const std::size_t count = std::min(kWindingsAtOnce, cells.size() - begin);
    for (std::size_t k = 0; k < count; ++k) middles[k] = box(at(cells[begin + k])).center;
    surface.winding_numbers({middles, count}, windings);
    for (std::size_t k = 0; k < count; ++k) {
      if (windings[k] > kInsideAbove) kinds_[cells[begin + k]] = kInside;
    }
  }
}

bool CellGrid::classify(const SolidSurface& surface, const Stop& stop) {
  const std::size_t count = cell_count();
  kinds_.assign(count, kOutside);
  starts_.assign(count + 1, 0);
  for (std::size_t f = 0; f < surface.triangle_count(); ++f) {
    if (f % 256 == 0 && stop(0.2 * static_cast<double>(f) / static_cast<double>(surface.triangle_count())))
      return false;
    visit_cells(*this, surface.triangle(f), [&](std::size_t cell) { ++starts_[cell + 1]; });
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  triangles_.resize(starts_.back());
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::uint32_t f = 0; f < surface.triangle_count(); ++f) {
    if (f % 256 == 0 && stop(0.2 + 0.2 * f / static_cast<double>(surface.triangle_count()))) return false;
    visit_cells(*this, surface.triangle(f), [&](std::size_t cell) { triangles_[next[cell]++] = f; });
  }
  // Of a closed surface, cubes that have a face in common and that nothing passes through are alike.
  const bool spreads = surface.is_closed();
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < count; ++i) {
    if (starts_[i] != starts_[i + 1]) {
      kinds_[i] = kCrossed;
    } else if (!spreads || alike_before(i) == i) {
      asked.push_back(i);
    }
  }
  for (std::size_t begin = 0; begin < asked.size(); begin += kWindingBatch) {
    if (stop(0.4 + 0.6 * static_cast<double>(begin) / static_cast<double>(asked.size()))) return false;
    const std::size_t batch = std::min(kWindingBatch, asked.size() - begin);
    parallel_for(batch, kWindingsAtOnce, kNanosecondsPerWinding, [&](std::size_t from, std::size_t to) {
      classify_by_windings(surface, std::span(asked).subspan(begin + from, to - from));
    });
  }
  for (std::size_t i = 0; i < count && spreads; ++i) {
    if (kinds_[i] != kCrossed) kinds_[i] = kinds_[alike_before(i)];
  }
  crossed_count_ = static_cast<std::size_t>(std::count(kinds_.begin(), kinds_.end(), kCrossed));
  inside_count_ = static_cast<std::size_t>(std::count(kinds_.begin(), kinds_.end(), kInside));
  return true;
}

}  // namespace lissom
