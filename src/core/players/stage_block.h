// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/players/own_rows.h"
#include "core/players/player_clock.h"
#include "core/players/player_space.h"
#include "core/players/players.h"
#include "core/players/shown_player.h"

namespace lissom {

// Refuses the first row that cannot be stepped by `dt`, in any order of threads.
template <class T>
Error check_rows(const PlayerStage<T>& stage, double dt);

// Of the fades of a player, `count` from number `first` on become the first ones.
template <class T>
void move_fades(const PlayerMemory<T>& memory, std::size_t row, std::size_t fade_count, std::size_t stride,
                std::size_t first, std::size_t count);

// Steps players in blocks: first the times and fades of all of a block, then what is to be seen of them. Rows are copies,
// which are given back at the end. One for each thread.
template <class T>
class StageBlock {
 public:
  // Players whose samples are taken together: enough for clips to be sampled in blocks, few enough for the second cache.
  static constexpr std::size_t kPlayers = 64;

  // `stage` must outlive it.
  StageBlock(const PlayerStage<T>& stage, double dt);

  // Advances the players of rows from `begin` on, `count` of them. Refuses a row that was edited since it was checked,
  // while this call is under way; then `wrong_row` is its number.
  Error advance(std::size_t begin, std::size_t count, std::size_t& wrong_row);

  // By numbers in the block.
  const Player& player(std::size_t i) const { return own_.rows().player(begin_ + i); }
  bool plays(std::size_t i) const { return player(i).layer_count > 0; }
  // Whether showing it would be remembered.
  bool is_fading(std::size_t i) const { return player(i).layer_count - player(i).covered > 1; }

  // Its pose will be asked for: of one that plays.
  void request(std::size_t i);
  // What its pose shows.
  PosedPlayer posed(std::size_t i) const { return posed_now(own_.rows(), begin_ + i, stage_.clips); }

  Error sample() { return samples_.sample(); }
  // Of one that was requested.
  template <class Weight>
  void show(std::size_t i, T* pose, Weight* weights) {
    shown_.show(begin_ + i, FadeMoment::kStep, player(i).layer_count, first_samples_[i], samples_, pose,
                weights);
  }
  void give_back() const {
    for (std::size_t i = 0; i < count_; ++i) own_.give_back(begin_ + i);
  }

 private:
  void begin_step(std::size_t row);

  const PlayerStage<T>& stage_;
  double dt_;
  OwnRows own_;
  PlayerSamples<T> samples_;
  ShownPlayer<T> shown_;
  std::size_t begin_ = 0, count_ = 0, sample_count_ = 0;
  std::size_t first_samples_[kPlayers] = {};
};

}  // namespace lissom
