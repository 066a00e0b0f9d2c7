// SPDX-License-Identifier: MIT
#include "core/weights/bounded_biharmonic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "core/linear_algebra/box_problem.h"
#include "core/linear_algebra/cholesky.h"
#include "core/number_text.h"
#include "core/parallel/thread_pool.h"
#include "core/stopwatch.h"
#include "core/volume/coarse_levels.h"
#include "core/volume/tet_operator.h"

namespace lissom {
namespace {

// The penalty rho of ADMM determines the number of iterations. The stiffness of a wave of length l is (2 pi / l)^4, and
// bounds act over lengths of a handle's reach, less near handles. So rho is (kRhoTimesReach / reach)^4, and the penalty
// of nodes nearer to a handle than kNearReach of the reach grows with the inverse square of their distance. Both
// constants need the fewest iterations on bars and characters. rho is balanced later, this shape is not.
constexpr double kRhoTimesReach = 4.2;
constexpr double kNearReach = 0.7;

// Fewer unknowns are solved for by ADMM, whose factor is small then.
constexpr std::size_t kFewestForMultigrid = 1000;

// Nodes that are unknowns, and the values of the others.
struct Parts {
  std::vector<std::int32_t> free_nodes;   // ascending
  std::vector<std::int32_t> free_index;   // (N) among free_nodes; -1 elsewhere
  std::vector<std::int32_t> fixed_index;  // (N) among fixed_nodes; -1 elsewhere
  std::vector<std::int32_t> lost;  // (components) -1, or the fixed node whose row the whole component has
};

double squared_distance(std::span<const double> nodes, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k)
    sum += (nodes[3 * a + k] - nodes[3 * b + k]) * (nodes[3 * a + k] - nodes[3 * b + k]);
  return sum;
}

Parts find_parts(const BoundedBiharmonicJob& job, const TetOperator& op) {
  const std::size_t node_count = op.mass.size();
  Parts parts;
  parts.free_index.assign(node_count, -1);
  parts.fixed_index.assign(node_count, -1);
  std::vector<char> is_held(op.component_count, 0);
  for (std::size_t c = 0; c < job.fixed_nodes.size(); ++c) {
    parts.fixed_index[job.fixed_nodes[c]] = static_cast<std::int32_t>(c);
    is_held[op.components[job.fixed_nodes[c]]] = 1;
  }
  parts.lost.assign(op.component_count, -1);
  // A component of one node that no tetrahedron has is lost, too, unless it is fixed.
  std::vector<double> nearest(op.component_count, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < node_count; ++i) {
    const std::int32_t component = op.components[i];
    if (is_held[component]) {
      if (parts.fixed_index[i] >= 0) continue;
      parts.free_index[i] = static_cast<std::int32_t>(parts.free_nodes.size());
      parts.free_nodes.push_back(static_cast<std::int32_t>(i));
      continue;
    }
    for (std::size_t c = 0; c < job.fixed_nodes.size(); ++c) {
      const double distance = squared_distance(job.nodes, i, job.fixed_nodes[c]);
      if (parts.lost[component] >= 0 && !(distance < nearest[component])) continue;
      nearest[component] = distance;
      parts.lost[component] = static_cast<std::int32_t>(c);
    }
  }
  return parts;
}

BoxProblem make_problem(const BoundedBiharmonicJob& job, const TetOperator& op, const Parts& parts,
                        std::size_t handle_count) {
  BoxProblem problem;
  const std::size_t count = parts.free_nodes.size();
  problem.handle_count = handle_count;
  problem.b.assign(count * handle_count, 0);
  for (const std::int32_t node : parts.free_nodes) problem.mass.push_back(op.mass[node]);
  const SparseMatrix rows = bilaplacian_rows(op, parts.free_nodes);
  problem.q.starts.assign(1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e) {
      const std::int32_t node = rows.columns[e];
      if (parts.free_index[node] >= 0) {
        problem.q.columns.push_back(parts.free_index[node]);
        problem.q.values.push_back(rows.values[e]);
        continue;
      }
      const double* row = &job.fixed_rows[static_cast<std::size_t>(parts.fixed_index[node]) * handle_count];
      for (std::size_t h = 0; h < handle_count; ++h)
        problem.b[i * handle_count + h] -= rows.values[e] * row[h];
    }
    problem.q.starts.push_back(problem.q.columns.size());
  }
  return problem;
}

// (N) along edges, in units of the operator's; infinity where no fixed node is connected.
std::vector<double> distances_to_fixed(const TetOperator& op, std::span<const std::int32_t> fixed_nodes) {
  using Item = std::pair<double, std::int32_t>;
  std::vector<double> distances(op.mass.size(), std::numeric_limits<double>::infinity());
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  for (const std::int32_t node : fixed_nodes) {
    distances[node] = 0;
    queue.push({0, node});
  }
  const SparseMatrix& edges = op.stiffness;
  while (!queue.empty()) {
    const auto [distance, node] = queue.top();
    queue.pop();
    if (distance > distances[node]) continue;
    for (std::size_t e = edges.starts[node]; e < edges.starts[node + 1]; ++e) {
      const std::int32_t next = edges.columns[e];
      const double further = distance + op.length(node, next);
      if (further >= distances[next]) continue;
      distances[next] = further;
      queue.push({further, next});
    }
  }
  return distances;
}

// Fills problem->metric and returns the initial rho.
double choose_metric(const TetOperator& op, const Parts& parts, std::span<const std::int32_t> fixed_nodes,
                     BoxProblem* problem) {
  double volume = 0;
  for (const double mass : problem->mass) volume += mass;
  const double reach = std::cbrt(volume / static_cast<double>(problem->handle_count));
  const std::vector<double> distances = distances_to_fixed(op, fixed_nodes);
  problem->metric.clear();
  for (std::size_t i = 0; i < problem->mass.size(); ++i) {
    const double near = std::max(1.0, kNearReach * reach / distances[parts.free_nodes[i]]);
    problem->metric.push_back(problem->mass[i] * near * near);
  }
  return std::pow(kRhoTimesReach / reach, 4);
}

// The median length of edges.
double spacing_of(const TetOperator& op) {
  std::vector<double> lengths;
  const SparseMatrix& edges = op.stiffness;
  for (std::size_t i = 0; i < edges.row_count(); ++i) {
    const auto node = static_cast<std::int32_t>(i);
    for (std::size_t e = edges.starts[i]; e < edges.starts[i + 1]; ++e) {
      if (edges.columns[e] > node) lengths.push_back(op.length(node, edges.columns[e]));
    }
  }
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

// An estimate of the bytes that multigrid takes: its levels, and the vectors of the groups of handles that run at once.
double multigrid_bytes(const BoxProblem& problem) {
  const double groups = std::min(std::ceil(static_cast<double>(problem.handle_count) / kSolveLanes),
                                 static_cast<double>(thread_count()));
  return 48 * static_cast<double>(problem.q.columns.size()) +
         kSolveLanes * groups * kBoundedMultigridBytes * static_cast<double>(problem.mass.size());
}

// Parts [begin, end) of `order` across the longest side of its points, again and again, into groups of kSolveLanes.
void group_neighbours(const std::vector<Point>& points, std::size_t begin, std::size_t end,
                      std::vector<std::int32_t>* order) {
  if (end - begin <= kSolveLanes) return;
  Point low = points[(*order)[begin]], high = low;
  for (std::size_t i = begin; i < end; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], points[(*order)[i]][axis]);
      high[axis] = std::max(high[axis], points[(*order)[i]][axis]);
    }
  }
  const Point sides = high - low;
  const int axis = sides[0] >= sides[1] && sides[0] >= sides[2] ? 0 : sides[1] >= sides[2] ? 1 : 2;
  const auto first = order->begin();
  std::sort(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end),
            [&](std::int32_t a, std::int32_t b) {
              return points[a][axis] < points[b][axis] || (points[a][axis] == points[b][axis] && a < b);
            });
  const std::size_t group_count = (end - begin + kSolveLanes - 1) / kSolveLanes;
  const std::size_t middle = begin + (group_count + 1) / 2 * kSolveLanes;
  group_neighbours(points, begin, middle, order);
  group_neighbours(points, middle, end, order);
}

// Handles in an order in which those of a group of kSolveLanes hold nodes near to each other.
std::vector<std::int32_t> neighbours_together(const BoundedBiharmonicJob& job, const TetOperator& op,
                                              std::size_t handle_count) {
  std::vector<Point> middles(handle_count);
  std::vector<double> sums(handle_count, 0);
  for (std::size_t c = 0; c < job.fixed_nodes.size(); ++c) {
    for (std::size_t h = 0; h < handle_count; ++h) {
      const double weight = job.fixed_rows[c * handle_count + h];
      middles[h] = middles[h] + weight * op.points[job.fixed_nodes[c]];
      sums[h] += weight;
    }
  }
  for (std::size_t h = 0; h < handle_count; ++h) {
    if (sums[h] > 0) middles[h] = 1 / sums[h] * middles[h];
  }
  std::vector<std::int32_t> order(handle_count);
  std::iota(order.begin(), order.end(), 0);
  group_neighbours(middles, 0, handle_count, &order);
  return order;
}

Error run_multigrid(const BoundedBiharmonicJob& job, const TetOperator& op, const Parts& parts,
                    const BoxProblem& problem, std::vector<double>* z, BoundedBiharmonicFacts* found) {
  Stopwatch watch;
  std::vector<Point> points;
  for (const std::int32_t node : parts.free_nodes) points.push_back(op.points[node]);
  Multigrid grid(problem.q);
  if (job.progress && job.progress("coarsening", 0)) return Error(kStopped);
  add_coarse_levels(points, spacing_of(op), &grid);
  found->seconds_coarsening = watch.lap();
  BoundedMultigrid multigrid;
  multigrid.problem = &problem;
  multigrid.grid = &grid;
  multigrid.tolerance = job.tolerance;
  const std::vector<std::int32_t> order = neighbours_together(job, op, problem.handle_count);
  multigrid.order = order;
  multigrid.progress = job.progress;
  Error error = multigrid.run(z, &found->multigrid);
  found->converged = found->multigrid.converged;
  return error;
}

Error run_admm(const BoundedBiharmonicJob& job, const TetOperator& op, const Parts& parts,
               BoxProblem* problem, std::vector<double>* z, std::vector<std::int32_t>* order,
               BoundedBiharmonicFacts* found) {
  CholeskyFactor factor;
  Admm admm;
  admm.rho = choose_metric(op, parts, job.fixed_nodes, problem);
  admm.problem = problem;
  admm.tolerance = job.tolerance;
  admm.iteration_limit = job.iteration_limit;
  admm.memory_limit = job.memory_limit;
  admm.bytes_needed = job.bytes_needed;
  admm.progress = job.progress;
  if (Error error = admm.run(&factor, z, &found->admm)) return error;
  found->factor_entries = factor.entry_count();
  found->converged = found->admm.error_estimate < job.tolerance;
  order->assign(factor.order().begin(), factor.order().end());
  return {};
}

}  // namespace

Error BoundedBiharmonicJob::validate() const {
  const std::size_t node_count = nodes.size() / 3, fixed_count = fixed_nodes.size();
  if (nodes.empty() || nodes.size() % 3 != 0)
    return Error("nodes must hold at least one point of three numbers");
  if (tets.empty() || tets.size() % 4 != 0)
    return Error("tets must hold at least one tetrahedron of four indices");
  if (fixed_count == 0)
    return Error("fixed_nodes must name at least one node, got none: no handle holds anything");
  if (fixed_rows.empty() || fixed_rows.size() % fixed_count != 0)
    return Error("fixed_rows must hold one row of weights for each fixed node, with at least one handle");
  const std::size_t handle_count = fixed_rows.size() / fixed_count;
  if (weights.size() != node_count * handle_count)
    return Error("weights must hold " + std::to_string(node_count * handle_count) + " numbers, got " +
                 std::to_string(weights.size()));
  if (!unreached.empty() && unreached.size() != node_count)
    return Error("unreached must hold " + std::to_string(node_count) + " flags, got " +
                 std::to_string(unreached.size()));
  if (!(tolerance > 0 && tolerance < 1))
    return Error("tolerance must be above 0 and below 1, got " + number_text(tolerance));
  if (iteration_limit < 1)
    return Error("iteration_limit must be at least 1, got " + std::to_string(iteration_limit));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!std::isfinite(nodes[i]))
      return Error("nodes must be finite, got " + number_text(nodes[i]) + " in row " + std::to_string(i / 3));
  }
  for (std::size_t i = 0; i < tets.size(); ++i) {
    if (tets[i] < 0 || static_cast<std::size_t>(tets[i]) >= node_count)
      return Error("tets must be in [0, " + std::to_string(node_count) + "), the number of nodes, got " +
                   std::to_string(tets[i]) + " in row " + std::to_string(i / 4));
  }
  std::vector<char> is_fixed(node_count, 0);
  for (std::size_t c = 0; c < fixed_count; ++c) {
    const std::int32_t node = fixed_nodes[c];
    if (node < 0 || static_cast<std::size_t>(node) >= node_count)
      return Error("fixed_nodes must be in [0, " + std::to_string(node_count) +
                   "), the number of nodes, got " + std::to_string(node) + " in row " + std::to_string(c));
    if (is_fixed[node])
      return Error("fixed_nodes must name each node once, got " + std::to_string(node) + " twice");
    is_fixed[node] = 1;
    double sum = 0;
    for (std::size_t h = 0; h < handle_count; ++h) {
      const double value = fixed_rows[c * handle_count + h];
      if (!(value >= 0))
        return Error("fixed_rows must be at least 0, got " + number_text(value) + " in row " +
                     std::to_string(c));
      sum += value;
    }
    if (!(std::abs(sum - 1) <= kRowSumTolerance))
      return Error("fixed_rows must sum to 1 within 1e-6, got " + number_text(sum) + " in row " +
                   std::to_string(c));
  }
  return {};
}

Error BoundedBiharmonicJob::run() const {
  if (Error error = validate()) return error;
  BoundedBiharmonicFacts found;
  const std::size_t node_count = nodes.size() / 3, handle_count = fixed_rows.size() / fixed_nodes.size();
  Stopwatch watch;
  if (progress && progress("assembling", 0)) return Error(kStopped);
  const TetOperator op = TetOperator::make(nodes, tets);
  if (op.flat_count == tets.size() / 4) return Error("tets must have a volume, got only flat ones");
  found.flat_count = op.flat_count;
  const Parts parts = find_parts(*this, op);
  if (progress && progress("assembling", 0.5)) return Error(kStopped);
  BoxProblem problem = make_problem(*this, op, parts, handle_count);
  found.free_count = parts.free_nodes.size();
  found.seconds_assembling = watch.lap();

  found.converged = true;
  std::vector<double> z;
  if (!parts.free_nodes.empty()) {
    if (parts.free_nodes.size() >= kFewestForMultigrid && multigrid_bytes(problem) <= memory_limit) {
      if (Error error = run_multigrid(*this, op, parts, problem, &z, &found)) return error;
    }
    std::vector<std::int32_t> order;
    if (!found.multigrid.converged) {
      if (Error error = run_admm(*this, op, parts, &problem, &z, &order, &found)) return error;
    }
    // Where the iteration converges slowly, in rods and far from all handles, few active sets replace thousands of
    // iterations.
    if (polish || !found.converged) {
      watch.lap();
      if (order.empty()) {
        CholeskyFactor plan;
        if (Error error = plan.analyse(problem.q, {}, "ordering", progress)) return error;
        // The factors of what is free are parts of this one.
        if (Error error = plan.check_memory(memory_limit, bytes_needed)) return error;
        order.assign(plan.order().begin(), plan.order().end());
      }
      ActiveSet active_set;
      active_set.problem = &problem;
      active_set.order = order;
      active_set.progress = progress;
      if (Error error = active_set.run(&z, &found.polish)) return error;
      found.converged = found.converged || found.polish.is_exact;
      found.seconds_polishing = watch.lap();
    }
  }
  for (std::size_t i = 0; i < node_count; ++i) {
    double* row = &weights[i * handle_count];
    if (parts.free_index[i] >= 0) {
      const double* from = &z[static_cast<std::size_t>(parts.free_index[i]) * handle_count];
      std::copy_n(from, handle_count, row);
      double sum = 0;
      for (std::size_t h = 0; h < handle_count; ++h) sum += row[h];
      found.lowest_row_sum = std::min(found.lowest_row_sum, sum);
      found.highest_row_sum = std::max(found.highest_row_sum, sum);
      for (std::size_t h = 0; h < handle_count; ++h) row[h] /= sum;
      continue;
    }
    const bool is_lost = parts.fixed_index[i] < 0;
    const std::int32_t fixed = is_lost ? parts.lost[op.components[i]] : parts.fixed_index[i];
    std::copy_n(&fixed_rows[static_cast<std::size_t>(fixed) * handle_count], handle_count, row);
    if (!unreached.empty()) unreached[i] = is_lost;
    found.unreached_count += is_lost;
  }
  for (const std::int32_t fixed : parts.lost) found.unreached_component_count += fixed >= 0;
  if (facts) *facts = found;
  return {};
}

}  // namespace lissom
