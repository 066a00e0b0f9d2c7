// SPDX-License-Identifier: MIT
#include "core/volume/tet_operator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/linear_algebra/sparse_row.h"
#include "core/union_find.h"

namespace lissom {
namespace {

// An entry below this part of the geometric mean of its two diagonals is rounding.
constexpr double kLeastEntry = 1e-13;

std::vector<Point> in_unit_box(std::span<const double> nodes) {
  Point low{{HUGE_VAL, HUGE_VAL, HUGE_VAL}}, high{{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int axis = static_cast<int>(i % 3);
    low[axis] = std::min(low[axis], nodes[i]);
    high[axis] = std::max(high[axis], nodes[i]);
  }
  const Point extent = high - low;
  // Divided by the largest side first: squares of very large or small sides would leave the range of a double.
  const double side = std::max({extent[0], extent[1], extent[2]});
  const double diagonal = norm({{extent[0] / side, extent[1] / side, extent[2] / side}});
  std::vector<Point> unit(nodes.size() / 3);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int axis = static_cast<int>(i % 3);
    unit[i / 3][axis] = (nodes[i] - low[axis]) / side / diagonal;
  }
  return unit;
}

// Which of a tetrahedron's six edges, 01 02 03 12 13 23, joins two of its corners.
constexpr int kEdges[4][4] = {{-1, 0, 1, 2}, {0, -1, 3, 4}, {1, 3, -1, 5}, {2, 4, 5, -1}};

}  // namespace

TetOperator TetOperator::make(std::span<const double> nodes, std::span<const std::int32_t> tets) {
  TetOperator op;
  const std::size_t node_count = nodes.size() / 3, tet_count = tets.size() / 4;
  op.points = in_unit_box(nodes);
  const std::vector<Point>& points = op.points;
  op.mass.assign(node_count, 0.0);
  UnionFind joined(node_count);

  // Six edges of each tetrahedron, and the tetrahedra of each node.
  std::vector<std::array<double, 6>> edges(tet_count);
  std::vector<char> is_flat(tet_count, 0);
  std::vector<std::size_t> ends(node_count + 1, 0);
  for (std::size_t t = 0; t < tet_count; ++t) {
    const std::int32_t* corner = &tets[4 * t];
    const Point &p0 = points[corner[0]], &p1 = points[corner[1]], &p2 = points[corner[2]],
                &p3 = points[corner[3]];
    const Point a = p1 - p0, b = p2 - p0, c = p3 - p0;
    const double volume = std::abs(dot(a, cross(b, c))) / 6;
    const Point ab = p2 - p1, ac = p3 - p1, bc = p3 - p2;
    const double longest =
        std::sqrt(std::max({dot(a, a), dot(b, b), dot(c, c), dot(ab, ab), dot(ac, ac), dot(bc, bc)}));
    // Not `<`: a volume of rounding alone may be computed as zero or NaN.
    if (!(volume > kLeastVolume * longest * longest * longest)) {
      is_flat[t] = 1;
      ++op.flat_count;
      continue;
    }
    // Twice the area normals of the faces opposite to each corner; grad_i = n_i / (6 volume), and its sign is the
    // same for all four.
    const std::array<Point, 4> normals = {cross(ac, ab), cross(b, c), cross(c, a), cross(a, b)};
    int edge = 0;
    for (int i = 0; i < 4; ++i) {
      op.mass[corner[i]] += volume / 4;
      for (int j = i + 1; j < 4; ++j) edges[t][edge++] = dot(normals[i], normals[j]) / (36 * volume);
      ++ends[corner[i] + 1];
      joined.join(corner[0], corner[i]);
    }
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::int32_t> tets_of(ends.back());
  std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
  for (std::size_t t = 0; t < tet_count; ++t) {
    if (is_flat[t]) continue;
    for (std::size_t i = 0; i < 4; ++i) tets_of[next[tets[4 * t + i]]++] = static_cast<std::int32_t>(t);
  }

  // Off the diagonal; that is what makes the row's sum 0.
  SparseMatrix sums;
  sums.starts.assign(1, 0);
  SparseRow sum(node_count);
  std::vector<double> diagonals(node_count, 0.0);
  for (std::size_t row = 0; row < node_count; ++row) {
    for (std::size_t k = ends[row]; k < ends[row + 1]; ++k) {
      const auto t = static_cast<std::size_t>(tets_of[k]);
      const std::int32_t* corner = &tets[4 * t];
      const auto own = std::find(corner, corner + 4, static_cast<std::int32_t>(row)) - corner;
      for (int i = 0; i < 4; ++i) {
        if (i != own) sum.add(corner[i], edges[t][kEdges[own][i]]);
      }
    }
    sum.append_to(&sums);
    for (std::size_t e = sums.starts[row]; e < sums.starts[row + 1]; ++e) diagonals[row] -= sums.values[e];
  }
  SparseMatrix& rows = op.stiffness;
  rows.starts.assign(1, 0);
  for (std::size_t row = 0; row < node_count; ++row) {
    std::size_t diagonal_at = rows.columns.size();
    double diagonal = 0;
    rows.columns.push_back(static_cast<std::int32_t>(row));
    rows.values.push_back(0);
    for (std::size_t e = sums.starts[row]; e < sums.starts[row + 1]; ++e) {
      const double value = sums.values[e];
      const double scale = std::sqrt(diagonals[row] * diagonals[sums.columns[e]]);
      if (std::abs(value) <= kLeastEntry * scale) continue;
      diagonal -= value;
      rows.columns.push_back(sums.columns[e]);
      rows.values.push_back(value);
    }
    rows.values[diagonal_at] = diagonal;
    // Moves the diagonal to its place among the ascending columns.
    while (diagonal_at + 1 < rows.columns.size() &&
           rows.columns[diagonal_at + 1] < static_cast<std::int32_t>(row)) {
      std::swap(rows.columns[diagonal_at], rows.columns[diagonal_at + 1]);
      std::swap(rows.values[diagonal_at], rows.values[diagonal_at + 1]);
      ++diagonal_at;
    }
    rows.starts.push_back(rows.columns.size());
  }

  op.components.resize(node_count);
  for (std::size_t i = 0; i < node_count; ++i) {
    const auto node = static_cast<std::int32_t>(i);
    const std::int32_t root = joined.root(node);  // the lowest of its set, so numbered before
    op.components[i] = root == node ? op.component_count++ : op.components[root];
  }
  return op;
}

double TetOperator::length(std::int32_t a, std::int32_t b) const { return norm(points[a] - points[b]); }

SparseMatrix bilaplacian_rows(const TetOperator& op, std::span<const std::int32_t> rows) {
  const SparseMatrix& laplacian = op.stiffness;
  SparseMatrix result;
  result.starts.assign(1, 0);
  SparseRow sum(laplacian.row_count());
  for (const std::int32_t row : rows) {
    for (std::size_t i = laplacian.starts[row]; i < laplacian.starts[row + 1]; ++i) {
      const std::int32_t middle = laplacian.columns[i];
      sum.add(laplacian.values[i] / op.mass[middle], laplacian, middle);
    }
    sum.append_to(&result);
  }
  return result;
}

}  // namespace lissom
