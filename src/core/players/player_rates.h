// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/players/player_clip.h"
#include "core/players/player_state.h"

namespace lissom {

// How far vertices move at most while a pose of a clip is held, or of a blend between some clips of a space.
struct HeldMoves {
  std::vector<std::int32_t> clips;  // of a space: those that have a share, by their index in it, ascending
  std::span<const float> moves;     // (steps, lags) from a step of the time line on, within so many steps
  std::size_t lags = 0;
  double start = 0.0, cell = 1.0;  // seconds, or cycles of a space: of step 0, and between steps
  bool wraps = false;              // the last step is followed by the first; else nothing moves beyond
  double change = 0.0;             // while all the share of one clip of a space goes to another, at one phase
};

// How far vertices of players would move at most from the pose that was written last to the one after a further step,
// were it written; infinite where that is not known: fades, transitions, whatever began since, and poses that are more
// than a quarter of a second of their clip old by then, before its end. Changes nothing.
struct HeldMovesJob {
  Error validate() const;
  Error run() const;

  PlayerRows rows;
  std::span<const PlayerClip> clips;
  std::span<const std::vector<HeldMoves>> moves;  // by the numbers of clips; may be fewer
  std::span<const PosedPlayer> posed;             // (N)
  double dt = 0.0;                                // seconds of that step
  std::span<double> out;                          // (N)
};

}  // namespace lissom
