// SPDX-License-Identifier: MIT
#include "core/players/players.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/players/player_fade.h"

namespace lissom {
namespace {

constexpr std::size_t kLayers = 2, kStride = 4;

// One joint that moves from x = 0 to 1 in a second, and one that stays at x = 5.
class PlayersTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<float> rest{0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    ASSERT_FALSE(TrackSet<float>::make(moving_tracks_, keys_, rest, moving_));
    ASSERT_FALSE(TrackSet<float>::make(still_tracks_, keys_, rest, still_));
    for (const auto* tracks : {&moving_, &still_}) {
      PlayerClip clip;
      clip.tracks = tracks;
      clip.duration = 1.0;
      clips_.push_back(clip);
    }
    bytes_.resize(3 * PlayerRows::bytes(kLayers));
    job_.rows = {reinterpret_cast<std::byte*>(bytes_.data()), 3, kLayers};
    job_.memory.points = points_.data();
    job_.memory.held = held_.data();
    job_.memory.differences = differences_.data();
    job_.clips = clips_;
    job_.joint_count = 1;
    job_.rest = rest_;
    job_.out = out_;
    job_.dt = 0.25;
  }
  void play(std::size_t row, std::int32_t clip, double time) {
    job_.rows.player(row).layer_count = 1;
    PlayerLayer& layer = job_.rows.layers(row)[0];
    layer.clip = clip, layer.time = time, layer.sync = kNoSync;
    layer.speed = layer.weight = layer.fade = layer.fade_before = 1.0;
  }
  void fade_to(std::size_t row, std::int32_t clip, double duration) {
    play(row, 0, 0.0);
    job_.rows.player(row).layer_count = 2;
    PlayerLayer& layer = job_.rows.layers(row)[1];
    layer.clip = clip, layer.head = 1, layer.sync = kNoSync;
    layer.speed = 1.0, layer.duration = duration;
    for (std::size_t i = 0; i < kStride; ++i) {
      points_[row * 8 * kStride + 3 * kStride + i] = points_[row * 8 * kStride + 7 * kStride + i] = 1.0f;
    }
  }

  const std::vector<float> keys_{0, 1, 0, 0, 0, 1, 0, 0, 5, 0, 0, 5, 0, 0};
  const std::vector<Track> moving_tracks_{{0, 0, 1, 2, 0, 2}}, still_tracks_{{0, 0, 1, 2, 0, 8}};
  TrackSet<float> moving_, still_;
  std::vector<PlayerClip> clips_;
  std::vector<double> bytes_;
  std::vector<float> points_ = std::vector<float>(3 * 8 * kStride),
                     differences_ = std::vector<float>(3 * 4 * kStride);
  std::vector<std::uint8_t> held_ = std::vector<std::uint8_t>(3 * kStride);
  std::vector<float> rest_{9, 0, 0, 0, 0, 0, 1, 1, 1, 1}, out_ = std::vector<float>(30, -1.0f);
  PlayersJob<float> job_;
};

TEST_F(PlayersTest, PlayFadeAndRest) {
  play(0, 0, 0.5);
  fade_to(1, 1, 0.5);
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_[0], 0.75f);
  EXPECT_EQ(out_[10], 0.25f + 0.5f * (5.0f - 0.25f));  // half way, where an even fade ends after 0.5 s
  EXPECT_EQ(out_[20], 9.0f);
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_[10], 5.0f);
  EXPECT_EQ(job_.rows.player(1).covered, 1);
  ASSERT_FALSE(job_.run());  // the covered layer is dropped
  EXPECT_EQ(job_.rows.player(1).layer_count, 1);
  EXPECT_EQ(job_.rows.layers(1)[0].clip, 1);
  EXPECT_EQ(out_[10], 5.0f);
}

TEST_F(PlayersTest, TheMomentBeforeIsRemembered) {
  fade_to(1, 1, 0.5);
  ASSERT_FALSE(job_.run());
  ASSERT_FALSE(job_.run());
  const std::vector<std::int64_t> rows{1};
  std::vector<float> pose(10);
  ShownPlayersJob<float> shown{job_.rows, job_.memory, clips_, 1, 0, rows, FadeMoment::kBefore, 0, pose, {}};
  ASSERT_FALSE(shown.run());
  EXPECT_EQ(pose[0], 0.25f + 0.5f * (5.0f - 0.25f));
  shown.moment = FadeMoment::kNow;
  ASSERT_FALSE(shown.run());
  EXPECT_EQ(pose[0], 5.0f);
}

TEST_F(PlayersTest, NothingIsSteppedWhereOneRowIsWrong) {
  play(0, 0, 0.5);
  play(2, 7, 0.0);
  const std::vector<double> before = bytes_;
  const Error error = job_.run();
  EXPECT_EQ(error.sentence(), "state of row 2: layers[0].clip must lie in [0, 2), got 7");
  EXPECT_EQ(bytes_, before);
  EXPECT_EQ(out_, std::vector<float>(30, -1.0f));
  play(1, 7, 0.0);  // the lowest is named, in any number of threads
  EXPECT_EQ(job_.run().sentence(), "state of row 1: layers[0].clip must lie in [0, 2), got 7");
  play(1, 0, 0.0);
  play(2, 0, 1e15);
  job_.rows.layers(2)[0].speed = 4.0;
  EXPECT_EQ(
      job_.run().sentence(),
      "state of row 2: layers[0].time must stay within 1e+15, got 1000000000000001 after this step; play the "
      "clip again");
  EXPECT_EQ(job_.rows.layers(2)[0].time, 1e15);
  play(2, 0, NAN);
  EXPECT_EQ(job_.run().sentence(), "state of row 2: layers[0].time must be finite and within 1e+15, got nan");
  job_.dt = -1.0;
  EXPECT_EQ(job_.run().sentence(), "dt must be at least 0 and at most 1e+09, got -1");
}

TEST_F(PlayersTest, FadesStartOrNothingChanges) {
  play(0, 0, 0.5);
  play(2, 1, 0.0);
  for (const std::size_t row : {0, 2}) job_.rows.layers(row)[1].sync = kNoSync;
  const std::vector<std::int64_t> rows{0, 2};
  const std::vector<double> durations{0.5, 0.5}, few{0.5};
  FadePlayersJob<float> fades;
  fades.rows = job_.rows, fades.memory = job_.memory, fades.clips = clips_, fades.joint_count = 1;
  fades.chosen = rows, fades.clip = 1, fades.durations = few;
  const std::vector<double> before = bytes_;
  EXPECT_EQ(fades.run().sentence(), "duration, at and speed must be numbers for each of the players");
  fades.durations = durations, fades.method = FadeMethod::kSpring;
  EXPECT_EQ(fades.run().sentence(), "method must be 'blend' without memory for transitions");
  fades.method = FadeMethod::kBlend, fades.clip = 2;
  EXPECT_EQ(fades.run().sentence(), "clip must be one of those known");
  EXPECT_EQ(bytes_, before);
  fades.clip = 1;
  ASSERT_FALSE(fades.run());
  EXPECT_EQ(job_.rows.player(0).layer_count, 2);
  EXPECT_EQ(job_.rows.layers(0)[1].clip, 1);
  EXPECT_EQ(job_.rows.player(2).layer_count, 1);  // it fades to this clip already
  const std::vector<double> started = bytes_;
  fades.clip = 0;
  EXPECT_EQ(fades.run().sentence(), "players must have room for a layer, got one in row 0 that has not");
  const std::vector<std::int64_t> idle{1};
  fades.chosen = idle, fades.durations = few;
  EXPECT_EQ(fades.run().sentence(), "players must play something, got one in row 1 that does not");
  EXPECT_EQ(bytes_, started);
}

}  // namespace
}  // namespace lissom
