// SPDX-License-Identifier: MIT
#include "core/players/player_state.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "core/number_text.h"
#include "core/players/row_kernels.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(RowKernels, row_kernels)

namespace {

// Of the first numbers of a layer, in the order of its fields; any weight will do, as a step writes it anew.
constexpr double kMostNumber = std::numeric_limits<double>::max();
constexpr RowLimits kLimits = {
    {-kMostPlayerSeconds, -kMostPlayerSeconds, -kMostPlayerSeconds, -kMostPlayerSeconds, 0.0, 0.0, 0.0, 0.0,
     0.0, 0.0, -kMostParameter, -kMostParameter, -kMostParameter, -kMostParameter, -kMostParameter,
     -kMostParameter},
    {kMostPlayerSeconds, kMostPlayerSeconds, kMostPlayerSeconds, kMostPlayerSeconds, kMostPlayerSpeed, 1.0,
     1.0, 1.0, kMostPlayerSeconds, kMostNumber, kMostParameter, kMostParameter, kMostParameter,
     kMostParameter, kMostParameter, kMostParameter},
    {-1, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}};
static_assert(offsetof(PlayerLayer, speed) == 4 * sizeof(double));
static_assert(offsetof(PlayerLayer, weight) == 5 * sizeof(double));
static_assert(offsetof(PlayerLayer, elapsed) == 8 * sizeof(double));
static_assert(offsetof(PlayerLayer, parameter) == 10 * sizeof(double));
static_assert(offsetof(PlayerLayer, clip) == kRowNumbers * sizeof(double));

bool lies_in(std::int32_t value, std::int32_t first, std::int32_t end) {
  return value >= first && value < end;
}

Error wrong(std::size_t row, std::int32_t layer, const char* field, const std::string& wanted,
            const std::string& got) {
  const std::string place = layer < 0 ? "" : "layers[" + std::to_string(layer) + "].";
  return Error("state of row " + std::to_string(row) + ": " + place + field + " must " + wanted + ", got " +
               got);
}

std::string range(std::int32_t first, std::int64_t end) {
  return "lie in [" + std::to_string(first) + ", " + std::to_string(end) + ")";
}

Error check_layer(const PlayerRows& rows, std::size_t row, std::int32_t index, std::int32_t clip_count,
                  bool has_frozen) {
  const PlayerLayer* layers = rows.layers(row);
  const PlayerLayer& layer = layers[index];
  if (!lies_in(layer.head, 0, index + 1) || layers[layer.head].head != layer.head) {
    return wrong(row, index, "head", "be a layer that owns its play head, this one or one below",
                 std::to_string(layer.head));
  }
  if (layer.head != index && layers[layer.head].clip == kFrozen) {
    return wrong(row, index, "head", "be a layer that plays a clip", std::to_string(layer.head));
  }
  if (layer.clip == kFrozen && layer.sync != kNoSync) {
    return wrong(row, index, "sync", "be " + std::to_string(kNoSync) + " of a still pose",
                 std::to_string(layer.sync));
  }
  if (layer.head == index && !lies_in(layer.clip, 0, clip_count) &&
      !(layer.clip == kFrozen && index == 0 && has_frozen)) {
    return wrong(row, index, "clip", range(0, clip_count), std::to_string(layer.clip));
  }
  const auto is_second = [](double x) { return std::fabs(x) <= kMostPlayerSeconds; };
  const struct {
    const char* name;
    double value;
  } seconds[] = {{"time", layer.time},
                 {"time_before", layer.time_before},
                 {"phase", layer.phase},
                 {"phase_before", layer.phase_before}};
  for (const auto& [name, value] : seconds) {
    if (!is_second(value)) {
      return wrong(row, index, name, "be finite and within " + number_text(kMostPlayerSeconds),
                   number_text(value));
    }
  }
  if (!(layer.speed >= 0.0 && layer.speed <= kMostPlayerSpeed)) {
    return wrong(row, index, "speed", "be at least 0 and at most " + number_text(kMostPlayerSpeed),
                 number_text(layer.speed));
  }
  if (!(layer.elapsed >= 0.0 && is_second(layer.elapsed))) {
    return wrong(row, index, "elapsed", "be finite and at least 0", number_text(layer.elapsed));
  }
  if (!(layer.duration >= 0.0 && std::isfinite(layer.duration))) {
    return wrong(row, index, "duration", "be finite and at least 0", number_text(layer.duration));
  }
  const struct {
    const char* name;
    const double* values;
  } parameters[] = {{"parameter", layer.parameter},
                    {"parameter_shown", layer.parameter_shown},
                    {"parameter_before", layer.parameter_before}};
  for (const auto& [name, values] : parameters) {
    for (int i = 0; i < 2; ++i) {
      if (std::fabs(values[i]) <= kMostParameter) continue;
      return wrong(row, index, name, "be finite and within " + number_text(kMostParameter),
                   number_text(values[i]));
    }
  }
  const auto is_share = [](double x) { return x >= 0.0 && x <= 1.0; };
  if (!is_share(layer.fade)) return wrong(row, index, "fade", "lie in [0, 1]", number_text(layer.fade));
  if (!is_share(layer.fade_before)) {
    return wrong(row, index, "fade_before", "lie in [0, 1]", number_text(layer.fade_before));
  }
  if (layer.ease < 0) return wrong(row, index, "ease", "be at least 0", std::to_string(layer.ease));
  return {};
}

}  // namespace

bool is_sound(const PlayerRows& rows, std::size_t row, std::size_t clip_count, bool has_frozen) {
  const Player& player = rows.player(row);
  const auto is_below = [](std::int32_t value, std::int32_t end) {
    return static_cast<std::uint32_t>(value) < static_cast<std::uint32_t>(end);
  };
  const auto is_positive = [](double x) { return x >= 0.0 && x <= std::numeric_limits<double>::max(); };
  const std::int32_t count = player.layer_count;
  if (!is_below(count, static_cast<std::int32_t>(rows.layer_capacity()) + 1)) return false;
  if (count == 0) return true;
  bool ok = true;  // without branches, of which most would be guessed in vain
  ok &= is_below(player.covered, count) & is_below(player.past, 3) & is_below(player.inertia, 3);
  ok &= is_positive(player.dt) & is_positive(player.inertia_time) & is_positive(player.inertia_time_before) &
        is_positive(player.pose_end) & is_positive(player.weights_end) & is_positive(player.rate);
  const PlayerLayer* const layers = rows.layers(row);
  for (std::int32_t i = 0; i < count; ++i) {
    const PlayerLayer& layer = layers[i];
    if (!is_below(layer.head, i + 1)) return false;
    const PlayerLayer& head = layers[layer.head];
    const bool owns = layer.head == i, is_still = layer.clip == kFrozen;
    ok &= (head.head == layer.head) & (owns | (head.clip != kFrozen)) & (!is_still | (layer.sync == kNoSync));
    ok &= !owns | is_below(layer.clip, static_cast<std::int32_t>(clip_count)) |
          (is_still & (i == 0) & has_frozen);
    ok &= layer.ease >= 0;
  }
  constexpr std::size_t kStride = sizeof(PlayerLayer) / sizeof(double);
  return ok && row_kernels().lie_within(&layers->time, kStride, count, kLimits);
}

Error check_player(const PlayerRows& rows, std::size_t row, std::size_t clip_count, bool has_frozen) {
  if (is_sound(rows, row, clip_count, has_frozen)) return {};
  const Player& player = rows.player(row);
  const auto capacity = static_cast<std::int32_t>(rows.layer_capacity());
  if (!lies_in(player.layer_count, 0, capacity + 1)) {
    return wrong(row, -1, "layer_count", range(0, capacity + 1), std::to_string(player.layer_count));
  }
  if (player.layer_count == 0) return {};
  if (!lies_in(player.covered, 0, player.layer_count)) {
    return wrong(row, -1, "covered", range(0, player.layer_count), std::to_string(player.covered));
  }
  if (!lies_in(player.past, 0, 3)) return wrong(row, -1, "past", range(0, 3), std::to_string(player.past));
  if (!lies_in(player.inertia, 0, 3)) {
    return wrong(row, -1, "inertia", range(0, 3), std::to_string(player.inertia));
  }
  if (!(player.dt >= 0.0 && std::isfinite(player.dt))) {
    return wrong(row, -1, "dt", "be finite and at least 0", number_text(player.dt));
  }
  const struct {
    const char* name;
    double value;
  } numbers[] = {{"inertia_time", player.inertia_time},
                 {"inertia_time_before", player.inertia_time_before},
                 {"pose_end", player.pose_end},
                 {"weights_end", player.weights_end},
                 {"rate", player.rate}};
  for (const auto& [name, value] : numbers) {
    if (!(value >= 0.0 && std::isfinite(value))) {
      return wrong(row, -1, name, "be finite and at least 0", number_text(value));
    }
  }
  for (std::int32_t index = 0; index < player.layer_count; ++index) {
    if (Error error = check_layer(rows, row, index, static_cast<std::int32_t>(clip_count), has_frozen)) {
      return error;
    }
  }
  return {};
}

}  // namespace lissom
