// SPDX-License-Identifier: MIT
#include "core/volume/lattice.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/parallel/thread_pool.h"
#include "core/progress.h"
#include "core/union_find.h"

namespace lissom {
namespace {

constexpr double kNanosecondsPerCell = 20000;
constexpr std::size_t kStretch = 1 << 12;
// Shares of the whole time, measured on characters of 10 000 triangles.
constexpr double kClassified = 0.3, kSampled = 0.6;

}  // namespace

Error Lattice::make(SolidSurface surface, double cell, const Stop& progress, Lattice* lattice) {
  if (!(cell > 0) || !std::isfinite(cell)) return Error("cell_size must be above zero and finite");
  Lattice made;
  made.surface_ = std::move(surface);
  made.grid_.emplace(made.surface_, cell);
  if (!made.build(progress)) return Error(kStopped);
  *lattice = std::move(made);
  return {};
}

bool Lattice::build(const Stop& progress) {
  const auto part = [&](double from, double to) {
    return [&progress, from, to](double done) { return progress(from + (to - from) * done); };
  };
  if (!grid_->classify(surface_, part(0, kClassified))) return false;
  samples_.emplace(*grid_);
  if (!samples_->evaluate(surface_, *grid_, part(kClassified, kSampled))) return false;
  if (!find_all_parts(part(kSampled, 1))) return false;
  number_copies();
  glue();
  place_vertices();
  samples_.reset();
  return !progress(1);
}

bool Lattice::find_all_parts(const Stop& progress) {
  std::vector<std::size_t> crossed;
  part_index_.assign(grid_->cell_count(), -1);
  for (std::size_t cell = 0; cell < grid_->cell_count(); ++cell) {
    if (grid_->kind(cell) != CellGrid::kCrossed) continue;
    part_index_[cell] = static_cast<std::int32_t>(crossed.size());
    crossed.push_back(cell);
  }
  parts_.resize(crossed.size());
  for (std::size_t begin = 0; begin < crossed.size(); begin += kStretch) {
    if (progress(static_cast<double>(begin) / static_cast<double>(crossed.size()))) return false;
    const std::size_t stretch = std::min(kStretch, crossed.size() - begin);
    parallel_for(stretch, 16, kNanosecondsPerCell, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = begin + from; i < begin + to; ++i) {
        parts_[i] = find_parts(surface_, *grid_, *samples_, crossed[i]);
      }
    });
  }
  return true;
}

void Lattice::number_copies() {
  first_copy_.assign(grid_->cell_count(), -1);
  for (std::size_t cell = 0; cell < grid_->cell_count(); ++cell) {
    if (grid_->kind(cell) == CellGrid::kOutside) continue;
    const std::int32_t count = part_index_[cell] < 0 ? 1 : parts_[part_index_[cell]].count;
    first_copy_[cell] = static_cast<std::int32_t>(copy_cells_.size());
    copy_cells_.insert(copy_cells_.end(), static_cast<std::size_t>(count), cell);
  }
}

std::int32_t Lattice::copy_of_triangle(std::size_t cell, std::size_t triangle) const {
  const auto list = grid_->triangles(cell);
  const auto found = std::lower_bound(list.begin(), list.end(), triangle);
  if (found == list.end() || *found != triangle) return -1;
  return first_copy_[cell] + parts_[part_index_[cell]].patches[found - list.begin()];
}

void Lattice::glue() {
  UnionFind corners(8 * copy_cells_.size());
  const int steps[3] = {1, 3, 9};
  for (std::size_t cell = 0; cell < grid_->cell_count(); ++cell) {
    if (first_copy_[cell] < 0) continue;
    for (int axis = 0; axis < 3; ++axis) {
      auto next_at = grid_->at(cell);
      if (++next_at[axis] == grid_->counts()[axis]) continue;
      const std::size_t next = grid_->index(next_at);
      if (first_copy_[next] < 0) continue;
      const auto join = [&](std::int32_t copy, std::int32_t next_copy) {
        for (int corner = 0; corner < 8; ++corner) {
          if (corner >> axis & 1) corners.join(8 * copy + corner, 8 * next_copy + (corner ^ (1 << axis)));
        }
      };
      const CellParts* parts = part_index_[cell] < 0 ? nullptr : &parts_[part_index_[cell]];
      const CellParts* next_parts = part_index_[next] < 0 ? nullptr : &parts_[part_index_[next]];
      if (!parts && !next_parts) {
        join(first_copy_[cell], first_copy_[next]);
        continue;
      }
      // Where a sample in the face between them is inside.
      for (int sample = 0; sample < 27; ++sample) {
        if (sample / steps[axis] % 3 != 2) continue;
        const int own = parts ? parts->samples[sample] : 0;
        const int other = next_parts ? next_parts->samples[sample - 2 * steps[axis]] : 0;
        if (own >= 0 && other >= 0) join(first_copy_[cell] + own, first_copy_[next] + other);
      }
      // Where a triangle passes through the face.
      if (!parts || !next_parts) continue;
      const auto list = grid_->triangles(cell), next_list = grid_->triangles(next);
      for (std::size_t i = 0, k = 0; i < list.size() && k < next_list.size();) {
        if (list[i] == next_list[k]) {
          join(first_copy_[cell] + parts->patches[i], first_copy_[next] + next_parts->patches[k]);
          ++i;
          ++k;
        } else if (list[i] < next_list[k]) {
          ++i;
        } else {
          ++k;
        }
      }
    }
  }

  copy_nodes_.resize(copy_cells_.size());
  std::vector<std::int32_t> numbers(8 * copy_cells_.size(), -1);
  for (std::size_t copy = 0; copy < copy_cells_.size(); ++copy) {
    for (int corner = 0; corner < 8; ++corner) {
      std::int32_t& number = numbers[corners.root(static_cast<std::int32_t>(8 * copy + corner))];
      if (number < 0) {
        number = static_cast<std::int32_t>(nodes_.size());
        const auto at = grid_->at(copy_cells_[copy]);
        nodes_.push_back({at[0] + (corner & 1), at[1] + (corner >> 1 & 1), at[2] + (corner >> 2)});
      }
      copy_nodes_[copy][corner] = number;
    }
  }
}

std::vector<Point> Lattice::node_positions() const {
  std::vector<Point> positions;
  positions.reserve(nodes_.size());
  for (const auto& at : nodes_) positions.push_back(surface_.to_model(grid_->place(at[0], at[1], at[2])));
  return positions;
}

std::vector<std::array<std::int32_t, 3>> Lattice::copy_cubes() const {
  std::vector<std::array<std::int32_t, 3>> cubes;
  cubes.reserve(copy_cells_.size());
  for (const std::size_t cell : copy_cells_) cubes.push_back(grid_->at(cell));
  return cubes;
}

std::vector<std::int32_t> Lattice::components() const {
  UnionFind joined(nodes_.size());
  for (const auto& nodes : copy_nodes_) {
    for (const std::int32_t node : nodes) joined.join(nodes[0], node);
  }
  std::vector<std::int32_t> result(nodes_.size());
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    result[node] = joined.root(static_cast<std::int32_t>(node));
  return result;
}

void Lattice::place_vertices() {
  vertex_copies_.assign(surface_.vertex_count(), -1);
  for (std::size_t f = 0; f < surface_.triangle_count(); ++f) {
    for (const std::uint32_t vertex : surface_.corners(f)) {
      if (vertex_copies_[vertex] >= 0) continue;
      vertex_copies_[vertex] = copy_of_triangle(grid_->index(grid_->cell_of(surface_.point(vertex))), f);
    }
  }
}

std::vector<std::array<std::int32_t, 2>> Lattice::copies_of_triangles(std::size_t first) const {
  std::vector<std::array<std::int32_t, 2>> found;
  for (std::size_t cell = 0; cell < grid_->cell_count(); ++cell) {
    if (part_index_[cell] < 0) continue;
    const auto list = grid_->triangles(cell);
    const CellParts& parts = parts_[part_index_[cell]];
    for (std::size_t i = list.size(); i-- > 0 && list[i] >= first;)
      found.push_back({first_copy_[cell] + parts.patches[i], static_cast<std::int32_t>(list[i] - first)});
  }
  return found;
}

Lattice::Place Lattice::locate(const Point& point) const {
  double winding = 0;
  surface_.winding_numbers({&point, 1}, {&winding, 1});
  return locate(point, winding);
}

Lattice::Place Lattice::locate(const Point& point, double winding) const {
  Place place;
  place.point = point;
  place.is_inside = winding > kInsideAbove;
  const auto at = grid_->cell_of(point);
  const std::size_t cell = grid_->index(at);
  const bool is_held = grid_->holds(point);
  if (is_held && place.is_inside && first_copy_[cell] >= 0) {
    if (part_index_[cell] < 0) {
      place.copy = first_copy_[cell];
      return place;
    }
    const CellParts& parts = parts_[part_index_[cell]];
    const std::int32_t part = parts.part_at(surface_, *grid_, cell, point, winding);
    if (part >= 0) {
      place.copy = first_copy_[cell] + part;
      return place;
    }
  }
  const SolidSurface::Nearest nearest = surface_.nearest(point);
  if (!place.is_inside) place.distance = nearest.distance;
  // The cube's own copy of the surface's nearest part, if that passes through it.
  if (is_held && part_index_[cell] >= 0) {
    place.copy = copy_of_triangle(cell, nearest.triangle);
    if (place.copy >= 0) return place;
  }
  place.point = nearest.place;
  place.copy = copy_of_triangle(grid_->index(grid_->cell_of(nearest.place)), nearest.triangle);
  return place;
}

}  // namespace lissom
