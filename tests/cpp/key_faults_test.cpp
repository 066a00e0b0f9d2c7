// SPDX-License-Identifier: MIT
#include "core/animation/key_faults.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace lissom {
namespace {

using Numbers = std::vector<std::int64_t>;

struct Found {
  Error error;
  Numbers first, count;
};

Found find(KeyRule rule, const std::vector<float>& floats, double limit, std::size_t step,
           const Numbers& begin, const Numbers& end) {
  Found found{{}, Numbers(begin.size()), Numbers(begin.size())};
  KeyFaultsJob job;
  job.floats = floats;
  job.rule = rule;
  job.limit = limit;
  job.step = step;
  job.begin = begin;
  job.end = end;
  job.first = found.first;
  job.count = found.count;
  found.error = job.run();
  return found;
}

TEST(KeyFaults, NumbersThatAreLargeOrNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Found found = find(KeyRule::kNumbers, {0, 5, nan, 1, -7, 2}, 5, 1, {3, 0, 0, 5, 2}, {6, 6, 2, 6, 2});
  ASSERT_FALSE(found.error);
  EXPECT_EQ(found.count, Numbers({1, 2, 0, 0, 0}));
  EXPECT_EQ(found.first, Numbers({4, 2, -1, -1, -1}));
}

TEST(KeyFaults, TimesThatDoNotRise) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Found found = find(KeyRule::kTimes, {0, 1, 1, 2, 3, nan, 4}, 0, 1, {0, 2, 2, 4}, {1, 4, 6, 6});
  EXPECT_EQ(found.count, Numbers({0, 0, 2, 2}));
  EXPECT_EQ(found.first, Numbers({-1, -1, 4, 4}));
  EXPECT_EQ(find(KeyRule::kTimes, {0, 1, 1}, 0, 1, {0}, {3}).count, Numbers({1}));  // none after the last
}

TEST(KeyFaults, RangesOutsideAreRefused) {
  const std::vector<float> floats(8, 1.0f);
  EXPECT_TRUE(find(KeyRule::kNumbers, floats, 2, 1, {-1}, {4}).error);
  EXPECT_TRUE(find(KeyRule::kNumbers, floats, 2, 1, {0}, {9}).error);
  EXPECT_TRUE(find(KeyRule::kNumbers, floats, 2, 0, {0}, {8}).error);
  EXPECT_TRUE(find(KeyRule::kNumbers, floats, 2, 1, {0, 1}, {8}).error);
  EXPECT_EQ(find(KeyRule::kRotations, floats, 0.1, 4, {2, 6, 400}, {8, 8, 8}).count, Numbers({1, 0, 0}));
}

// Ranges that overlap in any way are as if each were looked through by itself.
TEST(KeyFaults, OverlappingRangesAreAsEachAlone) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<float> floats(60);
    for (float& one : floats) one = random() % 5 == 0 ? 0.9f : 0.5f;
    const std::size_t step = round % 3 == 0 ? 12 : 4;
    Numbers begin, end;
    const int ranges = round % 2 == 0 ? 4 : 24;  // fewer and more floats than are looked at range by range
    for (int i = 0; i < ranges; ++i) {
      begin.push_back(random() % 61);
      end.push_back(random() % 61);
    }
    const Found found = find(KeyRule::kRotations, floats, 0.01, step, begin, end);
    ASSERT_FALSE(found.error);
    for (std::size_t i = 0; i < begin.size(); ++i) {
      std::int64_t count = 0, first = -1;
      for (std::int64_t at = begin[i]; at < end[i] && at + 4 <= 60; at += static_cast<std::int64_t>(step)) {
        double squares = 0;
        for (int k = 0; k < 4; ++k) {
          squares += std::pow(static_cast<double>(floats[static_cast<std::size_t>(at + k)]), 2);
        }
        if (std::abs(std::sqrt(squares) - 1) <= 0.01) continue;
        if (count++ == 0) first = at;
      }
      EXPECT_EQ(found.count[i], count);
      EXPECT_EQ(found.first[i], first);
    }
  }
}

}  // namespace
}  // namespace lissom
