// SPDX-License-Identifier: MIT
#include "core/players/shown_player.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/math/conventions.h"
#include "core/players/quintic.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(LayerKernels, layer_kernels)

template <class T>
const LayerLoops<T>& layer_loops() {
  if constexpr (std::is_same_v<T, float>) {
    return layer_kernels().floats;
  } else {
    return layer_kernels().doubles;
  }
}
template const LayerLoops<float>& layer_loops<float>();
template const LayerLoops<double>& layer_loops<double>();

namespace {

// Rows of a curve of `count` morph targets; see PlayerMemory.
double quintic_weight(const double* curve, std::size_t count, double time) {
  const double quotient = time / curve[3 * count], share = quotient < 1.0 ? quotient : 1.0;
  const double v0 = curve[count], x0 = curve[2 * count], wanted = quintic_wanted(x0, v0);
  const double x = quintic_at(x0, v0, wanted > 0.0 ? wanted : 0.0, share);
  return share == 1.0 || !(x > 0.0) ? 0.0 : x * curve[0];
}

double spring_weight(const double* curve, std::size_t count, const SpringMoment& moment) {
  const double u = moment.time / moment.end, start = curve[0], slope = curve[count];
  return moment.decay * (start + slope * moment.time) -
         u * u * u * (moment.decay_at_end * (start + slope * moment.end));
}

SpringMoment spring_moment(const Player& player, double time, double end) {
  return {time, end, std::exp(-player.rate * time), std::exp(-player.rate * end)};
}

}  // namespace

template <class T>
ShownPlayer<T>::ShownPlayer(const PlayerRows& rows, const PlayerMemory<T>& memory, std::size_t joint_count,
                            std::size_t morph_count)
    : rows_(rows),
      memory_(memory),
      joint_count_(joint_count),
      morph_count_(morph_count),
      fade_count_(rows.layer_capacity() - 1),
      stride_(fade_stride(joint_count)),
      curve_stride_(curve_stride(joint_count)),
      samples_(rows.layer_capacity()),
      target_(joint_count * kTrsScalars),
      weights_(morph_count) {
  for (auto& pose : between_) pose.resize(joint_count * kTrsScalars);
}

template <class T>
template <class Body>
void ShownPlayer<T>::for_each_sample(std::size_t row, FadeMoment moment, std::int32_t end,
                                     const Body& body) const {
  const PlayerLayer* layers = rows_.layers(row);
  const std::int32_t low = lowest(rows_.player(row), moment);
  for (std::int32_t i = low; i < end; ++i) {
    bool is_first = layers[layers[i].head].clip != kFrozen;
    for (std::int32_t k = low; k < i; ++k) is_first &= layers[k].head != layers[i].head;
    if (is_first) body(layers[i].head, layers[layers[i].head]);
  }
}

template <class T>
std::size_t ShownPlayer<T>::request(std::size_t row, FadeMoment moment, std::int32_t end,
                                    PlayerSamples<T>& clips) const {
  std::size_t count = 0;
  for_each_sample(row, moment, end, [&](std::int32_t, const PlayerLayer& head) {
    const bool is_before = moment == FadeMoment::kBefore;
    clips.add(head.clip, is_before ? head.time_before : head.time,
              is_before ? head.parameter_before : head.parameter_shown);
    ++count;
  });
  return count;
}

template <class T>
const T* ShownPlayer<T>::inertialized(std::size_t row, FadeMoment moment, const T* pose) {
  const Player& player = rows_.player(row);
  const double time = inertia_time(player, moment);
  if (memory_.curves == nullptr || !(time < player.pose_end)) return pose;
  const double* curve = memory_.curves + row * kCurveRows * curve_stride_;
  switch (static_cast<PlayerInertia>(player.inertia)) {
    case PlayerInertia::kNone:
      return pose;
    case PlayerInertia::kQuintic:
      layer_loops<T>().quintic(pose, curve, curve_stride_, time, joint_count_, target_.data());
      break;
    case PlayerInertia::kSpring:
      layer_loops<T>().spring(pose, curve, curve_stride_, spring_moment(player, time, player.pose_end),
                              joint_count_, target_.data());
      break;
  }
  return target_.data();
}

template <class T>
void ShownPlayer<T>::fade(std::size_t row, std::int32_t layer, FadeMoment moment, const T* below,
                          const T* target, T* out) const {
  const PlayerLayer& of = rows_.layers(row)[layer];
  const std::size_t number = row * fade_count_ + static_cast<std::size_t>(layer - 1);
  const FadeMemory<T> memory = {memory_.points + number * 8 * stride_, memory_.held + number * stride_,
                                memory_.differences + number * 4 * stride_, stride_};
  const double weight = moment == FadeMoment::kBefore ? of.fade_before : of.fade;
  // What ended in the last step was not asked for in it: its memory is that of the moment before.
  if (layer <= rows_.player(row).covered) moment = FadeMoment::kNow;
  layer_loops<T>().fade(below, target, memory, weight, moment, joint_count_, out);
}

template <class T>
void ShownPlayer<T>::show_pose(std::size_t row, FadeMoment moment, std::int32_t end, std::size_t first_sample,
                               const PlayerSamples<T>& clips, T* out) {
  const PlayerLayer* layers = rows_.layers(row);
  const std::int32_t low = lowest(rows_.player(row), moment);
  const std::size_t size = joint_count_ * kTrsScalars;
  for_each_sample(row, moment, end, [&](std::int32_t owner, const PlayerLayer&) {
    samples_[static_cast<std::size_t>(owner)] = first_sample++;
  });
  const auto pose_of = [&](std::int32_t i) {
    const std::int32_t owner = layers[i].head;
    return layers[owner].clip == kFrozen ? memory_.frozen + row * size
                                         : clips.pose(samples_[static_cast<std::size_t>(owner)]);
  };
  const T* shown = pose_of(low);
  if (low == 0) shown = inertialized(row, moment, shown);
  for (std::int32_t i = low + 1; i < end; ++i) {
    T* const to = i + 1 == end ? out : between_[i % 2].data();
    fade(row, i, moment, shown, pose_of(i), to);
    shown = to;
  }
  if (shown != out) std::copy_n(shown, size, out);
}

template <class T>
void ShownPlayer<T>::show_weights(std::size_t row, FadeMoment moment, std::int32_t end,
                                  const PlayerSamples<T>& clips) {
  const Player& player = rows_.player(row);
  const PlayerLayer* layers = rows_.layers(row);
  const std::int32_t low = lowest(player, moment);
  const auto target_of = [&](std::int32_t i) {
    const std::int32_t owner = layers[i].head;
    return layers[owner].clip == kFrozen ? memory_.frozen_weights + row * morph_count_
                                         : clips.weights(samples_[static_cast<std::size_t>(owner)]);
  };
  std::copy_n(target_of(low), morph_count_, weights_.begin());
  const double time = inertia_time(player, moment);
  if (low == 0 && player.inertia != 0 && memory_.weight_curves != nullptr && time < player.weights_end) {
    const double* curve = memory_.weight_curves + row * kWeightCurveRows * morph_count_;
    const bool is_spring = player.inertia == static_cast<std::int32_t>(PlayerInertia::kSpring);
    const SpringMoment left = is_spring ? spring_moment(player, time, player.weights_end) : SpringMoment{};
    for (std::size_t k = 0; k < morph_count_; ++k) {
      weights_[k] += is_spring ? spring_weight(curve + k, morph_count_, left)
                               : quintic_weight(curve + k, morph_count_, time);
    }
  }
  for (std::int32_t i = low + 1; i < end; ++i) {
    const double* target = target_of(i);
    const double weight = moment == FadeMoment::kBefore ? layers[i].fade_before : layers[i].fade;
    for (std::size_t k = 0; k < morph_count_; ++k) {
      weights_[k] = weight == 1.0 ? target[k] : weights_[k] + weight * (target[k] - weights_[k]);
    }
  }
}

template class ShownPlayer<float>;
template class ShownPlayer<double>;

}  // namespace lissom
