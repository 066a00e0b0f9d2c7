// SPDX-License-Identifier: MIT
#include "core/players/player_clip.h"

#include <algorithm>
#include <type_traits>

namespace lissom {
namespace {

template <class From, class To>
void convert(const std::vector<From>& from, std::size_t count, To* to) {
  std::transform(from.data(), from.data() + count, to, [](From x) { return static_cast<To>(x); });
}

}  // namespace

template <class T>
void SampledClips<T>::clear() {
  requests_.clear();
  std::fill(counts_.begin(), counts_.end(), 0);
}

template <class T>
std::size_t SampledClips<T>::add(std::int32_t clip, double time) {
  requests_.push_back({clip, time});
  ++counts_[static_cast<std::size_t>(clip)];
  return requests_.size() - 1;
}

template <class T>
Error SampledClips<T>::sample() {
  const std::size_t count = requests_.size();
  if (places_.size() < count) {
    places_.resize(count);
    times_.resize(count);
    poses_.resize(count * pose_size_);
    weights_.resize(count * morph_count_);
  }
  for (std::size_t clip = 0, first = 0; clip < clips_.size(); ++clip) {
    next_[clip] = first;
    first += counts_[clip];
  }
  for (std::size_t i = 0; i < count; ++i) {
    places_[i] = next_[static_cast<std::size_t>(requests_[i].clip)]++;
    times_[places_[i]] = requests_[i].time;
  }
  for (std::size_t clip = 0; clip < clips_.size(); ++clip) {
    if (!counts_[clip]) continue;
    if (Error error = sample_clip(clip, next_[clip] - counts_[clip], counts_[clip])) return error;
  }
  return {};
}

template <class T>
Error SampledClips<T>::sample_clip(std::size_t clip, std::size_t first, std::size_t count) {
  const PlayerClip& source = clips_[clip];
  T* const poses = poses_.data() + first * pose_size_;
  Error error = std::visit(
      [&]<template <class> class Set, class Keys>(const Set<Keys>* set) {
        std::conditional_t<std::is_same_v<Set<Keys>, TrackSet<Keys>>, SamplingJob<Keys>,
                           UniformSamplingJob<Keys>>
            job;
        job.tracks = set;
        job.loop = source.loop;
        job.times = {times_.data() + first, count};
        if constexpr (std::is_same_v<Keys, T>) {
          job.out = {poses, count * pose_size_};
          return job.run();
        } else {
          auto& others = [this]() -> std::vector<Keys>& {
            if constexpr (std::is_same_v<Keys, float>)
              return floats_;
            else
              return doubles_;
          }();
          others.resize(std::max(others.size(), count * pose_size_));
          job.out = {others.data(), count * pose_size_};
          Error failed = job.run();
          convert(others, count * pose_size_, poses);
          return failed;
        }
      },
      source.tracks);
  if (error || !morph_count_) return error;
  double* const weights = weights_.data() + first * morph_count_;
  if (const auto* const* floats = std::get_if<const WeightTracks<float>*>(&source.weights)) {
    floats_.resize(std::max(floats_.size(), count * morph_count_));
    error = sample_weights(**floats, source.loop, first, count, floats_.data());
    convert(floats_, count * morph_count_, weights);
    return error;
  }
  if (const auto* const* doubles = std::get_if<const WeightTracks<double>*>(&source.weights)) {
    return sample_weights(**doubles, source.loop, first, count, weights);
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::copy(source.rest_weights.begin(), source.rest_weights.end(), weights + i * morph_count_);
  }
  return {};
}

template <class T>
template <class Tracks, class Out>
Error SampledClips<T>::sample_weights(const Tracks& tracks, Loop loop, std::size_t first, std::size_t count,
                                      Out* out) {
  WeightSamplingJob<Out> job;
  job.tracks = &tracks;
  job.loop = loop;
  job.times = {times_.data() + first, count};
  job.out = {out, count * morph_count_};
  return job.run();
}

template class SampledClips<float>;
template class SampledClips<double>;

}  // namespace lissom
