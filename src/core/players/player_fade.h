// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/players/player_clip.h"
#include "core/players/player_state.h"
#include "core/players/players.h"

namespace lissom {

// How the pose that shows becomes that of the clip.
enum class FadeMethod : std::int32_t { kBlend = 0, kQuintic = 1, kSpring = 2 };

// Starts fades of players to one clip, as `CrossFade.fade_to` of lissom does one by one, with the same bits.
template <class T>
struct FadePlayersJob {
  Error validate() const;  // sizes, and the chosen rows: each plays something
  // Validates, then changes copies of the rows; writes nothing on error, unless rows change while it runs.
  Error run() const;

  PlayerRows rows;  // with room for a further layer of those that blend
  PlayerMemory<T> memory;
  std::span<const PlayerClip> clips;
  std::size_t joint_count = 0, morph_count = 0;
  std::span<const std::int64_t> chosen;  // (n), each once
  std::int32_t clip = 0, ease = 0;
  FadeMethod method = FadeMethod::kBlend;
  bool has_sync = false;               // begins at the phase of the clip that shows, where both are cycles
  std::span<const double> durations;   // (n) seconds
  std::span<const double> at;          // (n) seconds on its time line; empty: its start, or where it plays
  std::span<const double> speeds;      // (n); empty: 1, or unchanged
  std::span<const double> parameters;  // (n, 2) of a blend space that does not play yet
  // Of methods other than kBlend; see PlayerMemory.
  double* curves = nullptr;         // (N, kCurveRows, curve_stride)
  double* weight_curves = nullptr;  // (N, kWeightCurveRows, M)
  T* past = nullptr;                // (N, J, 10) what showed a step before
  double* past_weights = nullptr;   // (N, M)

 private:
  Error check(const PlayerRows& state) const;
};

}  // namespace lissom
