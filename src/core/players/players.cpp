// SPDX-License-Identifier: MIT
#include "core/players/players.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "core/math/conventions.h"
#include "core/number_text.h"
#include "core/parallel/thread_pool.h"
#include "core/players/own_rows.h"
#include "core/players/player_clock.h"
#include "core/players/shown_player.h"

namespace lissom {
namespace {

// Players whose samples are taken together: enough for clips to be sampled in blocks, few enough for the second cache.
constexpr std::size_t kTogether = 64;
constexpr double kNanosecondsPerJoint = 12.0;

// The first row that cannot be stepped, in any order of threads.
Error check_rows(const PlayerRows& rows, std::span<const PlayerClip> clips, bool has_frozen, double dt) {
  std::atomic<std::size_t> first = rows.size();
  constexpr double kNanoseconds = 15.0;
  parallel_for(rows.size(), 1, kNanoseconds, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end && row < first.load(std::memory_order_relaxed); ++row) {
      if (steps_well(rows, row, clips, has_frozen, dt)) continue;
      for (std::size_t known = first.load(); row < known && !first.compare_exchange_weak(known, row);) {
      }
    }
  });
  return first < rows.size() ? check_step(rows, first, clips, has_frozen, dt) : Error();
}

// Of the fades of a player, `count` from number `first` on become the first ones.
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

// The error of the lowest row, whatever the order of threads.
class FirstError {
 public:
  void keep(std::size_t row, Error error) {
    const std::scoped_lock lock(mutex_);
    if (row < row_) row_ = row, error_ = std::move(error);
  }
  Error take() { return std::move(error_); }

 private:
  std::mutex mutex_;
  std::size_t row_ = std::numeric_limits<std::size_t>::max();
  Error error_;
};

template <class T>
void begin_step(const PlayersJob<T>& job, const PlayerRows& rows, std::size_t row, std::size_t stride) {
  Player& player = rows.player(row);
  PlayerLayer* const layers = rows.layers(row);
  const std::size_t capacity = rows.layer_capacity();
  if (job.dt > 0.0) {
    if (player.covered > 0) {
      drop_covered_layers(player, layers);  // with their fades, and that of the lowest that is left
      move_fades(job.memory, row, capacity - 1, stride, static_cast<std::size_t>(player.covered),
                 static_cast<std::size_t>(player.layer_count) - 1);
      player.covered = 0;
    }
    player.past = static_cast<std::int32_t>(PlayerPast::kRemembered);
    player.inertia_time_before = player.inertia_time;
    if (player.inertia != 0) {
      if (player.inertia_time >= std::max(player.pose_end, player.weights_end)) player.inertia = 0;
      player.inertia_time += job.dt;
    }
  }
  advance_player(player, layers, job.clips, job.dt,
                 job.given.empty() ? nullptr : job.given.data() + row * capacity);
}

}  // namespace

template <class T>
Error PlayersJob<T>::validate() const {
  if (!(dt >= 0.0 && dt <= kMostStepSeconds)) {
    return Error("dt must be at least 0 and at most " + number_text(kMostStepSeconds) + ", got " +
                 number_text(dt));
  }
  const std::size_t pose_size = joint_count * kTrsScalars;
  if (out.size() != rows.size() * pose_size || out_weights.size() != rows.size() * morph_count) {
    return Error("out must hold a pose and weights for each player");
  }
  if (rest.size() != pose_size || rest_weights.size() != morph_count) {
    return Error("rest must hold one pose and its weights");
  }
  if (!due.empty() && due.size() != rows.size()) return Error("due must tell of each player");
  if (!given.empty() && given.size() != rows.size() * rows.layer_capacity()) {
    return Error("given must hold a weight for each layer");
  }
  return check_rows(rows, clips, memory.frozen != nullptr, dt);
}

template <class T>
Error PlayersJob<T>::run() const {
  if (Error error = validate()) return error;
  const std::size_t pose_size = joint_count * kTrsScalars, stride = fade_stride(joint_count);
  const double nanoseconds = 100.0 + kNanosecondsPerJoint * static_cast<double>(joint_count);
  FirstError first;
  parallel_for(rows.size(), 1, nanoseconds, [&](std::size_t begin, std::size_t end) {
    PlayerSamples<T> samples(clips, joint_count, morph_count);
    OwnRows own(rows, kTogether);
    ShownPlayer<T> shown(own.rows(), memory, joint_count, morph_count);
    std::size_t first_samples[kTogether];
    bool poses[kTogether];
    for (; begin < end; begin += std::min(kTogether, end - begin)) {
      const std::size_t count = std::min(kTogether, end - begin);
      own.begin_at(begin);
      samples.clear();
      std::size_t sample_count = 0;
      Error error;
      for (std::size_t i = 0; i < count && !error; ++i) {
        const std::size_t row = begin + i;
        own.take(row);
        if (!steps_well(own.rows(), row, clips, memory.frozen != nullptr, dt)) {
          error = check_step(own.rows(), row, clips, memory.frozen != nullptr, dt);
          first.keep(row, error);
        }
        first_samples[i] = sample_count;
        Player& player = own.rows().player(row);
        poses[i] = true;
        if (error || player.layer_count == 0) continue;
        begin_step(*this, own.rows(), row, stride);
        if (dt > 0.0) cover_layers(player, own.rows().layers(row));
        poses[i] = due.empty() || due[row] != 0 || player.is_posed == 0 || player.covered > 0;
        if (!poses[i]) {
          player.held += dt;
          continue;
        }
        player.is_posed = 1;
        player.held = player.drift = 0.0;
        sample_count += shown.request(row, FadeMoment::kStep, player.layer_count, samples);
      }
      if (!error && (error = samples.sample())) first.keep(begin, error);
      if (error) continue;  // of rows that were edited since they were checked, while this call is under way
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = begin + i;
        T* const pose = out.data() + row * pose_size;
        T* const weights = out_weights.data() + row * morph_count;
        own.give_back(row);
        if (!due.empty()) due[row] = poses[i] ? 1 : 0;
        if (!poses[i]) continue;
        const std::int32_t layer_count = own.rows().player(row).layer_count;
        if (layer_count == 0) {
          std::copy(rest.begin(), rest.end(), pose);
          std::copy(rest_weights.begin(), rest_weights.end(), weights);
          continue;
        }
        shown.show(row, FadeMoment::kStep, layer_count, first_samples[i], samples, pose, weights);
      }
    }
  });
  return first.take();
}

template <class T>
Error ShownPlayersJob<T>::validate() const {
  if (out.size() != chosen.size() * joint_count * kTrsScalars ||
      out_weights.size() != chosen.size() * morph_count) {
    return Error("out must hold a pose and weights for each of the players");
  }
  return check(rows);
}

template <class T>
Error ShownPlayersJob<T>::check(const PlayerRows& state) const {
  for (const std::int64_t row : chosen) {
    if (row < 0 || static_cast<std::size_t>(row) >= rows.size()) {
      return Error("rows must lie in [0, " + std::to_string(rows.size()) + "), got " + std::to_string(row));
    }
    const auto index = static_cast<std::size_t>(row);
    if (Error error = check_player(state, index, clips.size(), memory.frozen != nullptr)) return error;
    if (state.player(index).layer_count == 0) {
      return Error("players must play something, got one in row " + std::to_string(row) + " that does not");
    }
  }
  return {};
}

template <class T>
Error ShownPlayersJob<T>::run() const {
  if (Error error = validate()) return error;
  const std::size_t pose_size = joint_count * kTrsScalars;
  const double nanoseconds = 100.0 + kNanosecondsPerJoint * static_cast<double>(joint_count);
  // Memory of rows that are not chosen is not touched.
  OwnRows own(rows, rows.size());
  for (const std::int64_t row : chosen) own.take(static_cast<std::size_t>(row));
  if (Error error = check(own.rows())) return error;
  FirstError first;
  parallel_for(chosen.size(), 1, nanoseconds, [&](std::size_t begin, std::size_t end) {
    PlayerSamples<T> samples(clips, joint_count, morph_count);
    ShownPlayer<T> shown(own.rows(), memory, joint_count, morph_count);
    std::size_t first_samples[kTogether];
    const auto row_of = [&](std::size_t i) { return static_cast<std::size_t>(chosen[i]); };
    const auto end_of = [&](const Player& player) {
      return layer_limit > 0 ? std::min(player.layer_count, player.covered + layer_limit)
                             : player.layer_count;
    };
    for (; begin < end; begin += std::min(kTogether, end - begin)) {
      const std::size_t count = std::min(kTogether, end - begin);
      samples.clear();
      std::size_t sample_count = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = row_of(begin + i);
        first_samples[i] = sample_count;
        sample_count += shown.request(row, moment, end_of(own.rows().player(row)), samples);
      }
      if (Error error = samples.sample()) {
        first.keep(begin, std::move(error));
        continue;
      }
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = row_of(begin + i);
        shown.show(row, moment, end_of(own.rows().player(row)), first_samples[i], samples,
                   out.data() + (begin + i) * pose_size, out_weights.data() + (begin + i) * morph_count);
      }
    }
  });
  return first.take();
}

template <class T>
Error FreezePlayersJob<T>::validate() const {
  return check(rows);
}

template <class T>
Error FreezePlayersJob<T>::check(const PlayerRows& state) const {
  for (const std::int64_t row : chosen) {
    if (row < 0 || static_cast<std::size_t>(row) >= rows.size()) {
      return Error("rows must lie in [0, " + std::to_string(rows.size()) + "), got " + std::to_string(row));
    }
    const auto index = static_cast<std::size_t>(row);
    if (Error error = check_player(state, index, clip_count, true)) return error;
    const Player& player = state.player(index);
    if (player.layer_count - player.covered < 2) {
      return Error("players must have two layers, got one in row " + std::to_string(row) + " that has not");
    }
  }
  return {};
}

template <class T>
Error FreezePlayersJob<T>::run() const {
  if (Error error = validate()) return error;
  OwnRows own(rows, rows.size());
  for (const std::int64_t row : chosen) own.take(static_cast<std::size_t>(row));
  if (Error error = check(own.rows())) return error;
  const std::size_t fade_count = rows.layer_capacity() - 1, stride = fade_stride(joint_count);
  for (const std::int64_t chosen_row : chosen) {
    const auto row = static_cast<std::size_t>(chosen_row);
    Player& player = own.rows().player(row);
    PlayerLayer* const layers = own.rows().layers(row);
    const double weight = layers[player.covered].weight + layers[player.covered + 1].weight;
    player.covered += 2;
    drop_covered_layers(player, layers);
    // The fades above stay: that of the layer that is now the lowest will be over the frozen one.
    const auto left = static_cast<std::size_t>(player.layer_count);
    move_fades(memory, row, fade_count, stride, static_cast<std::size_t>(player.covered) - 1, left);
    player.covered = 0;
    for (std::int32_t i = player.layer_count; i > 0; --i) {
      layers[i] = layers[i - 1];
      ++layers[i].head;
    }
    layers[0] = PlayerLayer{};
    layers[0].clip = kFrozen;
    layers[0].sync = kNoSync;
    layers[0].weight = weight;
    layers[0].fade = layers[0].fade_before = 1.0;
    ++player.layer_count;
    own.give_back(row);
  }
  return {};
}

template struct FreezePlayersJob<float>;
template struct FreezePlayersJob<double>;
template struct PlayersJob<float>;
template struct PlayersJob<double>;
template struct ShownPlayersJob<float>;
template struct ShownPlayersJob<double>;

}  // namespace lissom
