// SPDX-License-Identifier: MIT
#include "core/players/player_clock.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "core/number_text.h"
#include "core/players/player_space.h"

namespace lissom {

double eased(PlayerEase ease, double u, double given) {
  switch (ease) {
    case PlayerEase::kLinear:
      return u;
    case PlayerEase::kSmooth:
      return u * u * (3.0 - 2.0 * u);
    case PlayerEase::kSmoother:
      return u * u * u * (u * (6.0 * u - 15.0) + 10.0);
    case PlayerEase::kGiven:
      break;
  }
  return given;  // of other numbers, too
}

namespace {

void advance_fade(PlayerLayer& layer, double dt, double given) {
  if (dt > 0.0) layer.fade_before = layer.fade;
  layer.elapsed += dt;
  if (layer.elapsed >= layer.duration) {
    layer.fade = 1.0;
    return;
  }
  const double weight = eased(static_cast<PlayerEase>(layer.ease), layer.elapsed / layer.duration, given);
  layer.fade = std::min(std::max(weight, 0.0), 1.0);
}

// Calls body(head) for the play heads of a player, each once, in the order of their layers.
template <class Body>
void for_each_head(const Player& player, PlayerLayer* layers, const Body& body) {
  for (std::int32_t i = player.covered; i < player.layer_count; ++i) {
    if (shows_first(player, layers, i)) body(layers[layers[i].head]);
  }
}

void set_weights(const Player& player, PlayerLayer* layers) {
  for_each_head(player, layers, [](PlayerLayer& head) { head.weight = 0.0; });
  double remaining = 1.0;
  for (std::int32_t i = player.layer_count - 1; i >= player.covered; --i) {
    const double weight = i > player.covered ? layers[i].fade : 1.0;
    layers[layers[i].head].weight += remaining * weight;
    remaining *= 1.0 - weight;
  }
}

// Advances the heads of one number by one phase: a cycle lasts the weighted mean of theirs.
void advance_in_step(const Player& player, PlayerLayer* layers, std::span<const PlayerClip> clips,
                     std::int32_t sync, double dt) {
  const auto clip_of = [&](const PlayerLayer& head) -> const PlayerClip& {
    return clips[static_cast<std::size_t>(head.clip)];
  };
  double total = 0.0;
  for_each_head(player, layers, [&](const PlayerLayer& head) {
    if (head.sync == sync) total += head.weight;
  });
  const bool all_hidden = !(total > 0.0);
  double count = 0.0, seconds = 0.0;
  for_each_head(player, layers, [&](const PlayerLayer& head) {
    if (head.sync != sync) return;
    const double weight = all_hidden ? 1.0 : head.weight;
    count += weight;
    const double cycle = head.speed > 0.0 ? cycle_seconds(clip_of(head), head.parameter_shown) / head.speed
                                          : std::numeric_limits<double>::infinity();
    if (weight > 0.0) seconds += weight * cycle;
  });
  const double mean_seconds = seconds / count;
  if (!(mean_seconds > 0.0)) return;  // of clips without a duration: they stay where they are
  for_each_head(player, layers, [&](PlayerLayer& head) {
    if (head.sync != sync) return;
    head.phase += dt / mean_seconds;
    head.time = clip_of(head).start + head.phase * cycle_seconds(clip_of(head), head.parameter_shown);
  });
}

}  // namespace

bool shows_first(const Player& player, const PlayerLayer* layers, std::int32_t index) {
  for (std::int32_t i = player.covered; i < index; ++i) {
    if (layers[i].head == layers[index].head) return false;
  }
  return true;
}

void advance_player(Player& player, PlayerLayer* layers, std::span<const PlayerClip> clips, double dt,
                    const double* given) {
  for (std::int32_t i = player.covered + 1; i < player.layer_count; ++i) {
    advance_fade(layers[i], dt, given != nullptr ? given[i] : 0.0);
  }
  set_weights(player, layers);
  for_each_head(player, layers, [&](PlayerLayer& head) {
    if (dt > 0.0) {
      head.time_before = head.time;
      head.phase_before = head.phase;
      head.is_fresh = head.is_fresh == 1 ? 2 : 0;
      std::copy_n(head.parameter_shown, 2, head.parameter_before);
    }
    std::copy_n(head.parameter, 2, head.parameter_shown);
    if (head.clip != kFrozen && head.sync == kNoSync) head.time += dt * head.speed;
  });
  for (std::int32_t i = player.covered; i < player.layer_count; ++i) {
    const std::int32_t sync = layers[layers[i].head].sync;
    bool is_first = sync != kNoSync && layers[layers[i].head].clip != kFrozen;
    for (std::int32_t k = player.covered; k < i; ++k) is_first &= layers[layers[k].head].sync != sync;
    if (is_first) advance_in_step(player, layers, clips, sync, dt);
  }
  if (dt > 0.0) player.dt = dt;
}

bool steps_well(const PlayerRows& rows, std::size_t row, std::span<const PlayerClip> clips, bool has_frozen,
                double dt) {
  if (!is_sound(rows, row, clips.size(), has_frozen)) return false;
  const PlayerLayer* const layers = rows.layers(row);
  const std::int32_t count = rows.player(row).layer_count;
  constexpr double kFar = 0.5 * kMostPlayerSeconds;
  bool ok = true;
  for (std::int32_t i = 0; i < count; ++i) {
    const PlayerLayer& layer = layers[i];
    const double seconds = dt * layer.speed;
    ok &= (std::fabs(layer.time) + seconds <= kFar) & (layer.elapsed + dt <= kFar);
    if (layer.sync == kNoSync || layer.head != i) continue;
    // In step no head runs faster than the fastest would alone, of which none does more than a billion cycles.
    const PlayerClip& clip = clips[static_cast<std::size_t>(layer.clip)];
    constexpr double kCycles = 1e9;
    ok &= (seconds <= kCycles * clip.duration) & (std::fabs(layer.phase) + kCycles <= kFar) &
          ((std::fabs(layer.phase) + kCycles) * clip.duration + std::fabs(clip.start) <= kFar);
  }
  return ok;
}

Error check_step(const PlayerRows& rows, std::size_t row, std::span<const PlayerClip> clips, bool has_frozen,
                 double dt) {
  if (steps_well(rows, row, clips, has_frozen, dt)) return {};
  if (Error error = check_player(rows, row, clips.size(), has_frozen)) return error;
  // A copy is stepped: heads that play in step are as fast as their weights are.
  const std::size_t bytes = PlayerRows::bytes(rows.layer_capacity());
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
  const PlayerRows copy(memory.get(), 1, rows.layer_capacity(), row);
  std::memcpy(copy.at(row), rows.at(row), bytes);
  Player& player = copy.player(row);
  PlayerLayer* const layers = copy.layers(row);
  advance_player(player, layers, clips, dt, nullptr);
  for (std::int32_t i = 0; i < player.layer_count; ++i) {
    const PlayerLayer& layer = layers[i];
    const struct {
      const char* name;
      double value;
    } numbers[] = {{"time", layer.time}, {"phase", layer.phase}, {"elapsed", layer.elapsed}};
    for (const auto& [name, value] : numbers) {
      if (std::fabs(value) <= kMostPlayerSeconds) continue;
      return Error("state of row " + std::to_string(row) + ": layers[" + std::to_string(i) + "]." + name +
                   " must stay within " + number_text(kMostPlayerSeconds) + ", got " + number_text(value) +
                   " after this step; play the clip again");
    }
  }
  return {};
}

void drop_covered_layers(Player& player, PlayerLayer* layers) {
  const std::int32_t covered = player.covered, count = player.layer_count - covered;
  for (std::int32_t i = 0; i < count; ++i) {
    PlayerLayer& layer = layers[i + covered];
    const std::int32_t head = layer.head;
    if (head < covered) {  // a dropped layer owned the head: the first that shows it takes it over
      const PlayerLayer fade = layer;
      layer = layers[head];
      layer.fade = fade.fade, layer.fade_before = fade.fade_before;
      layer.elapsed = fade.elapsed, layer.duration = fade.duration, layer.ease = fade.ease;
      for (std::int32_t k = i + covered; k < player.layer_count; ++k) {
        if (layers[k].head == head) layers[k].head = i + covered;
      }
    }
  }
  for (std::int32_t i = 0; i < count; ++i) {
    layers[i] = layers[i + covered];
    layers[i].head -= covered;
  }
  player.layer_count = count;
  if (covered > 0) player.inertia = static_cast<std::int32_t>(PlayerInertia::kNone);
}

void cover_layers(Player& player, const PlayerLayer* layers) {
  for (std::int32_t i = player.layer_count - 1; i > player.covered; --i) {
    if (layers[i].elapsed >= layers[i].duration) {
      player.covered = i;
      return;
    }
  }
}

bool is_decaying(const Player& player) {
  return player.inertia != 0 && player.covered == 0 &&
         player.inertia_time < std::max(player.pose_end, player.weights_end);
}

const PlayerLayer* only_head(const Player& player, const PlayerLayer* layers) {
  if (player.layer_count == 0 || player.layer_count - player.covered != 1) return nullptr;
  const PlayerLayer& head = layers[layers[player.layer_count - 1].head];
  return is_decaying(player) || head.clip == kFrozen ? nullptr : &head;
}

PosedPlayer posed_now(const PlayerRows& rows, std::size_t row, std::span<const PlayerClip> clips) {
  PosedPlayer posed;
  const PlayerLayer* const head = only_head(rows.player(row), rows.layers(row));
  if (head == nullptr) return posed;
  const bool is_space = clips[static_cast<std::size_t>(head->clip)].space != nullptr;
  posed.clip = head->clip;
  posed.time = is_space ? head->phase : head->time;
  std::copy_n(head->parameter_shown, 2, posed.parameter);
  return posed;
}

}  // namespace lissom
