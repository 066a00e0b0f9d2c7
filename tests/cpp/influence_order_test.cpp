// SPDX-License-Identifier: MIT
#include "core/weights/influence_order.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace lissom {
namespace {

struct Ordered {
  bool is_good;
  std::vector<std::int64_t> joints;
  std::vector<float> weights;
};

Ordered order(const std::vector<std::int64_t>& joints, const std::vector<float>& weights,
              std::size_t influences) {
  Ordered ordered{false, std::vector<std::int64_t>(joints.size()), std::vector<float>(joints.size())};
  InfluenceOrderJob<std::int64_t> job;
  job.joints = joints;
  job.weights = weights;
  job.influences = influences;
  job.joint_count = 10;
  job.sum_tolerance = 1e-5;
  job.joints_out = ordered.joints;
  job.weights_out = ordered.weights;
  EXPECT_FALSE(job.run());
  ordered.is_good = job.is_good;
  return ordered;
}

TEST(InfluenceOrder, LargestFirstAndEqualOnesInOrder) {
  const Ordered found = order({4, 0, 9, 7, 3, 2, 3, 1}, {0.25f, 0, 0.5f, 0.25f, 0, 1, 0, 0}, 4);
  ASSERT_TRUE(found.is_good);
  EXPECT_EQ(found.joints, std::vector<std::int64_t>({9, 4, 7, 9, 2, 2, 2, 2}));
  EXPECT_EQ(found.weights, std::vector<float>({0.5f, 0.25f, 0.25f, 0, 1, 0, 0, 0}));
}

TEST(InfluenceOrder, WhatIsToBeRepairedIsNot) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  ASSERT_TRUE(order({1, 2}, {0.5f, 0.5f}, 2).is_good);
  EXPECT_FALSE(order({1, 10}, {1, 0}, 2).is_good);
  EXPECT_FALSE(order({1, -1}, {1, 0}, 2).is_good);
  EXPECT_FALSE(order({1, 1}, {0.5f, 0.5f}, 2).is_good);
  for (const float odd : {nan, inf, -inf, -0.5f, 0.6f}) EXPECT_FALSE(order({1, 2}, {0.5f, odd}, 2).is_good);
  EXPECT_FALSE(order({1, 2}, {0, 0}, 2).is_good);
  EXPECT_FALSE(order(std::vector<std::int64_t>(17), std::vector<float>(17, 1 / 17.0f), 17).is_good);
  EXPECT_TRUE(order({}, {}, 4).is_good);
}

TEST(InfluenceOrder, JointsAsFilesHaveThem) {
  const std::vector<std::uint8_t> joints = {4, 255, 9, 7};
  const std::vector<float> weights = {0.25f, 0, 0.5f, 0.25f};
  std::vector<std::uint8_t> joints_out(4);
  std::vector<float> weights_out(4);
  InfluenceOrderJob<std::uint8_t> job;
  job.joints = joints;
  job.weights = weights;
  job.influences = 4;
  job.joint_count = 256;
  job.sum_tolerance = 1e-5;
  job.joints_out = joints_out;
  job.weights_out = weights_out;
  EXPECT_FALSE(job.run());
  EXPECT_TRUE(job.is_good);
  EXPECT_EQ(joints_out, std::vector<std::uint8_t>({9, 4, 7, 9}));
  job.joint_count = 255;
  EXPECT_FALSE(job.run());
  EXPECT_FALSE(job.is_good);
}

TEST(InfluenceOrder, ArraysOfDifferentShapesAreRefused) {
  const std::vector<std::int64_t> joints(4);
  const std::vector<float> weights(3);
  InfluenceOrderJob<std::int64_t> job;
  job.joints = joints;
  job.weights = weights;
  job.influences = 2;
  EXPECT_TRUE(job.run());
}

}  // namespace
}  // namespace lissom
