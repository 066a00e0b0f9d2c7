// SPDX-License-Identifier: MIT
#include "core/linear_algebra/cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "core/linear_algebra/cholesky_kernels.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {
namespace {

using EigenMatrix = Eigen::SparseMatrix<double>;

// Rounding of a solve, of the largest entry of the solution: matrices here have conditions below 1e5.
constexpr double kSolveError = 1e-11;

SparseMatrix from_eigen(const EigenMatrix& matrix) {
  SparseMatrix rows;
  rows.starts.assign(1, 0);
  for (Eigen::Index column = 0; column < matrix.cols(); ++column) {  // symmetric: columns are rows
    for (EigenMatrix::InnerIterator it(matrix, column); it; ++it) {
      rows.columns.push_back(static_cast<std::int32_t>(it.row()));
      rows.values.push_back(it.value());
    }
    rows.starts.push_back(rows.columns.size());
  }
  return rows;
}

// So many random entries on either side of the diagonal, which outweighs them.
EigenMatrix random_matrix(int size, int entry_count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::uniform_int_distribution<int> row(0, size - 1);
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> diagonal(static_cast<std::size_t>(size), 0.1);
  for (int i = 0; i < entry_count; ++i) {
    const int a = row(random), b = row(random);
    if (a == b) continue;
    const double entry = value(random);
    entries.emplace_back(a, b, entry);
    entries.emplace_back(b, a, entry);
    diagonal[static_cast<std::size_t>(a)] += std::abs(entry);
    diagonal[static_cast<std::size_t>(b)] += std::abs(entry);
  }
  for (int i = 0; i < size; ++i) entries.emplace_back(i, i, diagonal[static_cast<std::size_t>(i)]);
  EigenMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// The square of the Laplacian of a grid of points with a side of `side`, plus one: fronts as those of weights, the
// widest of them wider than kFrontBlock.
EigenMatrix lattice_matrix(int side) {
  const int size = side * side * side;
  std::vector<Eigen::Triplet<double>> entries;
  const auto index = [&](int x, int y, int z) { return (z * side + y) * side + x; };
  const auto join = [&](int a, int b) {
    entries.emplace_back(a, b, -1);
    entries.emplace_back(b, a, -1);
    entries.emplace_back(a, a, 1);
    entries.emplace_back(b, b, 1);
  };
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        if (x + 1 < side) join(index(x, y, z), index(x + 1, y, z));
        if (y + 1 < side) join(index(x, y, z), index(x, y + 1, z));
        if (z + 1 < side) join(index(x, y, z), index(x, y, z + 1));
      }
    }
  }
  EigenMatrix laplacian(size, size), one(size, size);
  laplacian.setFromTriplets(entries.begin(), entries.end());
  one.setIdentity();
  return EigenMatrix(laplacian * laplacian) + one;
}

// A different right-hand side in each lane, by row.
Eigen::MatrixXd right_hand_sides(Eigen::Index size) {
  std::mt19937 random(7);
  std::normal_distribution<double> value;
  return Eigen::MatrixXd::NullaryExpr(size, kSolveLanes, [&] { return value(random); });
}

Eigen::MatrixXd solve(const CholeskyFactor& factor, const Eigen::MatrixXd& b) {
  const auto order = factor.order();
  std::vector<double> x(order.size() * kSolveLanes);
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::size_t lane = 0; lane < kSolveLanes; ++lane)
      x[k * kSolveLanes + lane] = b(order[k], static_cast<Eigen::Index>(lane));
  }
  factor.solve(x.data());
  Eigen::MatrixXd result(b.rows(), b.cols());
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::size_t lane = 0; lane < kSolveLanes; ++lane)
      result(order[k], static_cast<Eigen::Index>(lane)) = x[k * kSolveLanes + lane];
  }
  return result;
}

void expect_eigens(const EigenMatrix& matrix, double shift, const Eigen::VectorXd& diagonal,
                   std::span<const std::int32_t> order) {
  EigenMatrix shifted = matrix;
  shifted.diagonal() += shift * diagonal;
  const Eigen::SimplicialLDLT<EigenMatrix> theirs(shifted);
  ASSERT_EQ(theirs.info(), Eigen::Success);
  const Eigen::MatrixXd b = right_hand_sides(matrix.rows());
  const Eigen::MatrixXd want = theirs.solve(b);
  const SparseMatrix rows = from_eigen(matrix);
  CholeskyFactor factor;
  ASSERT_FALSE(factor.analyse(rows, order, "ordering", {}));
  const std::span<const double> diagonal_span(diagonal.data(), static_cast<std::size_t>(diagonal.size()));
  // By the widest kernels, and by those of 128 bits.
  const bool before = is_deterministic();
  for (const bool exact : {false, true}) {
    set_deterministic(exact);
    ASSERT_FALSE(factor.factorise(rows, shift, diagonal_span, "factorising", {}));
    const Eigen::MatrixXd got = solve(factor, b);
    EXPECT_LE((got - want).cwiseAbs().maxCoeff(), kSolveError * want.cwiseAbs().maxCoeff());
  }
  set_deterministic(before);
  // As many entries as L has, or more where supernodes hold zeros.
  EXPECT_GE(factor.entry_count(), static_cast<std::size_t>(theirs.matrixL().nestedExpression().nonZeros()));
}

TEST(CholeskyFactor, SolvesAsEigenDoesOnRandomMatrices) {
  for (const int size : {1, 2, 3, 17, 100, 400}) {
    for (const int entries_per_row : {0, 1, 4}) {
      const EigenMatrix matrix =
          random_matrix(size, entries_per_row * size, static_cast<unsigned>(31 * size + entries_per_row));
      expect_eigens(matrix, 0, Eigen::VectorXd::Zero(size), {});
      expect_eigens(matrix, 0.7, Eigen::VectorXd::LinSpaced(size, 1, 3), {});
    }
  }
}

TEST(CholeskyFactor, SolvesAsEigenDoesOnALattice) {
  const EigenMatrix matrix = lattice_matrix(13);
  expect_eigens(matrix, 2, Eigen::VectorXd::LinSpaced(matrix.rows(), 1, 2), {});
}

TEST(CholeskyFactor, TakesAnyOrder) {
  const EigenMatrix matrix = random_matrix(150, 400, 5);
  std::vector<std::int32_t> order(150);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  expect_eigens(matrix, 0, Eigen::VectorXd::Zero(150), order);
}

TEST(CholeskyFactor, OrdersEveryRowOnceAndNamesItsSize) {
  const SparseMatrix rows = from_eigen(lattice_matrix(8));
  CholeskyFactor factor;
  ASSERT_FALSE(factor.analyse(rows, {}, "ordering", {}));
  std::vector<std::int32_t> sorted(factor.order().begin(), factor.order().end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], static_cast<std::int32_t>(i));
  EXPECT_EQ(sorted.size(), rows.row_count());
  EXPECT_GT(factor.bytes(), 8 * static_cast<double>(factor.entry_count()));
}

TEST(CholeskyFactor, HasTheSameBitsOnAnyNumberOfThreads) {
  const EigenMatrix matrix = lattice_matrix(13);
  const SparseMatrix rows = from_eigen(matrix);
  const std::vector<double> diagonal(rows.row_count(), 1.0);
  const int before = thread_count();
  Eigen::MatrixXd first;
  for (const int threads : {1, 2, 5}) {
    ASSERT_FALSE(set_thread_count(threads));
    CholeskyFactor factor;
    ASSERT_FALSE(factor.analyse(rows, {}, "ordering", {}));
    ASSERT_FALSE(factor.factorise(rows, 1, diagonal, "factorising", {}));
    const Eigen::MatrixXd got = solve(factor, right_hand_sides(matrix.rows()));
    if (threads == 1) first = got;
    EXPECT_EQ(got, first) << threads << " threads";
  }
  ASSERT_FALSE(set_thread_count(before));
}

TEST(CholeskyFactor, RefusesMatricesThatAreNotPositiveDefinite) {
  EigenMatrix matrix = random_matrix(60, 100, 2);
  matrix.coeffRef(41, 41) = -1;
  const SparseMatrix rows = from_eigen(matrix);
  CholeskyFactor factor;
  ASSERT_FALSE(factor.analyse(rows, {}, "ordering", {}));
  const std::vector<double> none(60, 0.0);
  const Error error = factor.factorise(rows, 0, none, "factorising", {});
  EXPECT_NE(error.sentence().find("matrix must be positive definite, got a pivot that is not above 0"),
            std::string::npos);
}

TEST(CholeskyFactor, StopsWhereProgressSaysSo) {
  const SparseMatrix rows = from_eigen(lattice_matrix(6));
  const std::vector<double> none(rows.row_count(), 0.0);
  const Progress stop = [](const char*, double) { return true; };
  CholeskyFactor factor;
  EXPECT_EQ(factor.analyse(rows, {}, "ordering", stop).sentence(), kStopped);
  ASSERT_FALSE(factor.analyse(rows, {}, "ordering", {}));
  EXPECT_EQ(factor.factorise(rows, 0, none, "factorising", stop).sentence(), kStopped);
}

}  // namespace
}  // namespace lissom
