// SPDX-License-Identifier: MIT
#include "core/players/stage_block.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/parallel/thread_pool.h"

namespace lissom {

template <class T>
Error check_rows(const PlayerStage<T>& stage, double dt) {
  const PlayerRows& rows = stage.rows;
  const bool has_frozen = stage.memory.frozen != nullptr;
  std::atomic<std::size_t> first = rows.size();
  constexpr double kNanoseconds = 15.0;
  parallel_for(rows.size(), 1, kNanoseconds, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end && row < first.load(std::memory_order_relaxed); ++row) {
      if (steps_well(rows, row, stage.clips, has_frozen, dt)) continue;
      for (std::size_t known = first.load(); row < known && !first.compare_exchange_weak(known, row);) {
      }
    }
  });
  return first < rows.size() ? check_step(rows, first, stage.clips, has_frozen, dt) : Error();
}

template <class T>
void move_fades(const PlayerMemory<T>& memory, std::size_t row, std::size_t fade_count, std::size_t stride,
                std::size_t first, std::size_t count) {
  if (count == 0) return;
  const auto move = [&](auto* of_all, std::size_t size) {
    auto* const of_row = of_all + row * fade_count * size;
    std::memmove(of_row, of_row + first * size, count * size * sizeof *of_row);
  };
  move(memory.points, 8 * stride);
  move(memory.held, stride);
  move(memory.differences, 4 * stride);
}

template <class T>
StageBlock<T>::StageBlock(const PlayerStage<T>& stage, double dt)
    : stage_(stage),
      dt_(dt),
      own_(stage.rows, kPlayers),
      samples_(stage.clips, stage.joint_count, stage.morph_count),
      shown_(own_.rows(), stage.memory, stage.joint_count, stage.morph_count) {}

template <class T>
Error StageBlock<T>::advance(std::size_t begin, std::size_t count, std::size_t& wrong_row) {
  begin_ = begin, count_ = count, sample_count_ = 0;
  own_.begin_at(begin);
  samples_.clear();
  const bool has_frozen = stage_.memory.frozen != nullptr;
  for (std::size_t row = begin; row < begin + count; ++row) {
    own_.take(row);
    if (!steps_well(own_.rows(), row, stage_.clips, has_frozen, dt_)) {
      if (Error error = check_step(own_.rows(), row, stage_.clips, has_frozen, dt_)) {
        wrong_row = row;
        return error;
      }
    }
  }
  // No row is refused from here on, so that fades of none are moved without its row.
  for (std::size_t row = begin; row < begin + count; ++row) {
    if (own_.rows().player(row).layer_count > 0) begin_step(row);
  }
  return {};
}

template <class T>
void StageBlock<T>::begin_step(std::size_t row) {
  Player& player = own_.rows().player(row);
  PlayerLayer* const layers = own_.rows().layers(row);
  const std::size_t capacity = own_.rows().layer_capacity();
  if (dt_ > 0.0) {
    if (player.covered > 0) {
      drop_covered_layers(player, layers);  // with their fades, and that of the lowest that is left
      move_fades(stage_.memory, row, capacity - 1, fade_stride(stage_.joint_count),
                 static_cast<std::size_t>(player.covered), static_cast<std::size_t>(player.layer_count) - 1);
      player.covered = 0;
    }
    player.past = static_cast<std::int32_t>(PlayerPast::kRemembered);
    player.inertia_time_before = player.inertia_time;
    if (player.inertia != 0) {
      if (player.inertia_time >= std::max(player.pose_end, player.weights_end)) player.inertia = 0;
      player.inertia_time += dt_;
    }
  }
  advance_player(player, layers, stage_.clips, dt_,
                 stage_.given.empty() ? nullptr : stage_.given.data() + row * capacity);
  if (dt_ > 0.0) cover_layers(player, layers);
}

template <class T>
void StageBlock<T>::request(std::size_t i) {
  first_samples_[i] = sample_count_;
  sample_count_ += shown_.request(begin_ + i, FadeMoment::kStep, player(i).layer_count, samples_);
}

template Error check_rows<float>(const PlayerStage<float>& stage, double dt);
template Error check_rows<double>(const PlayerStage<double>& stage, double dt);
template void move_fades<float>(const PlayerMemory<float>& memory, std::size_t row, std::size_t fade_count,
                                std::size_t stride, std::size_t first, std::size_t count);
template void move_fades<double>(const PlayerMemory<double>& memory, std::size_t row, std::size_t fade_count,
                                 std::size_t stride, std::size_t first, std::size_t count);
template class StageBlock<float>;
template class StageBlock<double>;

}  // namespace lissom
