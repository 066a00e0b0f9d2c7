// SPDX-License-Identifier: MIT
#include "core/players/player_space.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>
#include <variant>

#include "core/animation/blending.h"

namespace lissom {
namespace {

// By the numbers of clips, without those of no share.
SpaceShares ordered(std::span<const std::int32_t> indices, std::span<const double> weights) {
  SpaceShares shares;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (weights[i] == 0.0) continue;
    int place = shares.count++;
    for (; place > 0 && shares.indices[place - 1] > indices[i]; --place) {
      shares.indices[place] = shares.indices[place - 1];
      shares.weights[place] = shares.weights[place - 1];
    }
    shares.indices[place] = indices[i];
    shares.weights[place] = weights[i];
  }
  return shares;
}

// BlendSpace1D.
SpaceShares shares_on_line(const PlayerSpace& space, double value) {
  const std::span<const double> values = space.values;
  const auto right =
      static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), value) - values.begin());
  if (right == 0 || right == values.size()) {
    const double one[] = {1.0};
    return ordered({&space.order[std::min(right, values.size() - 1)], 1}, one);
  }
  const double share = (value - values[right - 1]) / (values[right] - values[right - 1]);
  const double weights[] = {1.0 - share, share};
  return ordered({&space.order[right - 1], 2}, weights);
}

// Triangulation.weights.
SpaceShares shares_in_plane(const PlayerSpace& space, double x, double y) {
  double best_least = -std::numeric_limits<double>::infinity(), inside[3] = {};
  std::size_t best = 0;
  for (std::size_t t = 0; 3 * t < space.triangles.size(); ++t) {
    const double* m = &space.from_point[9 * t];
    double corners[3];
    for (int i = 0; i < 3; ++i) corners[i] = (m[3 * i] * x + m[3 * i + 1] * y) + m[3 * i + 2];
    const double least = std::min({corners[0], corners[1], corners[2]});
    if (!(least > best_least)) continue;
    best_least = least, best = t;
    std::copy_n(corners, 3, inside);
  }
  if (best_least >= 0.0) {
    const double total = (inside[0] + inside[1]) + inside[2];
    for (double& weight : inside) weight /= total;
    return ordered({&space.triangles[3 * best], 3}, inside);
  }
  double nearest = std::numeric_limits<double>::infinity(), weights[2] = {};
  std::size_t edge = 0;
  for (std::size_t e = 0; 2 * e < space.boundary.size(); ++e) {
    const double* a = &space.points[2 * static_cast<std::size_t>(space.boundary[2 * e])];
    const double* b = &space.points[2 * static_cast<std::size_t>(space.boundary[2 * e + 1])];
    const double edge_x = b[0] - a[0], edge_y = b[1] - a[1];
    const double along = (x - a[0]) * edge_x + (y - a[1]) * edge_y;
    const double share = std::min(std::max(along / (edge_x * edge_x + edge_y * edge_y), 0.0), 1.0);
    const double away_x = x - (a[0] + share * edge_x), away_y = y - (a[1] + share * edge_y);
    const double distance = away_x * away_x + away_y * away_y;
    if (!(distance < nearest)) continue;
    nearest = distance, edge = e;
    weights[0] = 1.0 - share, weights[1] = share;
  }
  return ordered({&space.boundary[2 * edge], 2}, weights);
}

}  // namespace

SpaceShares shares_at(const PlayerSpace& space, const double* parameter) {
  return space.triangles.empty() ? shares_on_line(space, parameter[0])
                                 : shares_in_plane(space, parameter[0], parameter[1]);
}

double cycle_seconds(const PlayerSpace& space, const SpaceShares& shares) {
  double seconds = 0.0;
  for (int i = 0; i < shares.count; ++i) {
    seconds += shares.weights[i] * space.durations[static_cast<std::size_t>(shares.indices[i])];
  }
  return seconds;
}

template <class S>
std::size_t BlendedSpaces<S>::add(const PlayerSpace& space, double time, const double* parameter) {
  const SpaceShares shares = shares_at(space, parameter);
  requests_.push_back({&space, time / cycle_seconds(space, shares), shares});
  return requests_.size() - 1;
}

// Whether two requests are blended from the same clips.
template <class S>
bool BlendedSpaces<S>::are_alike(std::size_t a, std::size_t b) const {
  const Request &one = requests_[a], &other = requests_[b];
  return one.space == other.space && one.shares.count == other.shares.count &&
         std::equal(one.shares.indices, one.shares.indices + one.shares.count, other.shares.indices);
}

template <class S>
Error BlendedSpaces<S>::sample() {
  const std::size_t count = requests_.size();
  if (!count) return {};
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  // Those of the same clips one after another: they are blended at once, which costs less than one by one.
  std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    const Request &one = requests_[a], &other = requests_[b];
    if (one.space != other.space) return std::less<>()(one.space, other.space);
    if (one.shares.count != other.shares.count) return one.shares.count < other.shares.count;
    for (int i = 0; i < one.shares.count; ++i) {
      if (one.shares.indices[i] != other.shares.indices[i])
        return one.shares.indices[i] < other.shares.indices[i];
    }
    return a < b;
  });
  parts_.clear();
  const auto for_each_run = [&](const auto& body) -> Error {
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      while (end < count && are_alike(order_[begin], order_[end])) ++end;
      if (Error error = body(std::span<const std::size_t>(order_).subspan(begin, end - begin))) return error;
    }
    return {};
  };
  // Clip by clip of a run, so that the poses of each lie one after another.
  (void)for_each_run([&](std::span<const std::size_t> run) -> Error {
    for (int part = 0; part < requests_[run[0]].shares.count; ++part) {
      for (const std::size_t request : run) {
        const Request& of = requests_[request];
        const auto index = static_cast<std::size_t>(of.shares.indices[part]);
        parts_.add(of.space->clips[index], of.space->starts[index] + of.phase * of.space->durations[index]);
      }
    }
    return {};
  });
  if (Error error = parts_.sample()) return error;
  poses_.resize(count);
  if (blended_.size() < count * pose_size_) blended_.resize(count * pose_size_);
  weights_.resize(count * morph_count_);
  std::size_t first_part = 0;
  return for_each_run([&](std::span<const std::size_t> run) -> Error {
    const std::size_t first = first_part;
    first_part += run.size() * static_cast<std::size_t>(requests_[run[0]].shares.count);
    return blend(run, first);
  });
}

// Blends the poses of a run, whose parts begin at number `first_part`.
template <class S>
Error BlendedSpaces<S>::blend(std::span<const std::size_t> run, std::size_t first_part) {
  const std::size_t count = run.size();
  if (morph_count_) {
    for (std::size_t i = 0; i < count; ++i) blend_weights(run[i], first_part + i, count);
  }
  const int part_count = requests_[run[0]].shares.count;
  if (part_count == 1) {
    for (std::size_t i = 0; i < count; ++i) poses_[run[i]] = parts_.pose(first_part + i);
    return {};
  }
  S* const to = blended_.data() + static_cast<std::size_t>(run.data() - order_.data()) * pose_size_;
  BlendLayer<S> layers[SpaceShares::kMost];
  shares_.resize(count * SpaceShares::kMost);
  for (int part = 0; part < part_count; ++part) {
    const auto number = static_cast<std::size_t>(part);
    S* const shares = shares_.data() + number * count;
    for (std::size_t i = 0; i < count; ++i)
      shares[i] = static_cast<S>(requests_[run[i]].shares.weights[part]);
    layers[part].poses = {parts_.pose(first_part + number * count), count * pose_size_};
    layers[part].weights = {shares, count};
  }
  BlendLayersJob<S> job;
  job.joint_count = pose_size_ / kTrsScalars;
  job.layers = {layers, static_cast<std::size_t>(part_count)};
  job.out = {to, count * pose_size_};
  for (std::size_t i = 0; i < count; ++i) poses_[run[i]] = to + i * pose_size_;
  return job.run();
}

// Its parts are every `step`-th from number `first_part` on.
template <class S>
void BlendedSpaces<S>::blend_weights(std::size_t request, std::size_t first_part, std::size_t step) {
  const Request& of = requests_[request];
  const PlayerSpace& space = *of.space;
  double* const to = weights_.data() + request * morph_count_;
  if (space.morph_defaults.empty()) {  // a space that knows of no morph targets
    std::copy_n(space.rest_weights.begin(), morph_count_, to);
    return;
  }
  std::fill_n(to, morph_count_, 0.0);
  for (int part = 0; part < of.shares.count; ++part) {
    const auto clip =
        static_cast<std::size_t>(space.clips[static_cast<std::size_t>(of.shares.indices[part])]);
    const bool knows = !std::holds_alternative<std::monostate>(clips_[clip].weights);
    if (!knows && space.is_additive) continue;
    const double* from = knows ? parts_.weights(first_part + static_cast<std::size_t>(part) * step)
                               : space.morph_defaults.data();
    for (std::size_t i = 0; i < morph_count_; ++i) to[i] += of.shares.weights[part] * from[i];
  }
  for (std::size_t i = 0; i < morph_count_; ++i) to[i] = static_cast<double>(static_cast<S>(to[i]));
}

template <class T>
PlayerSamples<T>::PlayerSamples(std::span<const PlayerClip> clips, std::size_t joint_count,
                                std::size_t morph_count)
    : clips_(clips),
      pose_size_(joint_count * kTrsScalars),
      has_spaces_(std::any_of(clips.begin(), clips.end(),
                              [](const PlayerClip& clip) { return clip.space != nullptr; })),
      plain_(clips, joint_count, morph_count),
      floats_(clips, joint_count, morph_count),
      doubles_(clips, joint_count, morph_count) {}

template <class T>
void PlayerSamples<T>::clear() {
  plain_.clear();
  floats_.clear();
  doubles_.clear();
  places_.clear();
}

template <class T>
void PlayerSamples<T>::add_space(std::int32_t clip, double time, const double* parameter) {
  const PlayerSpace& space = *clips_[static_cast<std::size_t>(clip)].space;
  if (space.is_double) {
    places_.push_back({Kind::kDouble, doubles_.add(space, time, parameter)});
  } else {
    places_.push_back({Kind::kFloat, floats_.add(space, time, parameter)});
  }
}

template <class T>
Error PlayerSamples<T>::sample() {
  if (Error error = plain_.sample()) return error;
  if (!has_spaces_) return {};
  if (Error error = floats_.sample()) return error;
  if (Error error = doubles_.sample()) return error;
  const auto convert = [&](Kind kind, const auto& spaces) {
    for (const Place& place : places_) {
      if (place.kind != kind) continue;
      converted_.resize(std::max(converted_.size(), (place.number + 1) * pose_size_));
      const auto* from = spaces.pose(place.number);
      std::transform(from, from + pose_size_,
                     converted_.begin() + static_cast<std::ptrdiff_t>(place.number * pose_size_),
                     [](auto x) { return static_cast<T>(x); });
    }
  };
  if constexpr (std::is_same_v<T, float>) {
    convert(Kind::kDouble, doubles_);
  } else {
    convert(Kind::kFloat, floats_);
  }
  return {};
}

template <class T>
const T* PlayerSamples<T>::space_pose(const Place& place) const {
  if constexpr (std::is_same_v<T, float>) {
    if (place.kind == Kind::kFloat) return floats_.pose(place.number);
  } else {
    if (place.kind == Kind::kDouble) return doubles_.pose(place.number);
  }
  return converted_.data() + place.number * pose_size_;
}

template <class T>
const double* PlayerSamples<T>::space_weights(std::size_t sample) const {
  const Place& place = places_[sample];
  return place.kind == Kind::kFloat ? floats_.weights(place.number) : doubles_.weights(place.number);
}

template class BlendedSpaces<float>;
template class BlendedSpaces<double>;
template class PlayerSamples<float>;
template class PlayerSamples<double>;

}  // namespace lissom
