// SPDX-License-Identifier: MIT
#include "core/bake/error_metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

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
  std::vector<double> sums = std::vector<double>(2);
  std::vector<float> maxima = std::vector<float>(2);
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
    job.sums = sums;
    job.maxima = maxima;
    job.histogram = histogram;
    job.bounds = bounds;
    return job.run();
  }
};

TEST(ErrorMetric, MeasuresEachMoment) {
  Fixture fixture;
  ASSERT_FALSE(fixture.run());
  double sum = 0;
  for (std::size_t v = 0; v < Fixture::kVertices; ++v) sum += static_cast<double>(v * v) / 1e4;
  EXPECT_NEAR(fixture.sums[0], sum, 1e-4);
  EXPECT_NEAR(fixture.sums[1], sum / 4, 1e-4);
  EXPECT_NEAR(fixture.maxima[0], 2.99, 1e-5);
  EXPECT_NEAR(fixture.maxima[1], 1.495, 1e-5);
  for (std::size_t axis = 0; axis < 6; ++axis)
    EXPECT_NEAR(fixture.bounds[axis], axis == 3 ? 3.99 : 1.0, 1e-5);
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
}

TEST(ErrorMetric, RefusesWrongGroupsAndLengths) {
  Fixture fixture;
  fixture.groups[1] = 2;
  EXPECT_EQ(fixture.run().sentence(), "groups must be at least 0 and below 2, got 2");
  fixture.groups[1] = 1;
  fixture.actual.pop_back();
  EXPECT_EQ(fixture.run().sentence(), "actual must hold 1800 numbers, got 1799");
}

}  // namespace
}  // namespace lissom
