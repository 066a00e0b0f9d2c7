// SPDX-License-Identifier: MIT
#include "core/animation/additive.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace lissom {
namespace {

// A quarter turn about z, moved by 2 along x; a quarter turn about x, 1 along y, 0.5 larger.
const std::vector<float> kBase{2, 0, 0, 0, 0, 0.70710678f, 0.70710678f, 1, 1, 1};
const std::vector<float> kDifference{0, 1, 0, 0.70710678f, 0, 0, 0.70710678f, 0.5f, 0.5f, 0.5f};

TEST(AddLayer, TurnsAboutTheAxesOfTheJoint) {
  const std::vector<float> one{1};
  std::vector<float> out(10);
  AddLayerJob<float> job{1, kBase, kDifference, one, {}, out};
  ASSERT_FALSE(job.run());
  // (k + 1) (i + 1) / 2 = (j + k + i + 1) / 2; the other order would have -j.
  const std::vector<float> want{2, 1, 0, 0.5f, 0.5f, 0.5f, 0.5f, 1.5f, 1.5f, 1.5f};
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(out[i], want[i], 1e-6f) << i;
}

TEST(AddLayer, NothingOfItIsNothing) {
  const std::vector<float> zero{0};
  std::vector<float> out(10);
  AddLayerJob<float> job{1, kBase, kDifference, zero, {}, out};
  ASSERT_FALSE(job.run());
  EXPECT_EQ(out, kBase);
}

TEST(AddLayer, IsRefusedByTheRuleItBreaks) {
  const std::vector<float> one{1}, two{1, 1}, nan{std::numeric_limits<float>::quiet_NaN()};
  std::vector<float> out(10, -7);
  EXPECT_TRUE((AddLayerJob<float>{1, one, kDifference, one, {}, out}.run()));
  EXPECT_TRUE((AddLayerJob<float>{1, kBase, one, one, {}, out}.run()));
  EXPECT_TRUE((AddLayerJob<float>{1, kBase, kDifference, two, {}, out}.run()));
  EXPECT_TRUE((AddLayerJob<float>{1, kBase, kDifference, nan, {}, out}.run()));
  EXPECT_TRUE((AddLayerJob<float>{1, kBase, kDifference, one, nan, out}.run()));
  EXPECT_TRUE((AddLayerJob<float>{1, kBase, kDifference, one, {}, std::span(out).first(9)}.run()));
  for (const float element : out) EXPECT_EQ(element, -7.0f);
}

}  // namespace
}  // namespace lissom
