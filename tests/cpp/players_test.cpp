// SPDX-License-Identifier: MIT
#include "core/players/players.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/players/player_fade.h"
#include "core/players/player_rates.h"
#include "players_fixture.h"

namespace lissom {
namespace {

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

TEST_F(PlayersTest, PosesThatAreNotDueStayWhileTimeGoesOn) {
  play(0, 0, 0.5);
  fade_to(1, 1, 0.5);
  const std::vector<std::uint8_t> first{1, 0, 0}, second{0, 1, 1};
  std::vector<PosedPlayer> posed(3);
  job_.due = first, job_.posed = posed;
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_[0], 0.75f);
  EXPECT_EQ(out_[10], -1.0f);
  EXPECT_EQ(out_[20], -1.0f);  // of whom nothing plays, too
  EXPECT_EQ(job_.rows.layers(1)[0].time, 0.25);
  EXPECT_EQ(job_.rows.layers(1)[1].elapsed, 0.25);
  EXPECT_EQ(posed[0].clip, 0);
  EXPECT_EQ(posed[0].time, 0.75);
  EXPECT_EQ(posed[1].clip, kNoClip);
  job_.due = second;
  ASSERT_FALSE(job_.run());
  EXPECT_EQ(out_[0], 0.75f);
  EXPECT_EQ(job_.rows.layers(0)[0].time, 1.0);
  EXPECT_EQ(posed[0].time, 0.75);
  EXPECT_EQ(out_[10], 5.0f);
  EXPECT_EQ(posed[1].clip, 1);  // the fade has ended
  EXPECT_EQ(posed[1].time, 0.5);
  EXPECT_EQ(out_[20], 9.0f);
  EXPECT_EQ(posed[2].clip, kNoClip);
  job_.due = std::span(first).first(2);
  EXPECT_EQ(job_.run().sentence(), "due and posed must tell of each player");
  job_.due = {}, job_.posed = std::span(posed).first(2);
  EXPECT_EQ(job_.run().sentence(), "due and posed must tell of each player");
}

TEST_F(PlayersTest, HeldMovesAreThoseOfTheTimesBetween) {
  // Steps of 0.125 s from 0 on; from step i within k of them, 10 i + k.
  const std::vector<float> table{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32};
  HeldMoves moves;
  moves.moves = table, moves.lags = 3, moves.cell = 0.125, moves.wraps = true;
  std::vector<std::vector<HeldMoves>> known{{moves}, {moves}};
  known[1][0].wraps = false;
  std::vector<PosedPlayer> posed(3);
  std::vector<double> out(3);
  const double dt = 0.125;
  const HeldMovesJob job{job_.rows, clips_, known, posed, dt, out};
  const auto found = [&](std::int32_t clip, double from, double to) {
    play(0, clip, to - dt);
    posed[0].clip = clip, posed[0].time = from;
    EXPECT_FALSE(job.run());
    return out[0];
  };
  EXPECT_EQ(found(0, 0.15, 0.15), 10.0);
  EXPECT_EQ(found(0, 0.15, 0.2), 11.0);  // nearest to the steps at 0.125 and 0.25
  EXPECT_EQ(found(0, 0.4, 0.6), 32.0);
  EXPECT_EQ(found(0, 3.9, 4.1), 32.0);
  EXPECT_EQ(found(0, -0.1, 0.1), 32.0);
  EXPECT_EQ(found(1, -0.1, 0.1), 1.0);  // held before the start
  EXPECT_EQ(found(1, 0.4, 3.5), 30.0);
  EXPECT_EQ(found(0, 0.07, 0.32), 12.0);
  EXPECT_TRUE(std::isinf(found(0, 0.07, 0.33)));  // no pose is held for more than 0.25 s
  EXPECT_TRUE(std::isinf(found(0, 0.15, 0.14)));
  EXPECT_TRUE(std::isinf(found(0, NAN, 0.15)));
  EXPECT_TRUE(std::isinf(found(0, -1e300, 0.15)));
  EXPECT_EQ(found(0, 0.15, 0.2), 11.0);
  job_.rows.layers(0)[0].speed = 2.0;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(out[0], 12.0);
  posed[0].clip = 1;
  ASSERT_FALSE(job.run());
  EXPECT_TRUE(std::isinf(out[0]));
  fade_to(1, 1, 0.5);
  posed[1].clip = 1;
  play(2, 7, 0.0);  // a step refuses it
  posed[2].clip = 7;
  ASSERT_FALSE(job.run());
  EXPECT_TRUE(std::isinf(out[1]) && std::isinf(out[2]));
  known[0][0].lags = 2;
  EXPECT_TRUE(std::isinf(found(0, 0.07, 0.32)));  // farther than is known
  known[0][0].lags = 5;
  EXPECT_EQ(job.run().sentence(), "moves must hold a row of lags for each step");
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
