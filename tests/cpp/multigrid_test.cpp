// SPDX-License-Identifier: MIT
#include "core/linear_algebra/multigrid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "box_tets.h"
#include "core/linear_algebra/active_set.h"
#include "core/linear_algebra/bounded_multigrid.h"
#include "core/linear_algebra/cholesky.h"
#include "core/parallel/thread_pool.h"
#include "core/union_find.h"
#include "core/volume/coarse_levels.h"
#include "core/volume/tet_operator.h"

namespace lissom {
namespace {

constexpr double kRounding = 1e-9;        // of sums of some thousand products
constexpr double kSingleRounding = 1e-4;  // the same in float32, in which cycles are

// Weights of as many handles as fixed nodes.
struct Case {
  Case(const BoxTets& box, const std::vector<std::int32_t>& fixed)
      : op(TetOperator::make(box.nodes, box.tets)) {
    std::vector<std::int32_t> free_nodes, index(box.node_count(), -1);
    for (std::int32_t node = 0; node < static_cast<std::int32_t>(box.node_count()); ++node) {
      if (std::find(fixed.begin(), fixed.end(), node) != fixed.end()) continue;
      index[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(free_nodes.size());
      free_nodes.push_back(node);
    }
    problem.handle_count = fixed.size();
    problem.b.assign(free_nodes.size() * fixed.size(), 0);
    problem.q.starts.assign(1, 0);
    const SparseMatrix rows = bilaplacian_rows(op, free_nodes);
    for (std::size_t i = 0; i < free_nodes.size(); ++i) {
      for (std::size_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e) {
        const auto node = static_cast<std::size_t>(rows.columns[e]);
        if (index[node] >= 0) {
          problem.q.columns.push_back(index[node]);
          problem.q.values.push_back(rows.values[e]);
        } else {
          const auto handle = static_cast<std::size_t>(
              std::find(fixed.begin(), fixed.end(), rows.columns[e]) - fixed.begin());
          problem.b[i * fixed.size() + handle] -= rows.values[e];
        }
      }
      problem.q.starts.push_back(problem.q.columns.size());
      const auto node = static_cast<std::size_t>(free_nodes[i]);
      problem.mass.push_back(op.mass[node]);
      points.push_back(op.points[node]);
    }
  }

  Multigrid grid() const {
    Multigrid result(problem.q);
    add_coarse_levels(points, op.length(0, 1), &result);
    return result;
  }

  TetOperator op;
  BoxProblem problem;
  std::vector<Point> points;
};

double dot(const std::vector<float>& a, const std::vector<float>& b, std::size_t lane) {
  double sum = 0;
  for (std::size_t i = lane; i < a.size(); i += kSolveLanes) sum += double{a[i]} * double{b[i]};
  return sum;
}

std::vector<MultigridVectors> vectors_of(const Multigrid& grid) {
  std::vector<MultigridVectors> vectors(grid.level_count());
  for (std::size_t l = 0; l < grid.level_count(); ++l) {
    const std::size_t size = grid.row_count(l) * kSolveLanes;
    vectors[l] = {std::vector<float>(size, 1), std::vector<float>(size, 0), std::vector<float>(size, 0), {}};
  }
  return vectors;
}

TEST(Multigrid, LevelsShrinkAndKeepConstants) {
  const Case made(BoxTets(8, 8, 24), {40, 900, 1800});
  const Multigrid grid = made.grid();
  ASSERT_GE(grid.level_count(), 3u);
  for (std::size_t l = 0; l + 1 < grid.level_count(); ++l) {
    EXPECT_LT(grid.row_count(l + 1), grid.row_count(l) / 2);
    const SparseMatrix& p = grid.interpolation(l);
    for (std::size_t i = 0; i < p.row_count(); ++i) {
      double sum = 0;
      for (std::size_t e = p.starts[i]; e < p.starts[i + 1]; ++e) sum += p.values[e];
      EXPECT_NEAR(sum, 1, kRounding);
    }
  }
}

TEST(Multigrid, PartsThatTouchInOneCubeStaySeparate) {
  BoxTets box(4, 4, 24);
  const auto count = static_cast<std::int32_t>(box.node_count());
  const BoxTets one = box;
  for (std::size_t i = 0; i < one.nodes.size(); ++i)
    box.nodes.push_back(one.nodes[i] + (i % 3 == 0 ? 4.1 : 0));
  for (const std::int32_t corner : one.tets) box.tets.push_back(corner + count);
  const Case made(box, {12, count + 12});
  const Multigrid grid = made.grid();
  ASSERT_GE(grid.level_count(), 2u);
  for (std::size_t l = 0; l < grid.level_count(); ++l) {
    const SparseMatrix& q = grid.matrix(l);
    UnionFind joined(q.row_count());
    for (std::size_t i = 0; i < q.row_count(); ++i) {
      for (std::size_t e = q.starts[i]; e < q.starts[i + 1]; ++e)
        joined.join(static_cast<std::int32_t>(i), q.columns[e]);
    }
    int parts = 0;
    for (std::size_t i = 0; i < q.row_count(); ++i)
      parts += joined.root(static_cast<std::int32_t>(i)) == static_cast<std::int32_t>(i);
    EXPECT_EQ(parts, 2) << "level " << l;
  }
}

TEST(Multigrid, ACycleIsSymmetricAndMovesOnlyWhatIsFree) {
  const Case made(BoxTets(6, 6, 20), {24, 500, 1000});
  const Multigrid grid = made.grid();
  std::vector<MultigridVectors> vectors = vectors_of(grid);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float>& mask = vectors[0].mask;
  for (std::size_t i = 0; i < mask.size(); ++i)
    mask[i] = i % kSolveLanes < 4 || i < mask.size() / 3 || value(random) > -0.9f;
  multigrid_masks(grid, 0, &vectors);
  std::vector<float> r(mask.size()), s(mask.size());
  for (float& entry : r) entry = value(random);
  for (float& entry : s) entry = value(random);
  vectors[0].r = r;
  multigrid_cycle(grid, 0, &vectors);
  const std::vector<float> of_r = vectors[0].z;
  vectors[0].r = s;
  multigrid_cycle(grid, 0, &vectors);
  const std::vector<float> of_s = vectors[0].z;
  for (std::size_t lane = 0; lane < kSolveLanes; ++lane) {
    EXPECT_NEAR(dot(s, of_r, lane) / dot(r, of_s, lane), 1, kSingleRounding) << lane;
    EXPECT_GT(dot(r, of_r, lane), 0);
  }
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] == 0) {
      ASSERT_EQ(of_r[i], 0);
    }
  }
}

// The conditions of optimality of the solution, and the exact one.
TEST(BoundedMultigrid, SatisfiesTheConditionsOfOptimality) {
  const Case made(BoxTets(8, 8, 36), {40, 1200, 1500, 2996});
  const BoxProblem& problem = made.problem;
  const Multigrid grid = made.grid();
  BoundedMultigrid solver;
  solver.problem = &problem;
  solver.grid = &grid;
  solver.tolerance = 1e-6;
  std::vector<double> w;
  BoundedMultigridFacts facts;
  ASSERT_FALSE(solver.run(&w, &facts));
  ASSERT_TRUE(facts.converged);
  EXPECT_LT(facts.error_estimate, solver.tolerance);
  const SparseMatrix& q = problem.q;
  std::size_t held = 0;
  for (std::size_t i = 0; i < q.row_count(); ++i) {
    for (std::size_t h = 0; h < problem.handle_count; ++h) {
      const double value = w[i * problem.handle_count + h];
      ASSERT_GE(value, 0);
      ASSERT_LE(value, 1);
      double gradient = -problem.b[i * problem.handle_count + h], diagonal = 0;
      for (std::size_t e = q.starts[i]; e < q.starts[i + 1]; ++e) {
        gradient += q.values[e] * w[static_cast<std::size_t>(q.columns[e]) * problem.handle_count + h];
        if (q.columns[e] == static_cast<std::int32_t>(i)) diagonal = q.values[e];
      }
      const double way = -gradient / diagonal;  // to the least energy of this unknown alone
      held += value == 0 || value == 1;
      const bool is_above = value > 0, is_below = value < 1;
      EXPECT_TRUE(!is_above || way > -solver.tolerance) << way;
      EXPECT_TRUE(!is_below || way < solver.tolerance) << way;
    }
  }
  EXPECT_GT(held, q.row_count() / 4);

  std::vector<double> exact = w;
  CholeskyFactor plan;
  ASSERT_FALSE(plan.analyse(q, {}, "", {}));
  ActiveSet active_set;
  active_set.problem = &problem;
  active_set.order = plan.order();
  ActiveSetFacts found;
  ASSERT_FALSE(active_set.run(&exact, &found));
  ASSERT_TRUE(found.is_exact);
  for (std::size_t i = 0; i < w.size(); ++i) ASSERT_NEAR(w[i], exact[i], facts.error_estimate);
}

// So many that each is left out of most of the volume.
TEST(BoundedMultigrid, ManyHandlesAreExactInAnyOrder) {
  std::vector<std::int32_t> fixed, reversed;
  for (std::int32_t k = 0; k < 24; ++k) fixed.push_back(30 + 75 * k);
  for (std::int32_t k = 24; k-- > 0;) reversed.push_back(k);
  const Case made(BoxTets(6, 6, 40), fixed);
  const Multigrid grid = made.grid();
  BoundedMultigrid solver;
  solver.problem = &made.problem;
  solver.grid = &grid;
  CholeskyFactor plan;
  ASSERT_FALSE(plan.analyse(made.problem.q, {}, "", {}));
  for (const bool is_reversed : {false, true}) {
    if (is_reversed) solver.order = reversed;
    std::vector<double> w;
    BoundedMultigridFacts facts;
    ASSERT_FALSE(solver.run(&w, &facts));
    ASSERT_TRUE(facts.converged);
    std::vector<double> exact = w;
    ActiveSet active_set;
    active_set.problem = &made.problem;
    active_set.order = plan.order();
    ActiveSetFacts found;
    ASSERT_FALSE(active_set.run(&exact, &found));
    ASSERT_TRUE(found.is_exact);
    for (std::size_t i = 0; i < w.size(); ++i) ASSERT_NEAR(w[i], exact[i], facts.error_estimate);
  }
}

TEST(BoundedMultigrid, StopsWhereItIsTold) {
  const Case made(BoxTets(6, 6, 20), {24, 500, 1000});
  const Multigrid grid = made.grid();
  BoundedMultigrid solver;
  solver.problem = &made.problem;
  solver.grid = &grid;
  int calls = 0;
  solver.progress = [&](const char* stage, double done) {
    EXPECT_STREQ(stage, "solving");
    EXPECT_GE(done, 0);
    EXPECT_LE(done, 1);
    return ++calls == 2;
  };
  std::vector<double> w;
  BoundedMultigridFacts facts;
  EXPECT_EQ(solver.run(&w, &facts).sentence(), kStopped);
  EXPECT_EQ(calls, 2);
}

TEST(BoundedMultigrid, EndsWithTheFirstGroupThatGivesUp) {
  const int before = thread_count();
  ASSERT_FALSE(set_thread_count(1));  // so that a group follows the other
  const Case made(BoxTets(6, 6, 36), {0, 200, 400, 600, 800, 1000, 1200, 1400, 1600});
  const Multigrid grid(made.problem.q);  // no coarse levels
  BoundedMultigrid solver;
  solver.problem = &made.problem;
  solver.grid = &grid;
  solver.tolerance = 1e-14;  // below rounding, so none is reached
  double furthest = 0;
  solver.progress = [&](const char*, double done) {
    furthest = done;
    return false;
  };
  std::vector<double> w;
  BoundedMultigridFacts facts;
  ASSERT_FALSE(solver.run(&w, &facts));
  ASSERT_FALSE(set_thread_count(before));
  EXPECT_FALSE(facts.converged);
  EXPECT_GE(facts.error_estimate, solver.tolerance);
  EXPECT_LE(furthest, 0.5);  // of two groups
}

}  // namespace
}  // namespace lissom
