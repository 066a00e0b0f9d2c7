// SPDX-License-Identifier: MIT
#include "core/players/top_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "players_fixture.h"

namespace lissom {
namespace {

// Three players whose joint moves from x = 0, and a layer of the joint that stays at x = 5.
class TopLayerTest : public PlayersTest {
 protected:
  void SetUp() override {
    PlayersTest::SetUp();
    for (std::size_t row = 0; row < 3; ++row) play(row, 0, 0.0);
    bottom_ = job_.rows;
    layer_.rows = {reinterpret_cast<std::byte*>(top_bytes_.data()), 3, kLayers};
    layer_.memory.points = top_points_.data();
    layer_.memory.held = top_held_.data();
    layer_.memory.differences = top_differences_.data();
    layer_.clips = clips_;
    layer_.joint_count = 1;
    layer_.title = "layer 'arms'";
    layer_.weights = weight_bytes_.data();
    layer_.stepped = stepped_;
    job_.top_layers = {&layer_, 1};
  }
  void play_on_top(std::size_t row, std::int32_t clip) {
    job_.rows = layer_.rows;
    play(row, clip, 0.0);
    job_.rows = bottom_;
  }
  void weigh(std::size_t row, const TopWeight& weight) {
    std::memcpy(weight_bytes_.data() + row * kTopWeightBytes, &weight, kTopWeightBytes);
  }
  TopWeight weight(std::size_t row) const {
    TopWeight weight = {};
    std::memcpy(&weight, weight_bytes_.data() + row * kTopWeightBytes, kTopWeightBytes);
    return weight;
  }

  PlayerRows bottom_;
  TopLayer<float> layer_;
  std::vector<double> top_bytes_ = std::vector<double>(3 * PlayerRows::bytes(kLayers) / sizeof(double)),
                      stepped_ = std::vector<double>(3, -1.0);
  std::vector<std::byte> weight_bytes_ = std::vector<std::byte>(3 * kTopWeightBytes);
  std::vector<float> top_points_ = std::vector<float>(3 * 8 * kStride),
                     top_differences_ = std::vector<float>(3 * 4 * kStride);
  std::vector<std::uint8_t> top_held_ = std::vector<std::uint8_t>(3 * kStride);
};

TEST_F(TopLayerTest, WeightsGrowAndPosesAreBlended) {
  for (const std::size_t row : {0, 1}) play_on_top(row, 1);
  weigh(0, {0.0, 0.0, 1.0, 0.0, 0.5, static_cast<std::int32_t>(PlayerEase::kLinear)});
  weigh(1, {1.0, 0.0, 1.0, 9.0, 0.5, 0});
  weigh(2, {1.0, 1.0, 1.0, 0.0, 0.0, 0});  // of one for whom nothing plays
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_[0], 0.25f + 0.5f * (5.0f - 0.25f));
  EXPECT_EQ(out_[10], 5.0f);
  EXPECT_EQ(out_[20], 0.25f);
  EXPECT_EQ(weight(0).weight, 0.5);
  EXPECT_EQ(stepped_, (std::vector<double>{0.5, 1.0, 1.0}));
  const float mask[] = {0.5f};
  layer_.mask = mask;
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_[0], 0.5f + 0.5f * (5.0f - 0.5f));
  EXPECT_EQ(weight(0).weight, 1.0);
  layer_.is_additive = true;
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_[0], 0.75f + 0.5f * 5.0f);
}

TEST_F(TopLayerTest, MorphWeightsArePutOnTop) {
  const std::vector<double> below{0.5, -1.0}, above{1.0, 2.0};
  std::vector<PlayerClip> top_clips = clips_;
  for (PlayerClip& clip : clips_) clip.rest_weights = below;
  for (PlayerClip& clip : top_clips) clip.rest_weights = above;
  const std::vector<float> rest_weights(2), targets{1.0f, 0.0f};
  std::vector<float> out_weights(6);
  job_.morph_count = layer_.morph_count = 2;
  job_.rest_weights = rest_weights, job_.out_weights = out_weights;
  layer_.clips = top_clips;
  play_on_top(0, 1);
  weigh(0, {0.5, 0.5, 0.5, 0.0, 0.0, 0});
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_weights, (std::vector<float>{0.75f, 0.5f, 0.5f, -1.0f, 0.5f, -1.0f}));
  layer_.morph_mask = targets;
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_weights, (std::vector<float>{0.75f, -1.0f, 0.5f, -1.0f, 0.5f, -1.0f}));
  layer_.is_additive = true;
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_weights[0], 1.0f);
  layer_.morph_count = 0, layer_.morph_mask = {};  // left out
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_weights[0], 0.5f);
}

TEST_F(TopLayerTest, ThoseWhoAreNotDueKeepTheirPoses) {
  play_on_top(0, 1), play_on_top(1, 1);
  for (const std::size_t row : {0, 1}) weigh(row, {1.0, 1.0, 1.0, 0.0, 0.0, 0});
  ASSERT_FALSE(job_.run());
  const std::vector<float> before = out_;
  const std::vector<std::uint8_t> due{1, 0, 0};
  job_.due = due;
  weigh(0, {0.0, 0.0, 0.0, 0.0, 0.0, 0});
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_[0], 0.5f);
  EXPECT_EQ(out_[10], before[10]);
  EXPECT_EQ(layer_.rows.layers(1)[0].time, 0.5);  // though its time went on
}

TEST_F(TopLayerTest, FadesThatNobodySeesAreRemembered) {
  job_.rows = layer_.rows;
  fade_to(0, 1, 0.5), fade_to(1, 1, 0.5);
  job_.rows = bottom_;
  layer_.rows.player(1).layer_count = 1;  // of a fade that is not
  const auto component = [&](std::size_t row, std::size_t pose, std::size_t i) -> float& {
    return top_points_[((row * 2 + pose) * 4 + i) * kStride];
  };
  for (const std::size_t row : {0, 1}) {
    for (const std::size_t pose : {0, 1}) component(row, pose, 0) = 0.6f, component(row, pose, 3) = -0.8f;
    weigh(row, {});
  }
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_[0], 0.25f);
  EXPECT_EQ(out_[10], 0.25f);
  for (const std::size_t pose : {0, 1}) {  // no rotation, of the sign that is nearer
    EXPECT_EQ(component(0, pose, 0), 0.0f);
    EXPECT_EQ(component(0, pose, 3), -1.0f);
    EXPECT_EQ(component(1, pose, 0), 0.6f);
  }
}

TEST_F(TopLayerTest, NothingIsSteppedWhereALayerIsWrong) {
  play_on_top(0, 1);
  weigh(0, {1.0, 1.0, 1.0, 0.0, 0.0, 0});
  const std::vector<double> before = bytes_, top = top_bytes_;
  const auto expect = [&](const char* sentence) {
    EXPECT_EQ(job_.run().sentence(), sentence);
    EXPECT_EQ(bytes_, before);
    EXPECT_EQ(out_, std::vector<float>(30, -1.0f));
    EXPECT_EQ(stepped_, std::vector<double>(3, -1.0));
  };
  weigh(1, {0.0, NAN, 0.0, 0.0, 0.0, 0});
  expect("fades of layer 'arms', row 1: begin must lie in [0, 1], got nan");
  weigh(1, {0.0, 0.0, 0.0, -1.0, 0.0, 0});
  expect("fades of layer 'arms', row 1: elapsed must lie in [0, 1e+15], got -1");
  weigh(1, {0.0, 0.0, 0.0, 0.0, 0.0, 3});
  expect("fades of layer 'arms', row 1: ease must be 0, 1 or 2, got 3");
  weigh(1, {});
  layer_.rows.layers(0)[0].clip = 7;
  expect("layer 'arms': state of row 0: layers[0].clip must lie in [0, 2), got 7");
  layer_.rows.layers(0)[0].clip = 1;
  const float mask[] = {1.0f, 1.0f};
  layer_.mask = mask;
  expect("layer 'arms' must have a mask of a number for each joint, and for each morph target");
  layer_.mask = {};
  layer_.morph_count = 3;
  expect("layer 'arms' must have the morph targets of the players, or none");
  layer_.morph_count = 0;
  layer_.stepped = {};
  expect("layer 'arms' must have a row for each player, of as many joints");
  EXPECT_EQ(top_bytes_, top);
}

}  // namespace
}  // namespace lissom
