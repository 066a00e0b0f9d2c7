// SPDX-License-Identifier: MIT
#include "core/players/player_rates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/number_text.h"
#include "core/parallel/thread_pool.h"
#include "core/players/player_clock.h"
#include "core/players/player_space.h"

namespace lissom {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
// Seconds of a clip, and beyond it what a sum of steps may be off: of long clips the cells are large, and a hold of many
// lags would be a long one.
constexpr double kLongestHold = 0.25, kHoldRounding = 1e-6;

bool holds(const HeldMoves& moves, const SpaceShares& shares) {
  return std::all_of(shares.indices, shares.indices + shares.count, [&](std::int32_t index) {
    return std::find(moves.clips.begin(), moves.clips.end(), index) != moves.clips.end();
  });
}

// The share that goes from some clips of a space to others.
double moved_share(const SpaceShares& from, const SpaceShares& to) {
  double moved = 0.0;
  for (int i = 0; i < from.count; ++i) {
    double left = from.weights[i];
    for (int k = 0; k < to.count; ++k) {
      if (to.indices[k] == from.indices[i]) left -= to.weights[k];
    }
    moved += std::max(left, 0.0);
  }
  return moved;
}

// From one time to another, in the unit of the moves, of so many seconds.
double moved_in_time(const HeldMoves& moves, double from, double to, double unit_seconds) {
  const std::size_t step_count = moves.moves.size() / moves.lags;
  const auto step_at = [&](double time) { return std::floor((time - moves.start) / moves.cell + 0.5); };
  const auto steps = static_cast<double>(step_count);
  if (!(from <= to)) return kUnknown;
  if (!moves.wraps) {  // what has ended may be kept for ever
    const double end = moves.start + (steps - 1.0) * moves.cell;
    from = std::clamp(from, moves.start, end);
    to = std::clamp(to, moves.start, end);
  }
  if (!((to - from) * unit_seconds <= kLongestHold + kHoldRounding)) return kUnknown;
  double first = step_at(from);
  const double lag = step_at(to) - first;
  if (!(lag >= 0.0 && lag < static_cast<double>(moves.lags))) return kUnknown;
  first -= std::floor(first / steps) * steps;
  const auto step = std::min(static_cast<std::size_t>(first), step_count - 1);  // of huge times
  return static_cast<double>(moves.moves[step * moves.lags + static_cast<std::size_t>(lag)]);
}

// Copies of what counts of a row, which others may edit meanwhile: false where a step would refuse it, or it shows
// anything else than one head of a clip.
bool take_head(const PlayerRows& rows, std::size_t row, std::size_t clip_count, PlayerLayer& head) {
  const Player player = rows.player(row);
  const auto capacity = static_cast<std::int32_t>(rows.layer_capacity());
  if (player.layer_count < 1 || player.layer_count > capacity || player.covered != player.layer_count - 1) {
    return false;
  }
  const PlayerLayer* const layers = rows.layers(row);
  const std::int32_t owner = layers[player.layer_count - 1].head;
  if (owner < 0 || owner >= player.layer_count || is_decaying(player)) return false;
  head = layers[owner];
  return head.clip >= 0 && static_cast<std::size_t>(head.clip) < clip_count && head.speed >= 0.0 &&
         std::fabs(head.parameter[0]) <= kMostParameter && std::fabs(head.parameter[1]) <= kMostParameter;
}

double held_move(const HeldMovesJob& job, std::size_t row) {
  const PosedPlayer& posed = job.posed[row];
  PlayerLayer head;
  if (posed.clip == kNoClip || !take_head(job.rows, row, job.clips.size(), head) || posed.clip != head.clip) {
    return kUnknown;
  }
  const auto number = static_cast<std::size_t>(head.clip);
  if (number >= job.moves.size()) return kUnknown;
  const std::vector<HeldMoves>& known = job.moves[number];
  const PlayerSpace* const space = job.clips[number].space;
  const double seconds = job.dt * head.speed;
  if (space == nullptr) {
    return known.empty() ? kUnknown : moved_in_time(known.front(), posed.time, head.time + seconds, 1.0);
  }
  for (const double parameter : posed.parameter) {
    if (!(std::fabs(parameter) <= kMostParameter)) return kUnknown;
  }
  const SpaceShares from = shares_at(*space, posed.parameter), to = shares_at(*space, head.parameter);
  const double cycle = cycle_seconds(*space, to);
  const double phase = cycle > 0.0 ? head.phase + seconds / cycle : head.phase;
  for (const HeldMoves& moves : known) {
    if (!holds(moves, from) || !holds(moves, to)) continue;
    return moved_in_time(moves, posed.time, phase, cycle) + moves.change * moved_share(from, to);
  }
  return kUnknown;
}

}  // namespace

Error HeldMovesJob::validate() const {
  if (!(dt >= 0.0 && dt <= kMostStepSeconds)) {
    return Error("dt must be at least 0 and at most " + number_text(kMostStepSeconds) + ", got " +
                 number_text(dt));
  }
  if (posed.size() != rows.size() || out.size() != rows.size()) {
    return Error("posed and out must tell of each player");
  }
  for (const std::vector<HeldMoves>& of_clip : moves) {
    for (const HeldMoves& each : of_clip) {
      if (each.lags == 0 || each.moves.empty() || each.moves.size() % each.lags != 0 || !(each.cell > 0.0)) {
        return Error("moves must hold a row of lags for each step");
      }
    }
  }
  return {};
}

Error HeldMovesJob::run() const {
  if (Error error = validate()) return error;
  constexpr double kNanoseconds = 40.0;
  parallel_for(rows.size(), 1, kNanoseconds, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) out[row] = held_move(*this, row);
  });
  return {};
}

}  // namespace lissom
