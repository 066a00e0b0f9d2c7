// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"

namespace lissom {

// The state of players, live characters that play clips and fade between them, as plain rows that others may read and
// edit between steps. The same bytes as the dtypes of lissom's players.

// How the weight of a fade grows with the time passed; from kGiven on, by weights that the caller has.
enum class PlayerEase : std::int32_t { kLinear = 0, kSmooth = 1, kSmoother = 2, kGiven = 3 };
// The curve of a difference that decays.
enum class PlayerInertia : std::int32_t { kNone = 0, kQuintic = 1, kSpring = 2 };
// Whether the pose a step before is known: not at all, by what the state remembers of that moment, or stored.
enum class PlayerPast : std::int32_t { kNone = 0, kRemembered = 1, kStored = 2 };

inline constexpr std::int32_t kNoClip = -1;
inline constexpr std::int32_t kFrozen = -2;  // the lowest layer shows a stored pose
inline constexpr std::int32_t kNoSync = -1;

// One layer of a player: the fade by which it covers those below, and, where it owns one, a play head, which layers
// above may show as well.
struct PlayerLayer {
  double time, time_before;    // seconds on the clip's time line, not wrapped; and before the last step
  double phase, phase_before;  // cycles since its start, where it plays in step with others
  double speed;                // seconds of the clip for each second
  double weight;               // share of the clip in the pose, of all layers that show it
  double fade, fade_before;    // weight of this layer over those below
  double elapsed, duration;    // seconds of the fade
  // Of a head that plays a blend space: where it is to be, where the last step had it, and the one before.
  double parameter[2], parameter_shown[2], parameter_before[2];
  std::int32_t clip;      // its number; kNoClip where the layer shows the head of another
  std::int32_t head;      // the layer that owns its head: itself, or one below
  std::int32_t sync;      // heads of one number share their phase; kNoSync
  std::int32_t ease;      // a PlayerEase
  std::int32_t is_fresh;  // 1: no time has passed since the head was made; 2: none had before the last step
  std::int32_t reserved;
};
static_assert(sizeof(PlayerLayer) == 152);

// What comes before the layers in a row.
struct Player {
  std::int64_t id;
  std::int32_t layer_count;  // 0: plays nothing yet
  std::int32_t covered;      // so many of them, the lowest, ended with the last step: dropped at the next
  std::int32_t past;         // a PlayerPast
  std::int32_t inertia;      // a PlayerInertia, of the lowest layer
  double dt;                 // seconds of the last step
  double inertia_time, inertia_time_before;  // seconds since the transition
  double pose_end, weights_end;              // seconds at which its differences end
  double rate;                               // of a spring, 1 / s
};
static_assert(sizeof(Player) == 72);

inline constexpr double kMostPlayerSeconds =
    1e15;  // of a time line: beyond, a step would be lost in rounding
inline constexpr double kMostStepSeconds = 1e9;
inline constexpr double kMostPlayerSpeed = 1e6;
inline constexpr double kMostParameter = 1e70;  // whose square is finite

// What the pose of a player shows that was written last: one clip at a time, or nothing that could be told so shortly.
struct PosedPlayer {
  double time = 0.0;                 // seconds on the clip's time line; cycles of a space
  double parameter[2] = {0.0, 0.0};  // of a space
  std::int32_t clip = kNoClip;       // kNoClip: a fade, a transition, a stored pose, or nothing
  std::int32_t reserved = 0;
};
static_assert(sizeof(PosedPlayer) == 32);

// N rows of a player and its layers, one after another, from number `first_row` on.
class PlayerRows {
 public:
  PlayerRows() = default;
  PlayerRows(std::byte* first, std::size_t count, std::size_t layer_capacity, std::size_t first_row = 0)
      : first_(first), count_(count), layer_capacity_(layer_capacity), first_row_(first_row) {}

  static constexpr std::size_t bytes(std::size_t layer_capacity) {
    return sizeof(Player) + layer_capacity * sizeof(PlayerLayer);
  }
  std::size_t size() const { return count_; }
  std::size_t layer_capacity() const { return layer_capacity_; }
  Player& player(std::size_t row) const { return *reinterpret_cast<Player*>(at(row)); }
  PlayerLayer* layers(std::size_t row) const {
    return reinterpret_cast<PlayerLayer*>(at(row) + sizeof(Player));
  }
  std::byte* at(std::size_t row) const { return first_ + (row - first_row_) * bytes(layer_capacity_); }

 private:
  std::byte* first_ = nullptr;
  std::size_t count_ = 0, layer_capacity_ = 0, first_row_ = 0;
};

// Whether check_player finds nothing, in an eighth of the time.
bool is_sound(const PlayerRows& rows, std::size_t row, std::size_t clip_count, bool has_frozen);

// Refuses rows that cannot be stepped: users edit them. `has_frozen`: whether there are stored poses.
Error check_player(const PlayerRows& rows, std::size_t row, std::size_t clip_count, bool has_frozen);

}  // namespace lissom
