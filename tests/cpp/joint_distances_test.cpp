// SPDX-License-Identifier: MIT
#include "core/animation/joint_distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lissom {
namespace {

// Two joints, the second one along x; afterwards the first has turned by half a turn about z.
template <class T>
struct TwoJoints {
  std::vector<std::int32_t> parents{-1, 0};
  std::vector<double> offsets{0.5, 0.5, 0.5, 0.25, 3, 0.25};
  std::vector<T> before{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  std::vector<T> after{0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  std::vector<double> out = std::vector<double>(2, -7);

  JointDistanceJob<T> job() { return {parents, offsets, before, after, out}; }
};

template <class T>
void expect_known_distances() {
  TwoJoints<T> two;
  ASSERT_FALSE(two.job().run());
  EXPECT_NEAR(two.out[0], 1.0, 1e-12);  // points at 0.5 go to -0.5
  // (1, 3, 0) goes to (-1, -3, 0).
  EXPECT_NEAR(two.out[1], 2 * std::sqrt(10.0), 1e-12);
}

TEST(JointDistances, AreThoseOfTheFarthestPoint) {
  expect_known_distances<float>();
  expect_known_distances<double>();
}

TEST(JointDistances, OfManyPosesAreThoseOfEach) {
  TwoJoints<double> two;
  for (std::size_t pose = 1; pose < 37; ++pose) {  // no multiple of any number of lanes
    for (std::size_t i = 0; i < 20; ++i) {
      two.before.push_back(two.before[i]);
      two.after.push_back(two.after[i] + (i == 0 ? static_cast<double>(pose) : 0.0));
    }
  }
  two.out.assign(2 * 37, 0.0);
  ASSERT_FALSE(two.job().run());
  for (std::size_t pose = 0; pose < 37; ++pose) {
    const double x = static_cast<double>(pose);
    EXPECT_NEAR(two.out[2 * pose], std::max(x + 0.0, std::max(std::abs(x - 1), std::hypot(x, 1.0))), 1e-12);
  }
}

TEST(JointDistances, AreRefusedByTheRuleTheyBreak) {
  const auto refused = [](auto&& change) {
    TwoJoints<float> two;
    change(two);
    const bool is_refused = static_cast<bool>(two.job().run());
    for (const double distance : two.out) EXPECT_EQ(distance, -7);
    return is_refused;
  };
  EXPECT_TRUE(refused([](auto& two) { two.parents[1] = 1; }));
  EXPECT_TRUE(refused([](auto& two) { two.offsets.pop_back(); }));
  EXPECT_TRUE(refused([](auto& two) { two.before.pop_back(); }));
  EXPECT_TRUE(refused([](auto& two) { two.after.resize(40); }));
  EXPECT_TRUE(refused([](auto& two) { two.out.resize(1); }));
}

}  // namespace
}  // namespace lissom
