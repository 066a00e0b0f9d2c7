// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/players/players.h"

namespace lissom {

inline constexpr std::size_t kLayers = 2, kStride = 4;

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

}  // namespace lissom
