// SPDX-License-Identifier: MIT
#include "core/players/player_fade.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/math/conventions.h"
#include "core/parallel/thread_pool.h"
#include "core/players/own_rows.h"
#include "core/players/player_clock.h"
#include "core/players/player_space.h"
#include "core/players/shown_player.h"
#include "core/players/transition_kernels.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(TransitionKernels, transition_kernels)

namespace {

constexpr std::size_t kTogether = 32;  // players whose poses stay in the second cache
constexpr double kNanosecondsPerJoint = 60.0;
// (1 + s) exp(-s) = 1/2 and 1/1000 at these s: see class Spring of lissom.
constexpr double kHalfWay = 1.6783469900166605, kNearlyThere = 9.233413476451586;
constexpr double kLeastStep = 1e-9;  // seconds: velocities of shorter steps would be infinite

// The layers that own the topmost play head, and the latest one that plays the clip, or -1.
struct Heads {
  std::int32_t top, found;
};

Heads heads_of(const Player& player, const PlayerLayer* layers, std::int32_t clip) {
  Heads heads = {layers[player.layer_count - 1].head, -1};
  for (std::int32_t i = player.covered; i < player.layer_count; ++i) {
    if (layers[layers[i].head].clip == clip && shows_first(player, layers, i)) heads.found = layers[i].head;
  }
  return heads;
}

bool is_cycle(const PlayerClip& clip) { return clip.loop == Loop::kYes && clip.duration > 0.0; }

// A head that plays a clip from a time on.
PlayerLayer new_head(std::int32_t number, double time) {
  PlayerLayer head{};
  head.clip = number, head.sync = kNoSync, head.is_fresh = 1;
  head.time = head.time_before = time;
  head.speed = 1.0;
  return head;
}

std::int32_t new_sync(const PlayerLayer* layers, std::size_t layer_capacity) {
  std::int32_t most = kNoSync;
  for (std::size_t i = 0; i < layer_capacity; ++i) most = std::max(most, layers[i].sync);
  return most + 1;
}

// Lets a new head play a blend space, at a phase.
void place(PlayerLayer& head, const PlayerSpace& space, const double* parameter, const PlayerLayer* layers,
           std::size_t layer_capacity) {
  std::copy_n(parameter, 2, head.parameter);
  std::copy_n(parameter, 2, head.parameter_shown);
  std::copy_n(parameter, 2, head.parameter_before);
  head.sync = new_sync(layers, layer_capacity);
  head.phase = head.phase_before = head.time / cycle_seconds(space, shares_at(space, parameter));
}

// Lets a new head begin at the phase of the one that shows, if that has one.
void keep_step(PlayerLayer& head, PlayerLayer& leader, const PlayerLayer* layers, std::size_t layer_capacity,
               std::span<const PlayerClip> clips) {
  if (leader.clip < 0 || !is_cycle(clips[static_cast<std::size_t>(leader.clip)])) return;
  if (leader.sync == kNoSync) {
    const PlayerClip& led = clips[static_cast<std::size_t>(leader.clip)];
    leader.sync = new_sync(layers, layer_capacity);
    leader.phase = leader.phase_before = (leader.time - led.start) / led.duration;
  }
  const PlayerClip& clip = clips[static_cast<std::size_t>(head.clip)];
  head.sync = leader.sync;
  head.phase = head.phase_before = leader.phase;
  head.time = head.time_before = clip.start + leader.phase * cycle_seconds(clip, head.parameter);
}

// Lets a head show alone.
void cut_to(const PlayerLayer& head, Player& player, PlayerLayer* layers, std::size_t layer_capacity) {
  const std::int64_t id = player.id;
  player = Player{};
  player.id = id, player.layer_count = 1;
  for (std::size_t i = 0; i < layer_capacity; ++i) {
    layers[i] = PlayerLayer{};
    layers[i].clip = kNoClip, layers[i].sync = kNoSync;
  }
  PlayerLayer& lowest = layers[0];
  lowest = head;
  lowest.head = lowest.ease = 0;
  lowest.elapsed = lowest.duration = 0.0;
  lowest.weight = lowest.fade = lowest.fade_before = 1.0;
}

// Starts the fades of some of the chosen rows, in blocks.
template <class T>
class FadeStarter {
 public:
  FadeStarter(const FadePlayersJob<T>& job, const OwnRows& own)
      : job_(job),
        own_(own),
        pose_size_(job.joint_count * kTrsScalars),
        stride_(fade_stride(job.joint_count)),
        curve_stride_(curve_stride(job.joint_count)),
        morph_stride_((job.morph_count + kTransitionJoints - 1) / kTransitionJoints * kTransitionJoints),
        samples_(job.clips, job.joint_count, job.morph_count),
        before_(job.clips, job.joint_count, job.morph_count),
        exact_(job.clips, job.joint_count, job.morph_count),
        shown_(own.rows(), job.memory, job.joint_count, job.morph_count),
        pose_(pose_size_),
        target_(pose_size_),
        weights_(job.morph_count),
        room_(3 * pose_size_),
        difference_(9 * curve_stride_),
        velocity_(9 * curve_stride_),
        away_(morph_stride_),
        away_speed_(morph_stride_),
        weight_curve_(kWeightCurveRows * morph_stride_) {}

  Error start(std::size_t begin, std::size_t end) {
    going_.clear();
    samples_.clear(), before_.clear(), exact_.clear();
    for (std::size_t i = begin; i < end; ++i) prepare(i);
    if (Error error = samples_.sample()) return error;
    if (Error error = before_.sample()) return error;
    if (Error error = exact_.sample()) return error;
    for (const Going& going : going_) {
      if (job_.method == FadeMethod::kBlend)
        blend(going);
      else
        inertialize(going);
      own_.give_back(going.row);
    }
    return {};
  }

 private:
  struct Going {
    std::size_t index, row;
    std::int32_t found;
    PlayerLayer head;
    std::size_t first_shown, first_before, target, now, ahead;  // samples
    bool keeps_past, moves;
  };

  // Does what needs no pose, and requests the poses of the others.
  void prepare(std::size_t index) {
    const auto row = static_cast<std::size_t>(job_.chosen[index]);
    Player& player = own_.rows().player(row);
    PlayerLayer* const layers = own_.rows().layers(row);
    const std::size_t capacity = own_.rows().layer_capacity();
    Heads heads = heads_of(player, layers, job_.clip);
    if (!job_.at.empty()) {
      heads.found = -1;
    } else if (layers[heads.top].clip == job_.clip) {
      if (job_.speeds.empty()) return;
      layers[heads.top].speed = job_.speeds[index];
      own_.give_back(row);
      return;
    }
    const PlayerClip& clip = job_.clips[static_cast<std::size_t>(job_.clip)];
    Going going = {};
    going.index = index, going.row = row, going.found = heads.found;
    if (heads.found < 0) {
      going.head = new_head(job_.clip, job_.at.empty() ? clip.start : job_.at[index]);
      if (clip.space != nullptr) {
        place(going.head, *clip.space, &job_.parameters[2 * index], layers, capacity);
      }
      if (job_.has_sync) keep_step(going.head, layers[heads.top], layers, capacity, job_.clips);
    } else {
      going.head = layers[heads.found];
    }
    if (!job_.speeds.empty()) going.head.speed = job_.speeds[index];
    if (job_.durations[index] == 0.0) {
      cut_to(going.head, player, layers, capacity);
      own_.give_back(row);
      return;
    }
    request(going);
    going_.push_back(going);
  }

  void request(Going& going) {
    const Player& player = own_.rows().player(going.row);
    const auto add = [&](auto& samples, std::size_t& count, FadeMoment moment) {
      const std::size_t first = count;
      count += shown_.request(going.row, moment, player.layer_count, samples);
      return first;
    };
    if (going_.empty()) sample_count_ = before_count_ = 0;
    going.first_shown = add(samples_, sample_count_, FadeMoment::kNow);
    if (job_.method == FadeMethod::kBlend) {
      going.target = samples_.add(going.head.clip, going.head.time, going.head.parameter_shown);
      ++sample_count_;
      return;
    }
    going.keeps_past = player.past == static_cast<std::int32_t>(PlayerPast::kRemembered);
    if (going.keeps_past) going.first_before = add(before_, before_count_, FadeMoment::kBefore);
    going.moves = player.past != static_cast<std::int32_t>(PlayerPast::kNone) && player.dt >= kLeastStep;
    const PlayerLayer& head = going.head;
    going.target = going.now = exact_.add(head.clip, head.time, head.parameter_shown);
    if (!going.moves) return;
    const PlayerClip& clip = job_.clips[static_cast<std::size_t>(head.clip)];
    double time = head.time;
    if (clip.space != nullptr) {  // a change of its parameter since the last step must not count as velocity
      time = head.phase * cycle_seconds(clip, head.parameter);
      going.now = exact_.add(head.clip, time, head.parameter);
    }
    going.ahead = exact_.add(head.clip, time + player.dt * head.speed, head.parameter);
  }

  void blend(const Going& going) {
    Player& player = own_.rows().player(going.row);
    PlayerLayer* const layers = own_.rows().layers(going.row);
    const std::int32_t slot = player.layer_count;
    shown_.show(going.row, FadeMoment::kNow, slot, going.first_shown, samples_, pose_.data(),
                weights_.data());
    PlayerLayer& layer = layers[slot];
    if (going.found < 0) {
      layer = going.head;
      layer.head = slot;
    } else {
      layer = PlayerLayer{};
      layer.clip = kNoClip, layer.sync = kNoSync;
      layer.head = going.found;
      layers[going.found].speed = going.head.speed;
    }
    layer.duration = job_.durations[going.index], layer.ease = job_.ease;
    ++player.layer_count;
    const std::size_t number =
        going.row * (own_.rows().layer_capacity() - 1) + static_cast<std::size_t>(slot - 1);
    const FadeMemory<T> memory = {job_.memory.points + number * 8 * stride_,
                                  job_.memory.held + number * stride_,
                                  job_.memory.differences + number * 4 * stride_, stride_};
    layer_loops<T>().begin(pose_.data(), samples_.pose(going.target), memory, job_.joint_count);
  }

  void inertialize(const Going& going) {
    Player& player = own_.rows().player(going.row);
    PlayerLayer* const layers = own_.rows().layers(going.row);
    T* const past = job_.past + going.row * pose_size_;
    double* const past_weights = job_.past_weights + going.row * job_.morph_count;
    if (going.keeps_past) {
      shown_.show(going.row, FadeMoment::kBefore, player.layer_count, going.first_before, before_, past,
                  past_weights);
      player.past = static_cast<std::int32_t>(PlayerPast::kStored);
    }
    shown_.show(going.row, FadeMoment::kNow, player.layer_count, going.first_shown, samples_, pose_.data(),
                weights_.data());
    const double* const target = exact_.pose(going.target);
    std::transform(target, target + pose_size_, target_.begin(), [](double x) { return static_cast<T>(x); });
    const TransitionPoses<T> poses = {pose_.data(),
                                      target_.data(),
                                      exact_.pose(going.now),
                                      going.moves ? exact_.pose(going.ahead) : nullptr,
                                      going.moves ? past : nullptr,
                                      player.dt};
    if constexpr (std::is_same_v<T, float>) {
      transition_kernels().float_differences(poses, job_.joint_count, curve_stride_, room_.data(),
                                             difference_.data(), velocity_.data());
    } else {
      transition_kernels().double_differences(poses, job_.joint_count, curve_stride_, room_.data(),
                                              difference_.data(), velocity_.data());
    }
    find_weights(going, player.dt, past_weights);
    const double duration = job_.durations[going.index];
    double* const curve = job_.curves + going.row * kCurveRows * curve_stride_;
    const Player kept = player;
    cut_to(going.head, player, layers, own_.rows().layer_capacity());
    player.past = kept.past, player.dt = kept.dt;
    if (job_.method == FadeMethod::kQuintic) {
      player.inertia = static_cast<std::int32_t>(PlayerInertia::kQuintic);
      player.pose_end = transition_kernels().quintic(difference_.data(), velocity_.data(), 3, 3,
                                                     curve_stride_, duration, curve);
      player.weights_end = transition_kernels().quintic(away_.data(), away_speed_.data(), 1, 1, morph_stride_,
                                                        duration, weight_curve_.data());
      put_weight_curve(going.row, 4);
      return;
    }
    player.inertia = static_cast<std::int32_t>(PlayerInertia::kSpring);
    player.rate = kHalfWay / (duration * kHalfWay / kNearlyThere);
    player.pose_end = player.weights_end = duration;
    start_spring(difference_, velocity_, player.rate, curve);
    start_spring(away_, away_speed_, player.rate, weight_curve_.data());
    put_weight_curve(going.row, 2);
  }

  // The differences of weights of morph targets, and their velocities.
  void find_weights(const Going& going, double dt, const double* past_weights) {
    const double* const target = exact_.weights(going.target);
    const double* const now = exact_.weights(going.now);
    const double* const ahead = going.moves ? exact_.weights(going.ahead) : nullptr;
    for (std::size_t k = 0; k < job_.morph_count; ++k) {
      away_[k] = weights_[k] - target[k];
      away_speed_[k] = 0.0;
      if (ahead == nullptr) continue;
      const double previous = target[k] + (now[k] - ahead[k]);
      away_speed_[k] = ((weights_[k] - past_weights[k]) - (target[k] - previous)) / dt;
    }
  }

  static void start_spring(const std::vector<double>& difference, const std::vector<double>& velocity,
                           double rate, double* curve) {
    const std::size_t size = difference.size();
    for (std::size_t i = 0; i < size; ++i) {
      curve[i] = difference[i];
      curve[size + i] = velocity[i] + rate * difference[i];
    }
  }

  void put_weight_curve(std::size_t row, std::size_t rows) {
    double* const curve = job_.weight_curves + row * kWeightCurveRows * job_.morph_count;
    for (std::size_t i = 0; i < rows; ++i) {
      std::copy_n(weight_curve_.data() + i * morph_stride_, job_.morph_count, curve + i * job_.morph_count);
    }
  }

  const FadePlayersJob<T>& job_;
  const OwnRows& own_;
  std::size_t pose_size_, stride_, curve_stride_, morph_stride_;
  PlayerSamples<T> samples_, before_;  // of the present, and of a step before
  PlayerSamples<double> exact_;        // of the clip, at present and a step ahead
  ShownPlayer<T> shown_;
  std::size_t sample_count_ = 0, before_count_ = 0;
  std::vector<T> pose_, target_;
  std::vector<double> weights_, room_, difference_, velocity_, away_, away_speed_, weight_curve_;
  std::vector<Going> going_;
};

}  // namespace

template <class T>
Error FadePlayersJob<T>::validate() const {
  if (durations.size() != chosen.size() || (!at.empty() && at.size() != chosen.size()) ||
      (!speeds.empty() && speeds.size() != chosen.size())) {
    return Error("duration, at and speed must be numbers for each of the players");
  }
  if (clip < 0 || static_cast<std::size_t>(clip) >= clips.size())
    return Error("clip must be one of those known");
  if (method != FadeMethod::kBlend && (curves == nullptr || past == nullptr)) {
    return Error("method must be 'blend' without memory for transitions");
  }
  return check(rows);
}

template <class T>
Error FadePlayersJob<T>::check(const PlayerRows& state) const {
  const auto capacity = static_cast<std::int32_t>(rows.layer_capacity());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::int64_t row = chosen[i];
    if (row < 0 || static_cast<std::size_t>(row) >= rows.size()) {
      return Error("rows must lie in [0, " + std::to_string(rows.size()) + "), got " + std::to_string(row));
    }
    const auto index = static_cast<std::size_t>(row);
    if (Error error = check_player(state, index, clips.size(), memory.frozen != nullptr)) return error;
    const Player& player = state.player(index);
    const PlayerLayer* const layers = state.layers(index);
    if (player.layer_count == 0) {
      return Error("players must play something, got one in row " + std::to_string(row) + " that does not");
    }
    if (method != FadeMethod::kBlend || player.layer_count < capacity || durations[i] == 0.0) continue;
    if (at.empty() && layers[layers[player.layer_count - 1].head].clip == clip) continue;
    return Error("players must have room for a layer, got one in row " + std::to_string(row) +
                 " that has not");
  }
  return {};
}

template <class T>
Error FadePlayersJob<T>::run() const {
  if (Error error = validate()) return error;
  // Memory of rows that are not chosen is not touched.
  OwnRows own(rows, rows.size());
  for (const std::int64_t row : chosen) own.take(static_cast<std::size_t>(row));
  if (Error error = check(own.rows())) return error;
  std::mutex mutex;
  Error first;
  const double nanoseconds = 200.0 + kNanosecondsPerJoint * static_cast<double>(joint_count);
  parallel_for(chosen.size(), 1, nanoseconds, [&](std::size_t begin, std::size_t end) {
    FadeStarter<T> starter(*this, own);
    for (; begin < end; begin += std::min(kTogether, end - begin)) {
      Error error = starter.start(begin, begin + std::min(kTogether, end - begin));
      if (!error) continue;
      const std::scoped_lock lock(mutex);
      first = std::move(error);
    }
  });
  return first;
}

template struct FadePlayersJob<float>;
template struct FadePlayersJob<double>;

}  // namespace lissom
