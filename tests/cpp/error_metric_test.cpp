// SPDX-License-Identifier: MIT
#include "core/bake/error_metric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "core/parallel/thread_pool.h"

namespace lissom {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Two moments of 300 vertices, more than one block; vertex
// v is off by (v / 100, 0, 0), half of that at the second.
struct Fixture {
  static constexpr std::size_t kVertices = 300;
  std::vector<float> expected = std::vector<float>(2 * kVertices * 3, 1.0f);
  std::vector<float> actual = expected;
  std::vector<std::int32_t> groups = {0, 1};
  std::vector<std::uint32_t> copies = std::vector<std::uint32_t>(kVertices, 1);
  std::vector<float> maxima = std::vector<float>(2);
  std::vector<double> vertex_sums = std::vector<double>(2 * kVertices);
  std::vector<float> vertex_squares = std::vector<float>(2 * kVertices);
  std::vector<std::int64_t> histogram = std::vector<std::int64_t>(2 * kDistanceBinCount);
  std::vector<float> bounds = {kInfinity, kInfinity, kInfinity, -kInfinity, -kInfinity, -kInfinity};

  Fixture() {
    for (std::size_t v = 0; v < kVertices; ++v) {
      actual[3 * v] += static_cast<float>(v) / 100;
      actual[3 * (kVertices + v)] += static_cast<float>(v) / 200;
    }
  }

  Error run() {
    ErrorMetricJob job;
    job.sample_count = 2;
    job.vertex_count = kVertices;
    job.expected = expected;
    job.actual = actual;
    job.groups = groups;
    job.copies = copies;
    job.maxima = maxima;
    job.vertex_sums = vertex_sums;
    job.vertex_squares = vertex_squares;
    job.histogram = histogram;
    job.bounds = bounds;
    return job.run();
  }
};

TEST(ErrorMetric, MeasuresEachMoment) {
  Fixture fixture;
  ASSERT_FALSE(fixture.run());
  EXPECT_NEAR(fixture.maxima[0], 2.99, 1e-5);
  EXPECT_NEAR(fixture.maxima[1], 1.495, 1e-5);
  for (std::size_t axis = 0; axis < 6; ++axis)
    EXPECT_NEAR(fixture.bounds[axis], axis == 3 ? 3.99 : 1.0, 1e-5);
}

TEST(ErrorMetric, MeasuresEachVertexOfEachGroup) {
  Fixture fixture;
  ASSERT_FALSE(fixture.run());
  fixture.groups = {0, 0};
  ASSERT_FALSE(fixture.run());  // group 0 now saw the whole, the whole and the half; group 1 the half
  for (std::size_t v = 0; v < Fixture::kVertices; ++v) {
    const double whole = static_cast<double>(v * v) / 1e4;
    EXPECT_NEAR(fixture.vertex_sums[v], 2.25 * whole, 1e-5) << v;
    EXPECT_NEAR(fixture.vertex_sums[Fixture::kVertices + v], whole / 4, 1e-5) << v;
    EXPECT_NEAR(fixture.vertex_squares[v], whole, 1e-5) << v;
    EXPECT_NEAR(fixture.vertex_squares[Fixture::kVertices + v], whole / 4, 1e-5) << v;
  }
}

// Any number of threads, any split of the moments into calls, any instruction set.
TEST(ErrorMetric, IsTheSameForAnySplit) {
  constexpr std::size_t kSamples = 40, kVertices = 1000;
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 1e-3f);
  std::vector<float> expected(kSamples * kVertices * 3), actual(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = 1000 * noise(random);
    actual[i] = expected[i] + noise(random);
  }
  std::vector<std::int32_t> groups(kSamples);
  for (std::size_t i = 0; i < kSamples; ++i) groups[i] = static_cast<std::int32_t>(i * i % 3);
  const std::vector<std::uint32_t> copies(kVertices, 1);
  struct Result {
    std::vector<float> maxima = std::vector<float>(kSamples);
    std::vector<double> sums = std::vector<double>(3 * kVertices);
    std::vector<float> squares = std::vector<float>(3 * kVertices);
    std::vector<std::int64_t> histogram = std::vector<std::int64_t>(3 * kDistanceBinCount);
    std::vector<float> bounds = {kInfinity, kInfinity, kInfinity, -kInfinity, -kInfinity, -kInfinity};
    bool operator==(const Result&) const = default;
  };
  const auto measured = [&](std::size_t step) {
    Result result;
    for (std::size_t begin = 0; begin < kSamples; begin += step) {
      const std::size_t count = std::min(step, kSamples - begin), first = begin * kVertices * 3;
      ErrorMetricJob job;
      job.sample_count = count;
      job.vertex_count = kVertices;
      job.expected = std::span(expected).subspan(first, count * kVertices * 3);
      job.actual = std::span(actual).subspan(first, count * kVertices * 3);
      job.groups = std::span(groups).subspan(begin, count);
      job.copies = copies;
      job.maxima = std::span(result.maxima).subspan(begin, count);
      job.vertex_sums = result.sums;
      job.vertex_squares = result.squares;
      job.histogram = result.histogram;
      job.bounds = result.bounds;
      EXPECT_FALSE(job.run());
    }
    return result;
  };
  ASSERT_FALSE(set_thread_count(1));
  const Result once = measured(kSamples);
  double sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) sum += std::pow(double(actual[i]) - expected[i], 2);
  EXPECT_NEAR(std::accumulate(once.sums.begin(), once.sums.end(), 0.0), sum, 1e-6 * sum);
  for (const int threads : {1, 2, 3, 8}) {
    ASSERT_FALSE(set_thread_count(threads));
    for (const std::size_t step : {1u, 7u, 40u})
      EXPECT_TRUE(measured(step) == once) << threads << ", " << step;
  }
  ASSERT_FALSE(set_thread_count(0));
}

TEST(ErrorMetric, CountsEveryDistanceOnce) {
  Fixture fixture;
  ASSERT_FALSE(fixture.run());
  ASSERT_FALSE(fixture.run());  // histograms add up
  for (std::size_t group = 0; group < 2; ++group) {
    const auto begin = fixture.histogram.begin() + static_cast<std::ptrdiff_t>(group * kDistanceBinCount);
    EXPECT_EQ(std::accumulate(begin, begin + kDistanceBinCount, std::int64_t{0}), 600);
    // The median lies in the bin of the median.
    std::size_t bin = 0;
    for (std::int64_t count = 0; count < 300; ++bin) count += begin[static_cast<std::ptrdiff_t>(bin)];
    EXPECT_NEAR(distance_bin_end(bin - 1), group == 0 ? 1.5 : 0.75, 0.02);
  }
}

TEST(ErrorMetric, CountsAVertexForAllItsCopies) {
  Fixture fixture;
  fixture.copies[150] = 2;  // off by 1.5, and by 0.75 at the second moment
  fixture.copies[299] = 5;
  ASSERT_FALSE(fixture.run());
  Fixture once;
  ASSERT_FALSE(once.run());
  EXPECT_EQ(fixture.maxima, once.maxima);
  EXPECT_EQ(fixture.vertex_sums, once.vertex_sums);
  for (std::size_t group = 0; group < 2; ++group) {
    for (const std::size_t v : {150u, 299u}) {
      const float distance = static_cast<float>(v) / (group == 0 ? 100.0f : 200.0f);
      once.histogram[group * kDistanceBinCount + distance_bin(distance * distance)] += v == 150 ? 1 : 4;
    }
  }
  EXPECT_EQ(fixture.histogram, once.histogram);
}

TEST(ErrorMetric, BinsAreNarrow) {
  for (const double distance : {1e-12, 3e-5, 0.1, 1.0, 1234.5}) {
    const auto squared = static_cast<float>(distance * distance);
    const double end = distance_bin_end(distance_bin(squared));
    EXPECT_GT(end, distance);
    EXPECT_LT(end, 1.009 * distance);
  }
  EXPECT_EQ(distance_bin(0.0f), 0u);
}

TEST(ErrorMetric, ShowsNaN) {
  Fixture fixture;
  fixture.actual[30] = std::numeric_limits<float>::quiet_NaN();
  ASSERT_FALSE(fixture.run());
  EXPECT_TRUE(std::isnan(fixture.maxima[0]));
  EXPECT_FALSE(std::isnan(fixture.maxima[1]));
  EXPECT_TRUE(std::isnan(fixture.vertex_squares[10]));
  EXPECT_FALSE(std::isnan(fixture.vertex_squares[11]));
  ASSERT_FALSE(fixture.run());
  EXPECT_TRUE(std::isnan(fixture.vertex_squares[10]));
  for (std::size_t axis = 0; axis < 6; ++axis) EXPECT_FALSE(std::isnan(fixture.bounds[axis]));
}

TEST(ErrorMetric, RefusesWrongGroupsAndLengths) {
  Fixture fixture;
  fixture.groups[1] = 2;
  EXPECT_EQ(fixture.run().sentence(), "groups must be at least 0 and below 2, got 2");
  fixture.groups[1] = 1;
  fixture.vertex_sums.pop_back();
  EXPECT_EQ(fixture.run().sentence(), "vertex_sums must hold 600 numbers, got 599");
  fixture.vertex_sums.push_back(0);
  fixture.vertex_squares.push_back(0);
  EXPECT_EQ(fixture.run().sentence(), "vertex_squares must hold 600 numbers, got 601");
  fixture.actual.pop_back();
  EXPECT_EQ(fixture.run().sentence(), "actual must hold 1800 numbers, got 1799");
  fixture.actual.push_back(1);
  fixture.vertex_squares.pop_back();
  fixture.copies.pop_back();
  EXPECT_EQ(fixture.run().sentence(), "copies must hold 300 numbers, got 299");
}

}  // namespace
}  // namespace lissom
