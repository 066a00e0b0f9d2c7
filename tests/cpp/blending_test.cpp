// SPDX-License-Identifier: MIT
#include "core/animation/blending.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace lissom {
namespace {

// At rest, and a quarter turn about z, 2 along x, 3 times as large.
const std::vector<float> kRest{0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
const std::vector<float> kTurned{2, 0, 0, 0, 0, 0.70710678f, 0.70710678f, 3, 3, 3};
// Half way to it: an eighth turn, sin and cos of pi / 8.
const std::vector<float> kBetween{1, 0, 0, 0, 0, 0.38268343f, 0.92387953f, 2, 2, 2};

void expect_near(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6f) << i;
}

TEST(Blend, LiesBetween) {
  const std::vector<float> half{0.5f};
  std::vector<float> out(10);
  BlendJob<float> job{1, kRest, kTurned, half, {}, out};
  ASSERT_FALSE(job.run());
  expect_near(out, kBetween);
}

TEST(Blend, OnePoseServesAllResults) {
  const std::vector<float> weights{0, 0.5f, 1};
  std::vector<float> out(30);
  BlendJob<float> job{1, kRest, kTurned, weights, {}, out};
  ASSERT_FALSE(job.run());
  expect_near({out.begin(), out.begin() + 10}, kRest);
  expect_near({out.begin() + 10, out.begin() + 20}, kBetween);
  expect_near({out.begin() + 20, out.end()}, kTurned);
}

TEST(Blend, IsRefusedByTheRuleItBreaks) {
  const std::vector<float> half{0.5f}, two{0.5f, 0.5f}, more{1.5f};
  const std::vector<float> cut(kRest.begin(), kRest.end() - 1);
  std::vector<float> out(10, -7);
  EXPECT_TRUE((BlendJob<float>{1, cut, kTurned, half, {}, out}.run()));
  EXPECT_TRUE((BlendJob<float>{1, kRest, kTurned, two, {}, out}.run()));
  EXPECT_TRUE((BlendJob<float>{1, kRest, kTurned, more, {}, out}.run()));
  EXPECT_TRUE((BlendJob<float>{1, kRest, kTurned, half, two, out}.run()));
  EXPECT_TRUE((BlendJob<float>{1, kRest, kTurned, half, more, out}.run()));
  EXPECT_TRUE((BlendJob<float>{1, kRest, kTurned, half, {}, std::span(out).first(9)}.run()));
  EXPECT_TRUE((BlendJob<float>{2, kRest, kTurned, half, {}, out}.run()));
  for (const float element : out) EXPECT_EQ(element, -7.0f);
}

TEST(BlendLayers, TakesTheMean) {
  const std::vector<float> one{1}, three{3};
  const std::vector<BlendLayer<float>> layers{{kRest, three, {}}, {kTurned, three, {}}};
  std::vector<float> out(10);
  BlendLayersJob<float> job{1, layers, {}, 0, out};
  ASSERT_FALSE(job.run());
  expect_near(out, kBetween);
}

TEST(BlendLayers, TheRestFillsUpToTheThreshold) {
  const std::vector<float> quarter{0.25f};
  const std::vector<BlendLayer<float>> layers{{kTurned, quarter, {}}};
  std::vector<float> out(10);
  BlendLayersJob<float> job{1, layers, kRest, 0.5f, out};
  ASSERT_FALSE(job.run());
  expect_near(out, kBetween);
  job.layers = {};
  ASSERT_FALSE(job.run());
  EXPECT_EQ(out, kRest);
}

TEST(BlendLayers, TakesPosesWithoutJoints) {
  const std::vector<float> three{0, 1, 2};
  const std::vector<BlendLayer<float>> layers{{{}, three, {}}};
  EXPECT_FALSE((BlendLayersJob<float>{0, layers, {}, 0, {}}.run()));
  EXPECT_FALSE((BlendJob<float>{0, {}, {}, three, {}, {}}.run()));
}

TEST(BlendLayers, IsRefusedByTheRuleItBreaks) {
  const std::vector<float> one{1}, none{0}, less{-1}, nan{std::numeric_limits<float>::quiet_NaN()};
  std::vector<float> out(10, -7);
  const auto refused = [&](const std::vector<BlendLayer<float>>& layers, std::span<const float> rest,
                           float threshold) {
    return static_cast<bool>(BlendLayersJob<float>{1, layers, rest, threshold, out}.run());
  };
  EXPECT_TRUE(refused({}, {}, 0.1f));
  EXPECT_TRUE(refused({{kRest, none, {}}}, {}, 0.1f));
  EXPECT_TRUE(refused({{kRest, one, none}}, {}, 0.1f));
  EXPECT_TRUE(refused({{kRest, less, {}}}, {}, 0.1f));
  EXPECT_TRUE(refused({{kRest, one, nan}}, {}, 0.1f));
  EXPECT_TRUE(refused({{kRest, one, {}}}, kRest, 0));
  EXPECT_TRUE(refused({{kRest, one, {}}}, one, 0.1f));
  EXPECT_TRUE(refused({{one, one, {}}}, {}, 0.1f));
  const std::vector<float> largest{std::numeric_limits<float>::max()};
  EXPECT_TRUE(refused({{kRest, largest, {}}, {kRest, largest, {}}}, kRest, 0.1f));
  for (const float element : out) EXPECT_EQ(element, -7.0f);
}

}  // namespace
}  // namespace lissom
