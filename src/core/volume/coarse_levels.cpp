// SPDX-License-Identifier: MIT
#include "core/volume/coarse_levels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/union_find.h"

namespace lissom {
namespace {

// A level of so few unknowns is the coarsest, or one of which less than this share would remain on the next.
constexpr std::size_t kFewest = 150;
constexpr double kLeastShrinking = 0.7;

// Of a cube's side: nodes nearer to a face of a cube are on it.
constexpr double kOnFace = 1e-5;

struct Coarse {
  SparseMatrix interpolation;  // rows of fine nodes
  std::vector<Point> points;
};

using Cube = std::array<std::int32_t, 3>;

class Coarsening {
 public:
  Coarsening(std::span<const Point> points, const SparseMatrix& graph, double side)
      : points_(points), graph_(graph), side_(side), low_(points[0]) {
    for (const Point& point : points) {
      for (int axis = 0; axis < 3; ++axis) low_[axis] = std::min(low_[axis], point[axis]);
    }
    for (const Point& point : points) {
      Cube cube;
      for (int axis = 0; axis < 3; ++axis)
        cube[axis] = static_cast<std::int32_t>(std::floor((point[axis] - low_[axis]) / side + kOnFace));
      cubes_.push_back(cube);
    }
    find_copies();
  }

  Coarse run() const {
    UnionFind corners(8 * copy_cubes_.size());
    each_edge([&](std::size_t i, std::size_t k) {
      if (copies_[i] < copies_[k]) join_corners(copies_[i], copies_[k], &corners);
    });
    Coarse coarse;
    coarse.interpolation.starts.assign(1, 0);
    std::vector<std::int32_t> numbers(8 * copy_cubes_.size(), -1);
    std::vector<std::pair<std::int32_t, double>> row;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      Point within;
      for (int axis = 0; axis < 3; ++axis) {
        const double place = (points_[i][axis] - low_[axis]) / side_ - cubes_[i][axis];
        within[axis] = place < kOnFace ? 0 : std::min(place, 1.0);
      }
      row.clear();
      for (int corner = 0; corner < 8; ++corner) {
        double share = 1;
        Point point;
        for (int axis = 0; axis < 3; ++axis) {
          const int up = corner >> axis & 1;
          share *= up ? within[axis] : 1 - within[axis];
          point[axis] = low_[axis] + side_ * (cubes_[i][axis] + up);
        }
        if (share <= 0) continue;
        std::int32_t& number = numbers[corners.root(8 * copies_[i] + corner)];
        if (number < 0) {
          number = static_cast<std::int32_t>(coarse.points.size());
          coarse.points.push_back(point);
        }
        row.emplace_back(number, share);
      }
      std::sort(row.begin(), row.end());
      for (const auto& [number, share] : row) {
        coarse.interpolation.columns.push_back(number);
        coarse.interpolation.values.push_back(share);
      }
      coarse.interpolation.starts.push_back(coarse.interpolation.columns.size());
    }
    return coarse;
  }

 private:
  template <class Function>
  void each_edge(const Function& function) const {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      for (std::size_t e = graph_.starts[i]; e < graph_.starts[i + 1]; ++e)
        function(i, static_cast<std::size_t>(graph_.columns[e]));
    }
  }

  void find_copies() {
    UnionFind parts(points_.size());
    each_edge([&](std::size_t i, std::size_t k) {
      if (cubes_[i] == cubes_[k]) parts.join(static_cast<std::int32_t>(i), static_cast<std::int32_t>(k));
    });
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto root = static_cast<std::size_t>(parts.root(static_cast<std::int32_t>(i)));
      if (root == i) {  // the lowest of its part, so numbered before the others
        copies_.push_back(static_cast<std::int32_t>(copy_cubes_.size()));
        copy_cubes_.push_back(cubes_[i]);
      } else {
        copies_.push_back(copies_[root]);
      }
    }
  }

  // Those that the cubes of both have.
  void join_corners(std::int32_t copy, std::int32_t other, UnionFind* corners) const {
    const Cube &own = copy_cubes_[copy], &its = copy_cubes_[other];
    for (int corner = 0; corner < 8; ++corner) {
      std::int32_t its_corner = 0;
      bool is_shared = true;
      for (int axis = 0; axis < 3; ++axis) {
        const std::int32_t up = own[axis] + (corner >> axis & 1) - its[axis];
        is_shared = is_shared && (up == 0 || up == 1);
        its_corner |= (up & 1) << axis;
      }
      if (is_shared) corners->join(8 * copy + corner, 8 * other + its_corner);
    }
  }

  std::span<const Point> points_;
  const SparseMatrix& graph_;
  double side_;
  Point low_;
  std::vector<Cube> cubes_;           // of nodes
  std::vector<std::int32_t> copies_;  // of nodes
  std::vector<Cube> copy_cubes_;
};

}  // namespace

void add_coarse_levels(std::span<const Point> points, double spacing, Multigrid* grid) {
  std::vector<Point> of_level(points.begin(), points.end());
  for (double side = 2 * spacing;; side *= 2) {
    const std::size_t level = grid->level_count() - 1;
    if (of_level.size() <= kFewest) return;
    Coarse coarse = Coarsening(of_level, grid->matrix(level), side).run();
    if (static_cast<double>(coarse.points.size()) > kLeastShrinking * static_cast<double>(of_level.size()))
      return;
    of_level = std::move(coarse.points);
    grid->coarsen(std::move(coarse.interpolation), of_level.size());
  }
}

}  // namespace lissom
