// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/players/layer_kernels.h"
#include "core/players/player_space.h"
#include "core/players/player_state.h"
#include "core/players/players.h"

namespace lissom {

// The kernels of fades and of differences that decay.
template <class T>
const LayerLoops<T>& layer_loops();

// What one player shows, layer over layer. Has memory for the poses in between: one for each thread.
template <class T>
class ShownPlayer {
 public:
  // `rows` must outlive it.
  ShownPlayer(const PlayerRows& rows, const PlayerMemory<T>& memory, std::size_t joint_count,
              std::size_t morph_count);

  // Requests the samples that a player needs at a moment, of the layers before `end`; returns how many.
  std::size_t request(std::size_t row, FadeMoment moment, std::int32_t end, PlayerSamples<T>& clips) const;

  // Writes what it shows, after the samples were taken: its own begin at number `first_sample`.
  template <class Weight>
  void show(std::size_t row, FadeMoment moment, std::int32_t end, std::size_t first_sample,
            const PlayerSamples<T>& clips, T* out, Weight* out_weights) {
    show_pose(row, moment, end, first_sample, clips, out);
    if (!morph_count_) return;
    show_weights(row, moment, end, clips);
    for (std::size_t i = 0; i < morph_count_; ++i) out_weights[i] = static_cast<Weight>(weights_[i]);
  }

 private:
  // Calls body(layer, head) for the layers of a player at a moment that are the first to show their head, a clip.
  template <class Body>
  void for_each_sample(std::size_t row, FadeMoment moment, std::int32_t end, const Body& body) const;
  static std::int32_t lowest(const Player& player, FadeMoment moment) {
    return moment == FadeMoment::kBefore ? 0 : player.covered;
  }
  static double inertia_time(const Player& player, FadeMoment moment) {
    return moment == FadeMoment::kBefore ? player.inertia_time_before : player.inertia_time;
  }
  void show_pose(std::size_t row, FadeMoment moment, std::int32_t end, std::size_t first_sample,
                 const PlayerSamples<T>& clips, T* out);
  const T* inertialized(std::size_t row, FadeMoment moment, const T* pose);
  void fade(std::size_t row, std::int32_t layer, FadeMoment moment, const T* below, const T* target,
            T* out) const;
  void show_weights(std::size_t row, FadeMoment moment, std::int32_t end, const PlayerSamples<T>& clips);

  const PlayerRows& rows_;
  PlayerMemory<T> memory_;
  std::size_t joint_count_, morph_count_, fade_count_, stride_, curve_stride_;
  std::vector<std::size_t> samples_;  // of each layer that owns a head: the number of its sample
  std::vector<T> target_, between_[2];
  std::vector<double> weights_;
};

}  // namespace lissom
