// SPDX-License-Identifier: MIT
#include "core/players/players.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/math/conventions.h"
#include "core/number_text.h"
#include "core/parallel/thread_pool.h"
#include "core/players/first_error.h"
#include "core/players/own_rows.h"
#include "core/players/player_clock.h"
#include "core/players/shown_player.h"
#include "core/players/stage_block.h"
#include "core/players/top_layer.h"

namespace lissom {
namespace {

constexpr double kNanosecondsPerJoint = 12.0;

}  // namespace

template <class T>
Error PlayersJob<T>::validate() const {
  if (!(dt >= 0.0 && dt <= kMostStepSeconds)) {
    return Error("dt must be at least 0 and at most " + number_text(kMostStepSeconds) + ", got " +
                 number_text(dt));
  }
  const std::size_t pose_size = joint_count * kTrsScalars;
  if (out.size() != rows.size() * pose_size || out_weights.size() != rows.size() * morph_count) {
    return Error("out must hold a pose and weights for each player");
  }
  if (rest.size() != pose_size || rest_weights.size() != morph_count) {
    return Error("rest must hold one pose and its weights");
  }
  if ((!due.empty() && due.size() != rows.size()) || (!posed.empty() && posed.size() != rows.size())) {
    return Error("due and posed must tell of each player");
  }
  if (!given.empty() && given.size() != rows.size() * rows.layer_capacity()) {
    return Error("given must hold a weight for each layer");
  }
  for (const TopLayer<T>& layer : top_layers) {
    if (Error error = check_top_layer(layer, *this)) return error;
  }
  return check_rows(stage(), dt);
}

template <class T>
Error PlayersJob<T>::run() const {
  if (Error error = validate()) return error;
  const std::size_t pose_size = joint_count * kTrsScalars;
  const double nanoseconds = 100.0 + kNanosecondsPerJoint * static_cast<double>(joint_count) *
                                         static_cast<double>(1 + top_layers.size());
  const PlayerStage<T> of_players = stage();
  FirstError first;
  parallel_for(rows.size(), 1, nanoseconds, [&](std::size_t begin, std::size_t end) {
    StageBlock<T> players(of_players, dt);
    std::vector<TopBlock<T>> tops;
    tops.reserve(top_layers.size());
    for (const TopLayer<T>& layer : top_layers) tops.emplace_back(layer, dt);
    bool poses[StageBlock<T>::kPlayers];
    std::size_t count;
    for (; begin < end; begin += count) {
      count = std::min(StageBlock<T>::kPlayers, end - begin);
      // Refused are rows that were edited since they were checked, while this call is under way.
      std::size_t row = begin;
      Error error = players.advance(begin, count, row);
      for (auto top = tops.begin(); top != tops.end() && !error; ++top)
        error = top->advance(begin, count, row);
      for (std::size_t i = 0; i < count && !error; ++i) {
        poses[i] = due.empty() || due[begin + i] != 0;
        if (!poses[i]) continue;
        if (players.plays(i)) players.request(i);
        for (TopBlock<T>& top : tops) top.request(i);
      }
      if (!error) error = players.sample();
      for (auto top = tops.begin(); top != tops.end() && !error; ++top) error = top->sample();
      if (error) {
        first.keep(row, std::move(error));
        continue;
      }
      T* const out_poses = out.data() + begin * pose_size;
      T* const out_block_weights = out_weights.data() + begin * morph_count;
      for (std::size_t i = 0; i < count; ++i) {
        if (!poses[i]) continue;
        if (!posed.empty()) posed[begin + i] = players.posed(i);
        if (players.plays(i)) {
          players.show(i, out_poses + i * pose_size, out_block_weights + i * morph_count);
        } else {
          std::copy(rest.begin(), rest.end(), out_poses + i * pose_size);
          std::copy(rest_weights.begin(), rest_weights.end(), out_block_weights + i * morph_count);
        }
      }
      for (TopBlock<T>& top : tops) {
        if ((error = top.put(out_poses, out_block_weights))) first.keep(begin, std::move(error));
      }
      players.give_back();
      for (const TopBlock<T>& top : tops) top.give_back();
    }
  });
  return first.take();
}

template <class T>
Error ShownPlayersJob<T>::validate() const {
  if (out.size() != chosen.size() * joint_count * kTrsScalars ||
      out_weights.size() != chosen.size() * morph_count) {
    return Error("out must hold a pose and weights for each of the players");
  }
  return check(rows);
}

template <class T>
Error ShownPlayersJob<T>::check(const PlayerRows& state) const {
  for (const std::int64_t row : chosen) {
    if (row < 0 || static_cast<std::size_t>(row) >= rows.size()) {
      return Error("rows must lie in [0, " + std::to_string(rows.size()) + "), got " + std::to_string(row));
    }
    const auto index = static_cast<std::size_t>(row);
    if (Error error = check_player(state, index, clips.size(), memory.frozen != nullptr)) return error;
    if (state.player(index).layer_count == 0) {
      return Error("players must play something, got one in row " + std::to_string(row) + " that does not");
    }
  }
  return {};
}

template <class T>
Error ShownPlayersJob<T>::run() const {
  if (Error error = validate()) return error;
  const std::size_t pose_size = joint_count * kTrsScalars;
  const double nanoseconds = 100.0 + kNanosecondsPerJoint * static_cast<double>(joint_count);
  // Memory of rows that are not chosen is not touched.
  OwnRows own(rows, rows.size());
  for (const std::int64_t row : chosen) own.take(static_cast<std::size_t>(row));
  if (Error error = check(own.rows())) return error;
  constexpr std::size_t kTogether = StageBlock<T>::kPlayers;
  FirstError first;
  parallel_for(chosen.size(), 1, nanoseconds, [&](std::size_t begin, std::size_t end) {
    PlayerSamples<T> samples(clips, joint_count, morph_count);
    ShownPlayer<T> shown(own.rows(), memory, joint_count, morph_count);
    std::size_t first_samples[kTogether];
    const auto row_of = [&](std::size_t i) { return static_cast<std::size_t>(chosen[i]); };
    const auto end_of = [&](const Player& player) {
      return layer_limit > 0 ? std::min(player.layer_count, player.covered + layer_limit)
                             : player.layer_count;
    };
    for (; begin < end; begin += std::min(kTogether, end - begin)) {
      const std::size_t count = std::min(kTogether, end - begin);
      samples.clear();
      std::size_t sample_count = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = row_of(begin + i);
        first_samples[i] = sample_count;
        sample_count += shown.request(row, moment, end_of(own.rows().player(row)), samples);
      }
      if (Error error = samples.sample()) {
        first.keep(begin, std::move(error));
        continue;
      }
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = row_of(begin + i);
        shown.show(row, moment, end_of(own.rows().player(row)), first_samples[i], samples,
                   out.data() + (begin + i) * pose_size, out_weights.data() + (begin + i) * morph_count);
      }
    }
  });
  return first.take();
}

template <class T>
Error FreezePlayersJob<T>::validate() const {
  return check(rows);
}

template <class T>
Error FreezePlayersJob<T>::check(const PlayerRows& state) const {
  for (const std::int64_t row : chosen) {
    if (row < 0 || static_cast<std::size_t>(row) >= rows.size()) {
      return Error("rows must lie in [0, " + std::to_string(rows.size()) + "), got " + std::to_string(row));
    }
    const auto index = static_cast<std::size_t>(row);
    if (Error error = check_player(state, index, clip_count, true)) return error;
    const Player& player = state.player(index);
    if (player.layer_count - player.covered < 2) {
      return Error("players must have two layers, got one in row " + std::to_string(row) + " that has not");
    }
  }
  return {};
}

template <class T>
Error FreezePlayersJob<T>::run() const {
  if (Error error = validate()) return error;
  OwnRows own(rows, rows.size());
  for (const std::int64_t row : chosen) own.take(static_cast<std::size_t>(row));
  if (Error error = check(own.rows())) return error;
  const std::size_t fade_count = rows.layer_capacity() - 1, stride = fade_stride(joint_count);
  for (const std::int64_t chosen_row : chosen) {
    const auto row = static_cast<std::size_t>(chosen_row);
    Player& player = own.rows().player(row);
    PlayerLayer* const layers = own.rows().layers(row);
    const double weight = layers[player.covered].weight + layers[player.covered + 1].weight;
    player.covered += 2;
    drop_covered_layers(player, layers);
    // The fades above stay: that of the layer that is now the lowest will be over the frozen one.
    const auto left = static_cast<std::size_t>(player.layer_count);
    move_fades(memory, row, fade_count, stride, static_cast<std::size_t>(player.covered) - 1, left);
    player.covered = 0;
    for (std::int32_t i = player.layer_count; i > 0; --i) {
      layers[i] = layers[i - 1];
      ++layers[i].head;
    }
    layers[0] = PlayerLayer{};
    layers[0].clip = kFrozen;
    layers[0].sync = kNoSync;
    layers[0].weight = weight;
    layers[0].fade = layers[0].fade_before = 1.0;
    ++player.layer_count;
    own.give_back(row);
  }
  return {};
}

template struct FreezePlayersJob<float>;
template struct FreezePlayersJob<double>;
template struct PlayersJob<float>;
template struct PlayersJob<double>;
template struct ShownPlayersJob<float>;
template struct ShownPlayersJob<double>;

}  // namespace lissom
