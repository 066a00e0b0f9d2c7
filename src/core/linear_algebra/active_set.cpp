// SPDX-License-Identifier: MIT
#include "core/linear_algebra/active_set.h"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra/cholesky.h"
#include "core/linear_algebra/cholesky_kernels.h"

namespace lissom {
namespace {

enum class Side : std::int8_t { kFree, kLower, kUpper };

// Tolerances for rounding: of an unknown beyond a bound, and of a multiplier of wrong sign, as a share of the sum of
// its terms' sizes.
constexpr double kPastBound = 1e-11;
constexpr double kWrongSign = 1e-11;
// Exchanges of all violating unknowns without progress, before they are exchanged one at a time.
constexpr int kPatience = 5;
constexpr int kStepLimit = 200;  // for one handle; usually below six

// Rows and columns of the free unknowns of one handle.
struct FreePart {
  SparseMatrix q;
  std::vector<std::int32_t> unknowns;  // ascending
  std::vector<std::int32_t> order;
};

FreePart free_part(const SparseMatrix& q, std::span<const std::int32_t> order,
                   const std::vector<Side>& sides) {
  FreePart part;
  std::vector<std::int32_t> index(sides.size(), -1);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i] != Side::kFree) continue;
    index[i] = static_cast<std::int32_t>(part.unknowns.size());
    part.unknowns.push_back(static_cast<std::int32_t>(i));
  }
  part.q.starts.assign(1, 0);
  for (const std::int32_t row : part.unknowns) {
    for (std::size_t e = q.starts[row]; e < q.starts[row + 1]; ++e) {
      if (index[q.columns[e]] < 0) continue;
      part.q.columns.push_back(index[q.columns[e]]);
      part.q.values.push_back(q.values[e]);
    }
    part.q.starts.push_back(part.q.columns.size());
  }
  for (const std::int32_t row : order) {
    if (index[row] >= 0) part.order.push_back(index[row]);
  }
  return part;
}

// w at the bounds that `sides` names, and of least energy elsewhere.
Error solve_free(const BoxProblem& problem, std::size_t handle, std::span<const std::int32_t> order,
                 const std::vector<Side>& sides, const Progress& progress, std::vector<double>* w) {
  const SparseMatrix& q = problem.q;
  for (std::size_t i = 0; i < sides.size(); ++i) (*w)[i] = sides[i] == Side::kUpper ? 1 : 0;
  const FreePart part = free_part(q, order, sides);
  if (part.unknowns.empty()) return {};
  CholeskyFactor factor;
  if (Error error = factor.analyse(part.q, part.order, "polishing", progress)) return error;
  const std::vector<double> nothing(part.unknowns.size(), 0.0);
  if (Error error = factor.factorise(part.q, 0, nothing, "polishing", progress)) return error;
  std::vector<double> x(part.unknowns.size() * kSolveLanes, 0.0);
  for (std::size_t k = 0; k < part.unknowns.size(); ++k) {
    const std::int32_t row = part.unknowns[factor.order()[k]];
    double value = problem.b[static_cast<std::size_t>(row) * problem.handle_count + handle];
    for (std::size_t e = q.starts[row]; e < q.starts[row + 1]; ++e) value -= q.values[e] * (*w)[q.columns[e]];
    x[k * kSolveLanes] = value;
  }
  factor.solve(x.data());
  for (std::size_t k = 0; k < part.unknowns.size(); ++k)
    (*w)[part.unknowns[factor.order()[k]]] = x[k * kSolveLanes];
  return {};
}

// Unknowns that violate optimality, each with the side that they move to.
struct Exchange {
  std::size_t unknown;
  Side side;
};

std::vector<Exchange> find_exchanges(const BoxProblem& problem, std::size_t handle,
                                     const std::vector<Side>& sides, const std::vector<double>& w) {
  const SparseMatrix& q = problem.q;
  std::vector<Exchange> exchanges;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i] == Side::kFree) {
      if (w[i] < -kPastBound) exchanges.push_back({i, Side::kLower});
      if (w[i] > 1 + kPastBound) exchanges.push_back({i, Side::kUpper});
      continue;
    }
    const double b = problem.b[i * problem.handle_count + handle];
    double gradient = -b, size = std::abs(b);
    for (std::size_t e = q.starts[i]; e < q.starts[i + 1]; ++e) {
      const double term = q.values[e] * w[q.columns[e]];
      gradient += term;
      size += std::abs(term);
    }
    // At a bound the energy must not decrease inwards.
    if (sides[i] == Side::kLower ? gradient < -kWrongSign * size : gradient > kWrongSign * size) {
      exchanges.push_back({i, Side::kFree});
    }
  }
  return exchanges;
}

}  // namespace

Error ActiveSet::run(std::vector<double>* w, ActiveSetFacts* facts) const {
  const std::size_t count = problem->mass.size(), handle_count = problem->handle_count;
  facts->is_exact = true;
  std::vector<double> solution(count);
  std::vector<Side> sides(count);
  std::size_t handle = 0;
  // The number of sets of a handle is unknown in advance, so progress counts handles.
  const Progress handle_progress = [&](const char* stage, double) {
    return progress && progress(stage, static_cast<double>(handle) / static_cast<double>(handle_count));
  };
  for (; handle < handle_count; ++handle) {
    for (std::size_t i = 0; i < count; ++i) {
      const double value = (*w)[i * handle_count + handle];
      sides[i] = value <= 0 ? Side::kLower : value >= 1 ? Side::kUpper : Side::kFree;
    }
    std::size_t fewest = count + 1;
    int patience = kPatience;
    bool is_exact = false;
    for (int step = 0; step < kStepLimit; ++step) {
      if (Error error = solve_free(*problem, handle, order, sides, handle_progress, &solution)) return error;
      ++facts->steps;
      const std::vector<Exchange> exchanges = find_exchanges(*problem, handle, sides, solution);
      if (exchanges.empty()) {
        is_exact = true;
        break;
      }
      if (exchanges.size() < fewest) {
        fewest = exchanges.size();
        patience = kPatience;
      } else {
        --patience;
      }
      const std::size_t first = patience > 0 ? 0 : exchanges.size() - 1;
      for (std::size_t e = first; e < exchanges.size(); ++e) sides[exchanges[e].unknown] = exchanges[e].side;
    }
    facts->is_exact = facts->is_exact && is_exact;
    if (!is_exact) continue;  // keep the previous weights, which are nearer than those of a wrong set
    for (std::size_t i = 0; i < count; ++i) {
      double& value = (*w)[i * handle_count + handle];
      const double exact = std::clamp(solution[i], 0.0, 1.0);
      facts->change = std::max(facts->change, std::abs(exact - value));
      value = exact;
    }
  }
  return {};
}

}  // namespace lissom
