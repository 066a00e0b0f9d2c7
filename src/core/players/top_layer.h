// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/players/players.h"
#include "core/players/stage_block.h"

namespace lissom {

// The weight of a layer for one player, and its fade to another. The same bytes as the dtype of lissom's layers, which has
// no gap at the end.
struct TopWeight {
  double weight, begin, goal, elapsed, duration;
  std::int32_t ease;  // a PlayerEase, not kGiven
};
inline constexpr std::size_t kTopWeightBytes = 44;

// What plays on top of players: clips of their own, blended or added onto their poses. Its rows are in the order of theirs.
template <class T>
struct TopLayer : PlayerStage<T> {
  std::string title;              // what errors begin with: layer 'arms'
  std::byte* weights = nullptr;   // (N, kTopWeightBytes)
  std::span<double> stepped;      // (N) the weights as this step has them
  std::span<const T> mask;        // (J) of joints, or none
  std::span<const T> morph_mask;  // (M) of morph targets, or none
  bool is_additive = false;
};

// Refuses what cannot be stepped together with the players.
template <class T>
Error check_top_layer(const TopLayer<T>& layer, const PlayersJob<T>& players);

// A layer, stepped in blocks as the players are, and put on their poses as BlendJob and AddLayerJob do: with the same bits.
// Nothing is changed of those who show nothing of it. One for each thread.
template <class T>
class TopBlock {
 public:
  TopBlock(const TopLayer<T>& layer, double dt);

  // As those of StageBlock.
  Error advance(std::size_t begin, std::size_t count, std::size_t& wrong_row);
  void request(std::size_t i);  // of one whose pose is due
  Error sample() { return block_.sample(); }
  void give_back() const;

  // Puts it on the poses (count, J, 10) and weights of morph targets (count, M) of a block.
  Error put(T* poses, T* morphs);

 private:
  Error put_run(std::size_t first, std::size_t count, std::size_t first_pose, T* poses);
  void put_morphs(T share, const T* from, T* to) const;

  const TopLayer<T>& layer_;
  double dt_;
  StageBlock<T> block_;
  std::size_t begin_ = 0, count_ = 0;
  TopWeight weights_[StageBlock<T>::kPlayers] = {};
  std::vector<std::size_t> asked_;  // numbers in the block whose pose is asked for
  std::vector<T> poses_, shares_, mixed_, morphs_;
};

}  // namespace lissom
