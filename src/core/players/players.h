// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/players/layer_kernels.h"
#include "core/players/player_clip.h"
#include "core/players/player_state.h"

namespace lissom {

// The arrays beside the rows of players. Of fades there are layer_capacity - 1 for each player: that of layer i is number
// i - 1. Numbers of joints are rounded up to what vectors hold: `stride` those of fades, `curve_stride` those of curves.
inline constexpr std::size_t kFadeJoints = 4, kCurveJoints = 8;
constexpr std::size_t fade_stride(std::size_t joint_count) {
  return (joint_count + kFadeJoints - 1) / kFadeJoints * kFadeJoints;
}
constexpr std::size_t curve_stride(std::size_t joint_count) {
  return (joint_count + kCurveJoints - 1) / kCurveJoints * kCurveJoints;
}
inline constexpr std::size_t kCurveRows = 18;       // of an inertialization, for each joint
inline constexpr std::size_t kWeightCurveRows = 4;  // and for each morph target

template <class T>
struct PlayerMemory {
  T* points = nullptr;                     // (N, fades, 2, 4, stride)
  std::uint8_t* held = nullptr;            // (N, fades, stride)
  T* differences = nullptr;                // (N, fades, 4, stride)
  const double* curves = nullptr;          // (N, kCurveRows, curve_stride); null: nobody is inertialized
  const double* weight_curves = nullptr;   // (N, kWeightCurveRows, M)
  const T* frozen = nullptr;               // (N, J, 10); null: nobody has a frozen pose
  const double* frozen_weights = nullptr;  // (N, M)
};

// Who plays: the rows, what lies beside them, and the clips by their numbers.
template <class T>
struct PlayerStage {
  PlayerRows rows;
  PlayerMemory<T> memory;
  std::span<const PlayerClip> clips;
  std::size_t joint_count = 0, morph_count = 0;
  std::span<const double> given;  // (N, layer_capacity) weights of fades whose ease is kGiven; may be empty
};

template <class T>
struct TopLayer;

// Steps players: advances their times and fades, samples their clips and blends what they show, as `CrossFade` of lissom
// does one by one, with the same bits. T is the type of poses: they are sampled in that of their clips, and blended in T.
// Then what plays on top of them, layer by layer, is stepped, too, and put on the poses, block by block.
template <class T>
struct PlayersJob {
  Error validate() const;  // sizes, and every row
  // Validates, then steps copies of the rows; writes nothing on error, unless rows change while it runs.
  Error run() const;

  PlayerRows rows;
  PlayerMemory<T> memory;
  std::span<const PlayerClip> clips;
  std::size_t joint_count = 0, morph_count = 0;
  std::span<const TopLayer<T>> top_layers;  // (N) rows each, the lowest first
  double dt = 0.0;                          // seconds, at least 0
  std::span<const std::uint8_t>
      due;  // (N) whose poses are written, or empty: everybody's; time goes on for all
  std::span<PosedPlayer>
      posed;  // (N) of those that are due, or empty: what the players show below the layers
  std::span<const double> given;    // (N, layer_capacity) weights of fades whose ease is kGiven; may be empty
  std::span<const T> rest;          // (J, 10) of players that play nothing yet
  std::span<const T> rest_weights;  // (M)
  std::span<T> out;                 // (N, J, 10)
  std::span<T> out_weights;         // (N, M)

 private:
  PlayerStage<T> stage() const { return {rows, memory, clips, joint_count, morph_count, given}; }
};

// What some players show at present, or showed before their last step. Changes nothing. `chosen` are rows.
template <class T>
struct ShownPlayersJob {
  Error validate() const;
  Error run() const;

  PlayerRows rows;
  PlayerMemory<T> memory;
  std::span<const PlayerClip> clips;
  std::size_t joint_count = 0, morph_count = 0;
  std::span<const std::int64_t> chosen;  // (n)
  FadeMoment moment = FadeMoment::kNow;
  std::int32_t layer_limit =
      0;             // where above 0, so many of the layers alone, from the lowest that is not covered
  std::span<T> out;  // (n, J, 10)
  std::span<double> out_weights;  // (n, M)

 private:
  Error check(const PlayerRows& state) const;  // of the chosen ones
};

// Makes room for a further fade: of the layers of some players that are not covered, the lowest two become one, whose
// pose is stored elsewhere and no longer moves; covered ones are dropped.
template <class T>
struct FreezePlayersJob {
  Error validate() const;
  Error run() const;

  PlayerRows rows;
  PlayerMemory<T> memory;
  std::size_t joint_count = 0, clip_count = 0;
  std::span<const std::int64_t> chosen;  // (n) rows of players with at least two layers that are not covered

 private:
  Error check(const PlayerRows& state) const;
};

}  // namespace lissom
