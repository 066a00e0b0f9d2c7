// SPDX-License-Identifier: MIT
#include "core/players/top_layer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/animation/additive.h"
#include "core/animation/blending.h"
#include "core/math/conventions.h"
#include "core/number_text.h"
#include "core/players/player_clock.h"

namespace lissom {
namespace {

constexpr double kMostFadeSeconds = kMostPlayerSeconds;

TopWeight weight_at(const std::byte* weights, std::size_t row) {
  TopWeight weight = {};
  std::memcpy(&weight, weights + row * kTopWeightBytes, kTopWeightBytes);
  return weight;
}

bool is_sound(const TopWeight& row) {
  const auto is_share = [](double x) { return (x >= 0.0) & (x <= 1.0); };
  const auto is_time = [](double x) { return (x >= 0.0) & (x <= kMostFadeSeconds); };
  return is_share(row.weight) & is_share(row.begin) & is_share(row.goal) & is_time(row.elapsed) &
         is_time(row.duration) & (row.ease >= 0) & (row.ease < static_cast<std::int32_t>(PlayerEase::kGiven));
}

Error check_weight(const TopWeight& weight, std::size_t row, const std::string& title) {
  if (is_sound(weight)) return {};
  const std::string place = "fades of " + title + ", row " + std::to_string(row) + ": ";
  const struct {
    const char* name;
    double value, largest;
  } numbers[] = {{"weight", weight.weight, 1.0},
                 {"begin", weight.begin, 1.0},
                 {"goal", weight.goal, 1.0},
                 {"elapsed", weight.elapsed, kMostFadeSeconds},
                 {"duration", weight.duration, kMostFadeSeconds}};
  for (const auto& [name, value, largest] : numbers) {
    if (value >= 0.0 && value <= largest) continue;
    return Error(place + name + " must lie in [0, " + number_text(largest) + "], got " + number_text(value));
  }
  return Error(place + "ease must be 0, 1 or 2, got " + std::to_string(weight.ease));
}

void advance(TopWeight& row, double dt) {
  if (!(row.elapsed < row.duration || row.weight != row.goal)) return;
  row.elapsed += dt;
  if (row.elapsed >= row.duration) {
    row.weight = row.goal;
    return;
  }
  const double share = eased(static_cast<PlayerEase>(row.ease), row.elapsed / row.duration, 0.0);
  row.weight = row.begin + share * (row.goal - row.begin);
}

Error titled(const std::string& title, const Error& error) {
  return error ? Error(title + ": " + error.sentence()) : Error();
}

}  // namespace

template <class T>
Error check_top_layer(const TopLayer<T>& layer, const PlayersJob<T>& players) {
  if (layer.rows.size() != players.rows.size() || layer.joint_count != players.joint_count ||
      layer.stepped.size() != players.rows.size()) {
    return Error(layer.title + " must have a row for each player, of as many joints");
  }
  if (layer.morph_count != 0 && layer.morph_count != players.morph_count) {
    return Error(layer.title + " must have the morph targets of the players, or none");
  }
  if ((!layer.mask.empty() && layer.mask.size() != layer.joint_count) ||
      (!layer.morph_mask.empty() && layer.morph_mask.size() != layer.morph_count)) {
    return Error(layer.title + " must have a mask of a number for each joint, and for each morph target");
  }
  if (!layer.given.empty() && layer.given.size() != layer.rows.size() * layer.rows.layer_capacity()) {
    return Error(layer.title + " must have a given weight for each of its layers");
  }
  for (std::size_t row = 0; row < layer.rows.size(); ++row) {
    if (Error error = check_weight(weight_at(layer.weights, row), row, layer.title)) return error;
  }
  return titled(layer.title, check_rows<T>(layer, players.dt));
}

template <class T>
TopBlock<T>::TopBlock(const TopLayer<T>& layer, double dt) : layer_(layer), dt_(dt), block_(layer, dt) {}

template <class T>
Error TopBlock<T>::advance(std::size_t begin, std::size_t count, std::size_t& wrong_row) {
  begin_ = begin, count_ = count;
  asked_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    weights_[i] = weight_at(layer_.weights, begin + i);
    if (Error error = check_weight(weights_[i], begin + i, layer_.title)) {
      wrong_row = begin + i;
      return error;
    }
    lissom::advance(weights_[i], dt_);
  }
  return titled(layer_.title, block_.advance(begin, count, wrong_row));
}

template <class T>
void TopBlock<T>::request(std::size_t i) {
  // A fade that nobody sees goes on, as it remembers the signs of what it shows.
  if (!block_.plays(i) || !(static_cast<T>(weights_[i].weight) > T(0) || block_.is_fading(i))) return;
  block_.request(i);
  asked_.push_back(i);
}

template <class T>
Error TopBlock<T>::put(T* poses, T* morphs) {
  const std::size_t pose_size = layer_.joint_count * kTrsScalars, morph_count = layer_.morph_count;
  const std::size_t asked = asked_.size();
  if (poses_.size() < asked * pose_size) poses_.resize(asked * pose_size), mixed_.resize(asked * pose_size);
  shares_.resize(asked);
  morphs_.resize(morph_count);
  for (std::size_t k = 0; k < asked; ++k) {
    const std::size_t i = asked_[k];
    block_.show(i, poses_.data() + k * pose_size, morphs_.data());
    shares_[k] = static_cast<T>(weights_[i].weight);
    if (morph_count && shares_[k] > T(0)) put_morphs(shares_[k], morphs_.data(), morphs + i * morph_count);
  }
  for (std::size_t first = 0, end = 0; first < asked; first = end) {
    const bool shows = shares_[first] > T(0);
    for (end = first; end < asked && asked_[end] - asked_[first] == end - first; ++end) {
      if ((shares_[end] > T(0)) != shows) break;
    }
    if (!shows) continue;
    if (Error error = put_run(first, end - first, asked_[first], poses)) return error;
  }
  return {};
}

// Those whose numbers follow one another are blended at once, which costs less than one by one.
template <class T>
Error TopBlock<T>::put_run(std::size_t first, std::size_t count, std::size_t first_pose, T* poses) {
  const std::size_t pose_size = layer_.joint_count * kTrsScalars;
  T* const below = poses + first_pose * pose_size;
  const std::span<const T> under(below, count * pose_size),
      over(poses_.data() + first * pose_size, count * pose_size), shares(shares_.data() + first, count);
  const std::span<T> mixed(mixed_.data(), count * pose_size);
  Error error = layer_.is_additive
                    ? AddLayerJob<T>{layer_.joint_count, under, over, shares, layer_.mask, mixed}.run()
                    : BlendJob<T>{layer_.joint_count, under, over, shares, layer_.mask, mixed}.run();
  if (!error) std::copy(mixed.begin(), mixed.end(), below);  // which must be apart from its inputs
  return error;
}

template <class T>
void TopBlock<T>::put_morphs(T share, const T* from, T* to) const {
  for (std::size_t k = 0; k < layer_.morph_count; ++k) {
    const T weight = layer_.morph_mask.empty() ? share : share * layer_.morph_mask[k];
    if (weight == T(0)) continue;
    if (layer_.is_additive) {
      to[k] = to[k] + weight * from[k];
    } else {
      to[k] = weight == T(1) ? from[k] : to[k] + weight * (from[k] - to[k]);
    }
  }
}

template <class T>
void TopBlock<T>::give_back() const {
  block_.give_back();
  for (std::size_t i = 0; i < count_; ++i) {
    std::memcpy(layer_.weights + (begin_ + i) * kTopWeightBytes, &weights_[i], kTopWeightBytes);
    layer_.stepped[begin_ + i] = weights_[i].weight;
  }
}

template Error check_top_layer<float>(const TopLayer<float>& layer, const PlayersJob<float>& players);
template Error check_top_layer<double>(const TopLayer<double>& layer, const PlayersJob<double>& players);
template class TopBlock<float>;
template class TopBlock<double>;

}  // namespace lissom
