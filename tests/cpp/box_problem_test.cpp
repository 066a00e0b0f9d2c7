// SPDX-License-Identifier: MIT
#include "core/linear_algebra/box_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/linear_algebra/active_set.h"
#include "core/linear_algebra/admm.h"
#include "core/linear_algebra/cholesky.h"

namespace lissom {
namespace {

// A beam of so many nodes at unit distances, held at `fixed` nodes where handle h has the weight 1 at the h-th of them:
// without bounds it swings below 0 and above 1 between them. Q = L^2 among the free nodes.
BoxProblem beam(int count, const std::vector<int>& fixed) {
  BoxProblem problem;
  problem.handle_count = fixed.size();
  std::vector<int> index(static_cast<std::size_t>(count)), holder(static_cast<std::size_t>(count), -1);
  for (std::size_t h = 0; h < fixed.size(); ++h)
    holder[static_cast<std::size_t>(fixed[h])] = static_cast<int>(h);
  int free_count = 0;
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = holder[i] < 0 ? free_count++ : -1;
  const auto laplacian = [&](int i, int j) {
    if (i < 0 || j < 0 || i >= count || j >= count || std::abs(i - j) > 1) return 0.0;
    return i != j ? -1.0 : i == 0 || i == count - 1 ? 1.0 : 2.0;
  };
  problem.q.starts.assign(1, 0);
  for (int i = 0; i < count; ++i) {
    if (holder[static_cast<std::size_t>(i)] >= 0) continue;
    std::vector<double> b(fixed.size(), 0.0);
    for (int j = std::max(0, i - 2); j <= std::min(count - 1, i + 2); ++j) {
      double value = 0;
      for (int k = i - 1; k <= i + 1; ++k) value += laplacian(i, k) * laplacian(k, j);
      const auto at = static_cast<std::size_t>(j);
      if (holder[at] >= 0) {
        b[static_cast<std::size_t>(holder[at])] -= value;
      } else {
        problem.q.columns.push_back(index[at]);
        problem.q.values.push_back(value);
      }
    }
    problem.q.starts.push_back(problem.q.columns.size());
    problem.b.insert(problem.b.end(), b.begin(), b.end());
    problem.mass.push_back(1);
  }
  problem.metric = problem.mass;
  return problem;
}

// Nine handles: more than are solved for side by side.
const std::vector<int> kNine = {0, 7, 11, 20, 33, 36, 50, 61, 79};

Admm admm_of(const BoxProblem& problem, double tolerance) {
  Admm admm;
  admm.problem = &problem;
  admm.rho = 0.05;  // a beam's of this reach
  admm.tolerance = tolerance;
  admm.memory_limit = 1e9;
  return admm;
}

std::vector<double> solve_exactly(const BoxProblem& problem, std::vector<double> start) {
  CholeskyFactor factor;
  EXPECT_FALSE(factor.analyse(problem.q, {}, "ordering", {}));
  ActiveSet active_set;
  active_set.problem = &problem;
  active_set.order = factor.order();
  ActiveSetFacts facts;
  EXPECT_FALSE(active_set.run(&start, &facts));
  EXPECT_TRUE(facts.is_exact);
  return start;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// The conditions of optimality, which for a convex problem only the solution fulfils.
void expect_optimal(const BoxProblem& problem, const std::vector<double>& w) {
  const std::size_t handle_count = problem.handle_count;
  std::size_t at_bounds = 0;
  for (std::size_t i = 0; i < problem.mass.size(); ++i) {
    for (std::size_t h = 0; h < handle_count; ++h) {
      const double value = w[i * handle_count + h];
      ASSERT_GE(value, 0);
      ASSERT_LE(value, 1);
      double gradient = -problem.b[i * handle_count + h];
      for (std::size_t e = problem.q.starts[i]; e < problem.q.starts[i + 1]; ++e)
        gradient +=
            problem.q.values[e] * w[static_cast<std::size_t>(problem.q.columns[e]) * handle_count + h];
      if (value > 0) {
        ASSERT_LE(gradient, 1e-10);
      }
      if (value < 1) {
        ASSERT_GE(gradient, -1e-10);
      }
      at_bounds += value == 0 || value == 1;
    }
  }
  EXPECT_GT(at_bounds, 0u);  // else the bounds were never asked
}

TEST(ActiveSet, EndsAtTheSolutionWhereverItStarts) {
  const BoxProblem problem = beam(80, kNine);
  const std::size_t size = problem.mass.size() * problem.handle_count;
  std::vector<double> first;
  for (const double start : {0.0, 0.4, 1.0}) {
    const std::vector<double> w = solve_exactly(problem, std::vector<double>(size, start));
    expect_optimal(problem, w);
    if (first.empty()) first = w;
    EXPECT_LE(largest_difference(w, first), 1e-10);
  }
}

TEST(ActiveSet, LeavesASolutionAlone) {
  const BoxProblem problem = beam(40, {0, 13, 39});
  std::vector<double> w =
      solve_exactly(problem, std::vector<double>(problem.mass.size() * problem.handle_count, 0.5));
  CholeskyFactor factor;
  ASSERT_FALSE(factor.analyse(problem.q, {}, "ordering", {}));
  ActiveSetFacts facts;
  ASSERT_FALSE((ActiveSet{&problem, factor.order(), {}}.run(&w, &facts)));
  EXPECT_EQ(facts.steps, 3);  // one for each handle, that finds nothing wrong
  EXPECT_LE(facts.change, 1e-12);
}

TEST(Admm, ComesAsNearAsItIsAskedAndSays) {
  const BoxProblem problem = beam(80, kNine);
  const std::vector<double> exact =
      solve_exactly(problem, std::vector<double>(problem.mass.size() * problem.handle_count, 0.5));
  int last = 0;
  for (const double tolerance : {1e-2, 1e-3, 1e-6}) {
    CholeskyFactor factor;
    AdmmFacts facts;
    std::vector<double> z;
    Admm admm = admm_of(problem, tolerance);
    admm.iteration_limit = 20000;  // thin as it is, it creeps
    ASSERT_FALSE(admm.run(&factor, &z, &facts));
    EXPECT_LT(facts.error_estimate, tolerance);
    EXPECT_LE(largest_difference(z, exact), tolerance);
    EXPECT_GE(*std::min_element(z.begin(), z.end()), 0);
    EXPECT_LE(*std::max_element(z.begin(), z.end()), 1);
    EXPECT_GT(facts.iterations, last);
    last = facts.iterations;
  }
}

TEST(Admm, BalancesAWrongRho) {
  const BoxProblem problem = beam(40, {0, 9, 20, 39});
  const std::vector<double> exact =
      solve_exactly(problem, std::vector<double>(problem.mass.size() * problem.handle_count, 0.5));
  for (const double wrong : {1e-2, 1e2}) {
    Admm admm = admm_of(problem, 1e-3);
    admm.rho *= wrong;
    admm.iteration_limit = 5000;
    CholeskyFactor factor;
    AdmmFacts facts;
    std::vector<double> z;
    ASSERT_FALSE(admm.run(&factor, &z, &facts));
    EXPECT_LT(facts.error_estimate, 1e-3) << wrong;
    EXPECT_LE(largest_difference(z, exact), 1e-3) << wrong;
    EXPECT_GT(facts.factorisations, 1) << wrong;
    EXPECT_LT(std::abs(std::log(facts.rho / 0.05)), std::abs(std::log(wrong))) << wrong;
  }
}

TEST(Admm, MeetsTheSolutionWithoutBoundsWhereNoneHolds) {
  const BoxProblem problem = beam(12, {0, 11});
  CholeskyFactor factor;
  AdmmFacts facts;
  std::vector<double> z;
  ASSERT_FALSE(admm_of(problem, 1e-9).run(&factor, &z, &facts));
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t h = 0; h < 2; ++h) {
      double gradient = -problem.b[2 * i + h];
      for (std::size_t e = problem.q.starts[i]; e < problem.q.starts[i + 1]; ++e)
        gradient += problem.q.values[e] * z[2 * static_cast<std::size_t>(problem.q.columns[e]) + h];
      EXPECT_NEAR(gradient, 0, 1e-8);
      EXPECT_GT(z[2 * i + h], 0);
      EXPECT_LT(z[2 * i + h], 1);
    }
  }
}

TEST(Admm, RefusesAFactorBeyondItsMemoryAndStops) {
  const BoxProblem problem = beam(80, kNine);
  Admm admm = admm_of(problem, 1e-3);
  double wanted = 0;
  admm.bytes_needed = &wanted;
  admm.memory_limit = 1;
  CholeskyFactor factor;
  AdmmFacts facts;
  std::vector<double> z;
  EXPECT_EQ(admm.run(&factor, &z, &facts).sentence(),
            "the factor of 71 unknowns would take 0 MiB, more than the 0 MiB that a call may take; pass a "
            "coarser mesh");
  EXPECT_EQ(wanted, factor.bytes());
  admm.memory_limit = wanted;
  admm.progress = [](const char* stage, double) { return std::string(stage) == "iterating"; };
  EXPECT_EQ(admm.run(&factor, &z, &facts).sentence(), kStopped);
  EXPECT_TRUE(z.empty());
  admm.progress = {};
  admm.iteration_limit = 3;
  facts = {};
  ASSERT_FALSE(admm.run(&factor, &z, &facts));
  EXPECT_EQ(facts.iterations, 3);
  EXPECT_GT(facts.error_estimate, admm.tolerance);
}

}  // namespace
}  // namespace lissom
