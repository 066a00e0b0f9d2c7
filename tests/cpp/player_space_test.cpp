// SPDX-License-Identifier: MIT
#include "core/players/player_space.h"

#include <gtest/gtest.h>

#include <vector>

#include "players_fixture.h"

namespace lissom {
namespace {

void expect_shares(const SpaceShares& shares, const std::vector<std::int32_t>& indices,
                   const std::vector<double>& weights) {
  EXPECT_EQ(std::vector<std::int32_t>(shares.indices, shares.indices + shares.count), indices);
  EXPECT_EQ(std::vector<double>(shares.weights, shares.weights + shares.count), weights);
}

PlayerSpace line() {
  PlayerSpace space;
  space.clips = {4, 2, 7}, space.starts = {0.0, 0.0, 0.0}, space.durations = {1.0, 2.0, 4.0};
  space.order = {2, 0, 1}, space.values = {-1.0, 0.0, 2.0};  // clip number 2 of the space is at -1
  return space;
}

TEST(PlayerSpace, TheTwoNearestOnALineHaveShares) {
  const PlayerSpace space = line();
  const auto at = [&](double value) { return shares_at(space, &value); };
  expect_shares(at(-5.0), {2}, {1.0});
  expect_shares(at(-1.0), {2}, {1.0});
  expect_shares(at(-0.75), {0, 2}, {0.25, 0.75});  // by their numbers in the space
  expect_shares(at(0.0), {0}, {1.0});
  expect_shares(at(0.5), {0, 1}, {0.75, 0.25});
  expect_shares(at(2.0), {1}, {1.0});
  expect_shares(at(9.0), {1}, {1.0});
  EXPECT_EQ(cycle_seconds(space, at(0.5)), 0.75 * 1.0 + 0.25 * 2.0);
  EXPECT_EQ(cycle_seconds(space, at(-0.75)), 0.25 * 1.0 + 0.75 * 4.0);
}

// The square of (0, 0), (1, 0), (0, 1), (1, 1), cut from (1, 0) to (0, 1).
PlayerSpace square() {
  PlayerSpace space;
  space.clips = {0, 1, 2, 3}, space.starts = {0, 0, 0, 0}, space.durations = {1, 2, 4, 8};
  space.points = {0, 0, 1, 0, 0, 1, 1, 1};
  space.triangles = {0, 1, 2, 3, 2, 1};
  space.from_point = {-1, -1, 1,  1,  0, 0, 0, 1,  0,   // 1 - x - y, x, y
                      1,  1,  -1, -1, 0, 1, 0, -1, 1};  // x + y - 1, 1 - x, 1 - y
  space.boundary = {0, 1, 1, 3, 3, 2, 2, 0};
  return space;
}

TEST(PlayerSpace, TheCornersOfATriangleHaveShares) {
  const PlayerSpace space = square();
  const auto at = [&](double x, double y) {
    const double point[] = {x, y};
    return shares_at(space, point);
  };
  expect_shares(at(0.25, 0.25), {0, 1, 2}, {0.5, 0.25, 0.25});
  expect_shares(at(0.75, 0.5), {1, 2, 3}, {0.5, 0.25, 0.25});
  expect_shares(at(0.0, 0.0), {0}, {1.0});
  expect_shares(at(0.5, 0.5), {1, 2}, {0.5, 0.5});  // on the cut
  // Outside: the nearest point of the boundary.
  expect_shares(at(0.25, -3.0), {0, 1}, {0.75, 0.25});
  expect_shares(at(1.5, 0.5), {1, 3}, {0.5, 0.5});
  expect_shares(at(7.0, 9.0), {3}, {1.0});
  EXPECT_EQ(cycle_seconds(space, at(0.75, 0.5)), 0.5 * 2.0 + 0.25 * 4.0 + 0.25 * 8.0);
}

class PlayerSpacesTest : public PlayersTest {
 protected:
  void SetUp() override {
    PlayersTest::SetUp();
    space_.clips = {0, 1}, space_.starts = {0.0, 0.0}, space_.durations = {1.0, 1.0};
    space_.order = {0, 1}, space_.values = {0.0, 1.0};
    PlayerClip clip;
    clip.space = &space_;
    clip.duration = 1.0;
    clips_.push_back(clip);
    job_.clips = clips_;
  }
  void play_at(std::size_t row, double parameter) {
    play(row, 2, 0.0);
    PlayerLayer& layer = job_.rows.layers(row)[0];
    layer.parameter[0] = layer.parameter_shown[0] = layer.parameter_before[0] = parameter;
    layer.sync = 0;
  }
  PlayerSpace space_;
};

TEST_F(PlayerSpacesTest, PosesAreBlendedAtEachParameter) {
  play_at(0, 0.0), play_at(1, 0.5), play_at(2, 2.0);
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_[0], 0.25f);
  EXPECT_EQ(out_[10], 0.5f * 0.25f + 0.5f * 5.0f);
  EXPECT_EQ(out_[20], 5.0f);
  job_.rows.layers(1)[0].parameter[0] = 0.25;  // where it is to be in the next step
  play(2, 0, 0.0);                             // beside a clip
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_[10], 0.75f * 0.5f + 0.25f * 5.0f);
  EXPECT_EQ(job_.rows.layers(1)[0].parameter_before[0], 0.5);
  EXPECT_EQ(out_[20], 0.25f);
}

TEST_F(PlayerSpacesTest, OfAnotherTypeItIsBlendedInThat) {
  space_.is_double = true;
  play_at(0, 1.0 / 3.0);
  ASSERT_FALSE(job_.run());
  const double share = 1.0 / 3.0;
  EXPECT_EQ(out_[0], static_cast<float>((1.0 - share) * 0.25 + share * 5.0));
}

TEST_F(PlayerSpacesTest, MorphWeightsAreBlendedOrShowDefaults) {
  const std::vector<double> rest{0.25};
  for (PlayerClip& clip : clips_) clip.rest_weights = rest;
  space_.rest_weights = {-2.0};
  const std::vector<float> rest_weights(1);
  std::vector<float> out_weights(3);
  job_.morph_count = 1;
  job_.rest_weights = rest_weights, job_.out_weights = out_weights;
  play_at(0, 0.5);
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_weights[0], -2.0f);  // of a space that knows of none
  space_.morph_defaults = {0.75};
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_weights[0], 0.75f);  // of clips that know of none, in one that does
  space_.is_additive = true;
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_weights[0], 0.0f);
}

}  // namespace
}  // namespace lissom
