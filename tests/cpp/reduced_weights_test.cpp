// SPDX-License-Identifier: MIT
#include "core/weights/reduced_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/progress.h"

namespace lissom {
namespace {

constexpr std::size_t kHandles = 6;
constexpr double kRounding = 1e-12;

std::vector<double> random_rows(std::size_t count) {
  std::mt19937 random(5);
  std::exponential_distribution<double> value;
  std::vector<double> rows(count * kHandles);
  for (std::size_t row = 0; row < count; ++row) {
    double sum = 0;
    for (std::size_t h = 0; h < kHandles; ++h) sum += rows[row * kHandles + h] = value(random);
    for (std::size_t h = 0; h < kHandles; ++h) rows[row * kHandles + h] /= sum;
  }
  return rows;
}

// A square of side * side vertices, two triangles in each of its meshes, and weights that vary slowly over it.
struct Cloth {
  explicit Cloth(int side) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        positions.insert(positions.end(), {1.0 * x, 1.0 * y, 0});
        double sum = 0;
        for (std::size_t h = 0; h < kHandles; ++h) {
          const double angle = static_cast<double>(h);
          const double near =
              std::hypot(x - 0.5 * side * (1 + std::cos(angle)), y - 0.5 * side * (1 + std::sin(angle)));
          sum += 1 / (1 + near);
          weights.push_back(1 / (1 + near));
        }
        for (std::size_t h = 0; h < kHandles; ++h) weights[weights.size() - 1 - h] /= sum;
        if (x + 1 == side || y + 1 == side) continue;
        const auto at = static_cast<std::uint32_t>(y * side + x), up = at + static_cast<std::uint32_t>(side);
        triangles.insert(triangles.end(), {at, at + 1, up, at + 1, up + 1, up});
      }
    }
  }
  std::vector<double> positions, weights;
  std::vector<std::uint32_t> triangles;
};

std::vector<double> reduce(const Cloth& cloth, int k, double smoothness) {
  std::vector<double> reduced(cloth.weights.size());
  ReducedWeightsJob job;
  job.weights = cloth.weights;
  job.handle_count = kHandles;
  job.positions = cloth.positions;
  job.triangles = cloth.triangles;
  job.influence_count = k;
  job.smoothness = smoothness;
  job.reduced = reduced;
  EXPECT_EQ(job.run().sentence(), "");
  return reduced;
}

// The sum that the header names, each edge once.
double cost(const Cloth& cloth, const std::vector<double>& reduced, double smoothness) {
  std::vector<double> d(reduced.size());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = reduced[i] - cloth.weights[i];
  double sum = 0;
  for (const double value : d) sum += value * value;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t i = 0; i < cloth.triangles.size(); ++i) {
    const std::uint32_t a = cloth.triangles[i], b = cloth.triangles[i % 3 == 2 ? i - 2 : i + 1];
    edges.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (const auto& [a, b] : edges) {
    for (std::size_t h = 0; h < kHandles; ++h) {
      const double jump = d[a * kHandles + h] - d[b * kHandles + h];
      sum += smoothness * jump * jump;
    }
  }
  return sum;
}

void expect_rows(const std::vector<double>& reduced, int k) {
  for (std::size_t begin = 0; begin < reduced.size(); begin += kHandles) {
    const double* row = &reduced[begin];
    double sum = 0;
    for (std::size_t h = 0; h < kHandles; ++h) sum += row[h];
    ASSERT_NEAR(sum, 1, kRounding);
    ASSERT_GE(*std::min_element(row, row + kHandles), 0);
    ASSERT_LE(std::count_if(row, row + kHandles, [](double value) { return value > 0; }), k);
  }
}

TEST(ReducedWeightsJob, GivesTheNearestRowsWithoutEdges) {
  const std::vector<double> weights = random_rows(200);
  for (const int k : {1, 2, 4, 6, 9}) {
    std::vector<double> reduced(weights.size());
    ReducedWeightsJob job;
    job.weights = weights;
    job.handle_count = kHandles;
    job.influence_count = k;
    job.reduced = reduced;
    ASSERT_FALSE(job.run());
    expect_rows(reduced, k);
    // Of any k entries: moving them all by what is missing is the nearest with these entries.
    for (std::size_t begin = 0; begin < weights.size(); begin += kHandles) {
      double nearest = HUGE_VAL, got = 0;
      for (unsigned kept = 1; kept < 1u << kHandles; ++kept) {
        if (__builtin_popcount(kept) > k) continue;
        double sum = 0, square = 0, least = HUGE_VAL;
        for (std::size_t h = 0; h < kHandles; ++h) sum += kept >> h & 1 ? weights[begin + h] : 0;
        const double shift = (1 - sum) / __builtin_popcount(kept);
        for (std::size_t h = 0; h < kHandles; ++h) {
          const double given = weights[begin + h];
          square += kept >> h & 1 ? shift * shift : given * given;
          if (kept >> h & 1) least = std::min(least, given + shift);
        }
        if (least >= 0) nearest = std::min(nearest, square);
      }
      for (std::size_t h = 0; h < kHandles; ++h)
        got += (reduced[begin + h] - weights[begin + h]) * (reduced[begin + h] - weights[begin + h]);
      ASSERT_NEAR(got, nearest, kRounding);
    }
  }
}

TEST(ReducedWeightsJob, LowersItsSumAndSmoothsWhatIsLost) {
  const Cloth cloth(15);
  for (const int k : {2, 4}) {
    const std::vector<double> truncated = reduce(cloth, k, 0), smooth = reduce(cloth, k, 10);
    expect_rows(truncated, k);
    expect_rows(smooth, k);
    EXPECT_LT(cost(cloth, smooth, 10), 0.9 * cost(cloth, truncated, 10));
    EXPECT_GE(cost(cloth, smooth, 0), cost(cloth, truncated, 0) - kRounding);
  }
}

TEST(ReducedWeightsJob, LeavesRowsThatAreShortEnough) {
  const Cloth cloth(6);
  const std::vector<double> reduced = reduce(cloth, static_cast<int>(kHandles), 10);
  for (std::size_t i = 0; i < reduced.size(); ++i) EXPECT_NEAR(reduced[i], cloth.weights[i], kRounding);
}

TEST(ReducedWeightsJob, KeepsSplitVerticesTogether) {
  const Cloth whole(7);
  Cloth split = whole;  // triangle by triangle
  split.positions.clear();
  split.weights.clear();
  for (std::uint32_t i = 0; i < split.triangles.size(); ++i) {
    const std::size_t vertex = whole.triangles[i];
    split.positions.insert(split.positions.end(), &whole.positions[3 * vertex],
                           &whole.positions[3 * vertex] + 3);
    split.weights.insert(split.weights.end(), &whole.weights[kHandles * vertex],
                         &whole.weights[kHandles * vertex] + kHandles);
    split.triangles[i] = i;
  }
  const std::vector<double> want = reduce(whole, 3, 10), got = reduce(split, 3, 10);
  // Nodes are visited in another order, so sums end within the tolerance, not at the same bits: rows of one place do.
  std::vector<std::uint32_t> first(whole.positions.size() / 3, 0xFFFFFFFFu);
  for (std::uint32_t i = 0; i < split.triangles.size(); ++i) {
    std::uint32_t& one = first[whole.triangles[i]];
    if (one == 0xFFFFFFFFu) one = i;
    for (std::size_t h = 0; h < kHandles; ++h) EXPECT_EQ(got[i * kHandles + h], got[one * kHandles + h]);
  }
  EXPECT_NEAR(
      cost(whole, want, 10),
      [&] {
        std::vector<double> joined(want.size());
        for (std::size_t vertex = 0; vertex < first.size(); ++vertex)
          std::copy_n(&got[first[vertex] * kHandles], kHandles, &joined[vertex * kHandles]);
        return cost(whole, joined, 10);
      }(),
      0.02 * cost(whole, want, 10));
}

TEST(ReducedWeightsJob, SaysWhatIsWrongAndWritesNothing) {
  const std::vector<double> weights = {0.5, 0.3, 0.2};
  std::vector<double> reduced = {7, 7, 7};
  ReducedWeightsJob job;
  EXPECT_EQ(job.run().sentence(), "weights must have at least one column, got none");
  job.handle_count = 3;
  job.weights = weights;
  EXPECT_EQ(job.run().sentence(), "weights and reduced must have the same shape, got 3 and 0 numbers");
  job.reduced = reduced;
  job.influence_count = 0;
  EXPECT_EQ(job.run().sentence(), "k must be at least 1, got 0");
  job.influence_count = 2;
  job.smoothness = -1;
  EXPECT_EQ(job.run().sentence(), "smoothness must be at least 0 and finite, got -1");
  EXPECT_EQ(reduced, (std::vector<double>{7, 7, 7}));
  job.smoothness = 10;
  ASSERT_FALSE(job.run());
  EXPECT_NEAR(reduced[0], 0.6, 1e-15);
  EXPECT_NEAR(reduced[1], 0.4, 1e-15);
  EXPECT_EQ(reduced[2], 0);
}

}  // namespace
}  // namespace lissom
