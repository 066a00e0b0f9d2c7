// SPDX-License-Identifier: MIT
#include "core/volume/tet_operator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "box_tets.h"

namespace lissom {
namespace {

constexpr double kRounding = 1e-12;  // of the largest entry of what is compared

std::vector<double> times(const SparseMatrix& matrix, const std::vector<double>& x) {
  std::vector<double> result(matrix.row_count(), 0.0);
  for (std::size_t row = 0; row < matrix.row_count(); ++row) {
    for (std::size_t e = matrix.starts[row]; e < matrix.starts[row + 1]; ++e)
      result[row] += matrix.values[e] * x[matrix.columns[e]];
  }
  return result;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

void expect_symmetric_and_sorted(const SparseMatrix& matrix) {
  std::map<std::pair<std::int32_t, std::int32_t>, double> entries;
  for (std::size_t row = 0; row < matrix.row_count(); ++row) {
    for (std::size_t e = matrix.starts[row]; e < matrix.starts[row + 1]; ++e) {
      if (e > matrix.starts[row]) {
        ASSERT_LT(matrix.columns[e - 1], matrix.columns[e]);
      }
      entries[{static_cast<std::int32_t>(row), matrix.columns[e]}] = matrix.values[e];
    }
  }
  const double slack = kRounding * largest(matrix.values);
  for (const auto& [place, value] : entries) {
    const auto mirrored = entries.find({place.second, place.first});
    ASSERT_NE(mirrored, entries.end());
    ASSERT_NEAR(mirrored->second, value, slack);
  }
}

SparseMatrix bilaplacian(const TetOperator& op) {
  std::vector<std::int32_t> rows(op.mass.size());
  std::iota(rows.begin(), rows.end(), 0);
  return bilaplacian_rows(op, rows);
}

std::vector<double> coordinates(const TetOperator& op, int axis) {
  std::vector<double> along;
  for (const Point& point : op.points) along.push_back(point[axis]);
  return along;
}

TEST(TetOperator, KnowsTheCornerOfACube) {
  // Gradients (-1, -1, -1) and the axes, volume 1/6; then lengths in units of the diagonal.
  const std::vector<double> nodes = {5, 5, 5, 7, 5, 5, 5, 7, 5, 5, 5, 7};
  const std::vector<std::int32_t> tets = {0, 1, 2, 3};
  const TetOperator op = TetOperator::make(nodes, tets);
  const double unit = 1 / std::sqrt(3.0);
  const std::vector<std::vector<double>> want = {{3 * unit / 6, -unit / 6, -unit / 6, -unit / 6},
                                                 {-unit / 6, unit / 6},
                                                 {-unit / 6, unit / 6},
                                                 {-unit / 6, unit / 6}};
  const std::vector<std::vector<std::int32_t>> columns = {{0, 1, 2, 3}, {0, 1}, {0, 2}, {0, 3}};
  for (std::size_t row = 0; row < 4; ++row) {
    ASSERT_EQ(op.stiffness.starts[row + 1] - op.stiffness.starts[row], want[row].size()) << row;
    for (std::size_t i = 0; i < want[row].size(); ++i) {
      EXPECT_EQ(op.stiffness.columns[op.stiffness.starts[row] + i], columns[row][i]);
      EXPECT_NEAR(op.stiffness.values[op.stiffness.starts[row] + i], want[row][i], 1e-15);
    }
    EXPECT_NEAR(op.mass[row], unit * unit * unit / 24, 1e-16);
  }
  EXPECT_NEAR(op.length(0, 1), unit, 1e-15);
}

TEST(TetOperator, IsSymmetricAndKeepsConstantsAndLinears) {
  const BoxTets box(5, 4, 6, 0.2);
  const TetOperator op = TetOperator::make(box.nodes, box.tets);
  EXPECT_EQ(op.flat_count, 0u);
  expect_symmetric_and_sorted(op.stiffness);
  const double most = largest(op.stiffness.values);
  EXPECT_LE(largest(times(op.stiffness, std::vector<double>(box.node_count(), 1.0))), kRounding * most);
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<double> bent = times(op.stiffness, coordinates(op, axis));
    double inner = 0;
    for (std::size_t i = 0; i < bent.size(); ++i) {
      if (box.is_inner(static_cast<std::int32_t>(i), 1)) inner = std::max(inner, std::abs(bent[i]));
    }
    EXPECT_LE(inner, kRounding * most);
    EXPECT_GT(largest(bent), 1e-3 * most);  // at the border something pulls
  }
}

TEST(TetOperator, MeasuresTheEnergyOfLinearFunctions) {
  const BoxTets box(4, 4, 4);
  const TetOperator op = TetOperator::make(box.nodes, box.tets);
  const double volume = std::pow(3.0, -1.5);  // a cube whose diagonal is 1
  EXPECT_NEAR(std::accumulate(op.mass.begin(), op.mass.end(), 0.0), volume, 1e-14);
  std::vector<double> slope(box.node_count());
  for (std::size_t i = 0; i < slope.size(); ++i)
    slope[i] = 2 * op.points[i][0] - op.points[i][1] + 3 * op.points[i][2] + 5;
  const std::vector<double> pull = times(op.stiffness, slope);
  double energy = 0;
  for (std::size_t i = 0; i < slope.size(); ++i) energy += slope[i] * pull[i];
  EXPECT_NEAR(energy, (4 + 1 + 9) * volume, 1e-12);
}

TEST(TetOperator, IsPositiveSemiDefinite) {
  const BoxTets box(3, 3, 3, 0.25);
  const TetOperator op = TetOperator::make(box.nodes, box.tets);
  std::mt19937 random(4);
  std::normal_distribution<double> value;
  std::vector<double> x(box.node_count());
  for (int round = 0; round < 50; ++round) {
    for (double& along : x) along = value(random);
    const std::vector<double> pull = times(op.stiffness, x);
    EXPECT_GT(std::inner_product(x.begin(), x.end(), pull.begin(), 0.0), 0);
  }
}

TEST(TetOperator, DoesNotMindPlaceScaleAndOrientation) {
  const BoxTets box(3, 2, 4, 0.2);
  const TetOperator op = TetOperator::make(box.nodes, box.tets);
  std::vector<double> moved = box.nodes;
  for (double& along : moved) along = 4096 * along;
  EXPECT_EQ(TetOperator::make(moved, box.tets).stiffness.values,
            op.stiffness.values);  // exact, by a power of two
  std::vector<std::int32_t> turned = box.tets;
  for (std::size_t t = 0; t < turned.size(); t += 8) std::swap(turned[t], turned[t + 1]);  // every second one
  for (double& along : moved) along += 512;
  const TetOperator other = TetOperator::make(moved, turned);
  ASSERT_EQ(other.stiffness.columns, op.stiffness.columns);
  const double slack = kRounding * largest(op.stiffness.values);
  for (std::size_t e = 0; e < op.stiffness.values.size(); ++e)
    ASSERT_NEAR(other.stiffness.values[e], op.stiffness.values[e], slack);
  for (std::size_t i = 0; i < op.mass.size(); ++i) ASSERT_NEAR(other.mass[i], op.mass[i], kRounding);
}

TEST(TetOperator, LeavesOutWhatIsFlatAndNumbersComponents) {
  // Node 0 is alone; 1 to 4 and 5 to 8 are tetrahedra; the last one is flat, and joins nothing.
  std::vector<double> nodes = {9, 9, 9};
  for (const double x : {0.0, 3.0}) nodes.insert(nodes.end(), {x, 0, 0, x + 1, 0, 0, x, 1, 0, x, 0, 1});
  const std::vector<std::int32_t> tets = {5, 6, 7, 8, 1, 2, 3, 4, 1, 2, 5, 6};
  const TetOperator op = TetOperator::make(nodes, tets);
  EXPECT_EQ(op.flat_count, 1u);
  EXPECT_EQ(op.component_count, 3);
  EXPECT_EQ(op.components, (std::vector<std::int32_t>{0, 1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(op.mass[0], 0);
  EXPECT_EQ(op.stiffness.starts[1], 1u);  // its diagonal
  EXPECT_EQ(op.stiffness.values[0], 0);
}

TEST(Bilaplacian, IsSymmetricAndKeepsConstantsAndLinears) {
  const BoxTets box(6, 5, 7, 0.2);
  const TetOperator op = TetOperator::make(box.nodes, box.tets);
  const SparseMatrix q = bilaplacian(op);
  expect_symmetric_and_sorted(q);
  const double most = largest(q.values);
  EXPECT_LE(largest(times(q, std::vector<double>(box.node_count(), 1.0))), kRounding * most);
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<double> bent = times(q, coordinates(op, axis));
    double inner = 0;
    for (std::size_t i = 0; i < bent.size(); ++i) {
      if (box.is_inner(static_cast<std::int32_t>(i), 2)) inner = std::max(inner, std::abs(bent[i]));
    }
    EXPECT_LE(inner, kRounding * most);
  }
}

TEST(Bilaplacian, IsTheSquareOfTheLaplacianByMass) {
  const BoxTets box(3, 3, 2, 0.2);
  const TetOperator op = TetOperator::make(box.nodes, box.tets);
  const std::vector<std::int32_t> rows = {0, 7, 8, 30};
  const SparseMatrix q = bilaplacian_rows(op, rows);
  ASSERT_EQ(q.row_count(), rows.size());
  std::mt19937 random(8);
  std::normal_distribution<double> value;
  std::vector<double> x(box.node_count());
  for (double& along : x) along = value(random);
  std::vector<double> middle = times(op.stiffness, x);
  for (std::size_t i = 0; i < middle.size(); ++i) middle[i] /= op.mass[i];
  const std::vector<double> want = times(op.stiffness, middle), got = times(q, x);
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_NEAR(got[i], want[static_cast<std::size_t>(rows[i])], kRounding * largest(want));
}

}  // namespace
}  // namespace lissom
