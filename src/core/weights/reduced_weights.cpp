// SPDX-License-Identifier: MIT
#include "core/weights/reduced_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/geometry/welded_mesh.h"
#include "core/number_text.h"

namespace lissom {
namespace {

// Coincident vertices whose rows differ by less are one vertex that a file has split.
constexpr double kSameWeight = 1e-6;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Vertices that are reduced as one, and their neighbours.
struct Net {
  std::vector<std::uint32_t> nodes;       // (V)
  std::vector<std::uint32_t> firsts;      // (N) a vertex of each node
  std::vector<std::uint32_t> starts;      // (N + 1)
  std::vector<std::uint32_t> neighbours;  // node by node
};

Error make_net(const ReducedWeightsJob& job, Net* net) {
  const std::size_t vertex_count = job.weights.size() / job.handle_count;
  net->nodes.resize(vertex_count);
  if (job.positions.empty()) {
    std::iota(net->nodes.begin(), net->nodes.end(), 0u);
    net->firsts = net->nodes;
    net->starts.assign(vertex_count + 1, 0);
    return {};
  }
  WeldedMesh mesh;
  if (Error error = WeldedMesh::make(job.positions, job.triangles, job.weld, &mesh)) return error;
  const auto row = [&](std::uint32_t vertex) { return &job.weights[vertex * job.handle_count]; };
  const auto same = [&](std::uint32_t a, std::uint32_t b) {
    return std::equal(row(a), row(a) + job.handle_count, row(b),
                      [](double left, double right) { return std::abs(left - right) <= kSameWeight; });
  };
  // Lists of the nodes at each position.
  std::vector<std::uint32_t> heads(mesh.positions.size(), kNone);
  std::vector<std::uint32_t> nexts;
  for (std::uint32_t vertex = 0; vertex < vertex_count; ++vertex) {
    std::uint32_t node = heads[mesh.nodes[vertex]];
    while (node != kNone && !same(net->firsts[node], vertex)) node = nexts[node];
    if (node == kNone) {
      node = static_cast<std::uint32_t>(net->firsts.size());
      net->firsts.push_back(vertex);
      nexts.push_back(std::exchange(heads[mesh.nodes[vertex]], node));
    }
    net->nodes[vertex] = node;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  edges.reserve(2 * job.triangles.size());
  for (std::size_t i = 0; i < job.triangles.size(); ++i) {
    const std::uint32_t a = net->nodes[job.triangles[i]];
    const std::uint32_t b = net->nodes[job.triangles[i % 3 == 2 ? i - 2 : i + 1]];
    if (a == b) continue;
    edges.emplace_back(a, b);
    edges.emplace_back(b, a);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  net->starts.assign(net->firsts.size() + 1, 0);
  net->neighbours.reserve(edges.size());
  for (const auto& [a, b] : edges) {
    ++net->starts[a + 1];
    net->neighbours.push_back(b);
  }
  std::partial_sum(net->starts.begin(), net->starts.end(), net->starts.begin());
  return {};
}

// Replaces a row by the nearest one that is not negative, sums to 1 and has at most `most` entries.
class Projection {
 public:
  Projection(std::size_t count, std::size_t most) : order_(count), most_(std::min(most, count)) {}

  void apply(double* row) {
    std::iota(order_.begin(), order_.end(), 0u);
    const auto larger = [row](std::uint32_t a, std::uint32_t b) {
      return row[a] > row[b] || (row[a] == row[b] && a < b);
    };
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(most_);
    std::partial_sort(order_.begin(), end, order_.end(), larger);
    // All kept entries are shifted by the same, and those that become negative are dropped.
    double sum = 0;
    double shift = 0;
    std::size_t kept = 0;
    for (; kept < most_; ++kept) {
      sum += row[order_[kept]];
      const double next_shift = (1 - sum) / static_cast<double>(kept + 1);
      if (row[order_[kept]] + next_shift <= 0) break;
      shift = next_shift;
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      double& value = row[order_[i]];
      value = i < kept ? value + shift : 0.0;
    }
  }

 private:
  std::vector<std::uint32_t> order_;
  std::size_t most_;
};

}  // namespace

Error ReducedWeightsJob::validate() const {
  if (handle_count == 0) return Error("weights must have at least one column, got none");
  if (weights.size() % handle_count != 0 || reduced.size() != weights.size()) {
    return Error("weights and reduced must have the same shape, got " + std::to_string(weights.size()) +
                 " and " + std::to_string(reduced.size()) + " numbers");
  }
  if (!positions.empty() && positions.size() / 3 != weights.size() / handle_count) {
    return Error("surface must have a vertex for each of the " +
                 std::to_string(weights.size() / handle_count) + " rows of weights, got " +
                 std::to_string(positions.size() / 3));
  }
  if (influence_count < 1) return Error("k must be at least 1, got " + std::to_string(influence_count));
  if (!(smoothness >= 0 && std::isfinite(smoothness))) {
    return Error("smoothness must be at least 0 and finite, got " + number_text(smoothness));
  }
  if (sweep_limit < 1) return Error("sweep_limit must be at least 1, got " + std::to_string(sweep_limit));
  if (!(tolerance > 0)) return Error("tolerance must be above zero, got " + number_text(tolerance));
  return {};
}

Error ReducedWeightsJob::run() const {
  if (Error error = validate()) return error;
  Net net;
  if (Error error = make_net(*this, &net)) return error;
  const std::size_t node_count = net.firsts.size();
  const std::size_t row = handle_count;
  Projection projection(row, static_cast<std::size_t>(influence_count));
  std::vector<double> changes(node_count * row);  // d
  std::vector<double> own(row);
  for (std::size_t node = 0; node < node_count; ++node) {
    const double* given = &weights[net.firsts[node] * row];
    std::copy_n(given, row, own.begin());
    projection.apply(own.data());
    for (std::size_t i = 0; i < row; ++i) changes[node * row + i] = own[i] - given[i];
  }
  int sweep = 0;
  const bool has_edges = smoothness > 0 && !net.neighbours.empty();
  for (double most = HUGE_VAL; has_edges && sweep < sweep_limit && most > tolerance; ++sweep) {
    most = 0;
    for (std::size_t node = 0; node < node_count; ++node) {
      if (node % 4096 == 0 && progress && progress("reducing", static_cast<double>(sweep) / sweep_limit)) {
        return Error(kStopped);
      }
      const std::uint32_t begin = net.starts[node];
      const std::uint32_t end = net.starts[node + 1];
      std::fill(own.begin(), own.end(), 0.0);
      for (std::uint32_t at = begin; at < end; ++at) {
        const double* change = &changes[net.neighbours[at] * row];
        for (std::size_t i = 0; i < row; ++i) own[i] += change[i];
      }
      const double share = smoothness / (1 + smoothness * static_cast<double>(end - begin));
      const double* given = &weights[net.firsts[node] * row];
      for (std::size_t i = 0; i < row; ++i) own[i] = given[i] + share * own[i];
      projection.apply(own.data());
      for (std::size_t i = 0; i < row; ++i) {
        double& change = changes[node * row + i];
        const double next = own[i] - given[i];
        most = std::max(most, std::abs(next - change));
        change = next;
      }
    }
  }
  for (std::size_t vertex = 0; vertex < net.nodes.size(); ++vertex) {
    const std::uint32_t node = net.nodes[vertex];
    const double* given = &weights[net.firsts[node] * row];
    for (std::size_t i = 0; i < row; ++i) {
      const double value = given[i] + changes[node * row + i];
      // Entries that were set to 0 are exactly 0, whatever the sum of the two rounds to.
      reduced[vertex * row + i] = value > std::numeric_limits<double>::epsilon() ? value : 0.0;
    }
  }
  if (sweep_count) *sweep_count = sweep;
  return {};
}

}  // namespace lissom
