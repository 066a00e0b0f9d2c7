// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/animation/sampling.h"
#include "core/animation/tracks.h"
#include "core/animation/uniform.h"
#include "core/animation/weight_tracks.h"
#include "core/error.h"
#include "core/math/conventions.h"

namespace lissom {

struct PlayerSpace;

// A clip that players play, by the tracks that another holds, or a space of several.
struct PlayerClip {
  const PlayerSpace* space = nullptr;  // then it starts at 0, and `duration` is the longest of its clips
  std::variant<const TrackSet<float>*, const TrackSet<double>*, const UniformFrames<float>*,
               const UniformFrames<double>*>
      tracks;
  // None where the clip knows of no morph targets: it shows `rest_weights`.
  std::variant<std::monostate, const WeightTracks<float>*, const WeightTracks<double>*> weights;
  std::span<const double> rest_weights;  // (M)
  Loop loop = Loop::kNo;
  double start = 0.0, duration = 0.0;  // seconds
};

// Poses of clips at times, as T: gathered first, then sampled clip by clip, since a clip is sampled at many times at once
// faster.
template <class T>
class SampledClips {
 public:
  SampledClips(std::span<const PlayerClip> clips, std::size_t joint_count, std::size_t morph_count)
      : clips_(clips),
        pose_size_(joint_count * kTrsScalars),
        morph_count_(morph_count),
        counts_(clips.size()),
        next_(clips.size()) {}

  void clear();
  // Returns the number of the sample.
  std::size_t add(std::int32_t clip, double time);
  Error sample();

  const T* pose(std::size_t sample) const { return poses_.data() + places_[sample] * pose_size_; }
  const double* weights(std::size_t sample) const { return weights_.data() + places_[sample] * morph_count_; }

 private:
  struct Request {
    std::int32_t clip;
    double time;
  };
  Error sample_clip(std::size_t clip, std::size_t first, std::size_t count);
  template <class Tracks, class Out>
  Error sample_weights(const Tracks& tracks, Loop loop, std::size_t first, std::size_t count, Out* out);

  std::span<const PlayerClip> clips_;
  std::size_t pose_size_, morph_count_;
  std::vector<Request> requests_;
  std::vector<std::size_t> counts_, next_;  // of each clip: how many requests, the next free place
  std::vector<std::size_t> places_;         // of each request, clip by clip
  std::vector<double> times_;               // by place
  std::vector<T> poses_;
  std::vector<double> weights_;
  // What has another type than it is wanted in.
  std::vector<float> floats_;
  std::vector<double> doubles_;
};

}  // namespace lissom
