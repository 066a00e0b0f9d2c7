// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/animation/channel.h"
#include "core/animation/sampling.h"
#include "core/animation/tracks.h"
#include "core/error.h"

namespace lissom {

// The weights of the morph targets of one clip, checked to the last key and laid out for sampling. Tracks of one
// timeline and interpolation lie side by side, key after key: the weights at a time are then one row of numbers, made
// of two rows or four. Tracks that never change, and morph targets without a track, are part of the base. Owns its
// rows; of the keys it needs the times, which must outlive it.
template <class T>
class WeightTracks {
 public:
  struct Group {
    std::int32_t timeline = 0;
    Interpolation interpolation = Interpolation::kLinear;
    std::vector<std::int32_t> morphs;  // (C)
    bool is_run = false;               // whether `morphs` are consecutive numbers
    std::vector<T> rows;  // (key_count, C); of kCubicSpline (key_count, 3, C): in-tangents, values,
                          // out-tangents
  };

  // Checks everything check_tracks does for all tracks, and check_uniform where they are `uniform`; of those of weights
  // the keys. `defaults` are the weights of morph targets without a track, (morph_count). On error `out` is unchanged.
  static Error make(std::span<const Track> tracks, std::span<const T> keys, std::span<const T> defaults,
                    std::size_t joint_count, bool uniform, WeightTracks& out);

  std::size_t morph_count() const { return base_.size(); }
  TimeSpan span() const { return span_; }
  std::span<const T> base() const { return base_; }
  std::span<const Timeline<T>> timelines() const { return timelines_; }
  std::span<const Group> groups() const { return groups_; }  // in the order of timelines
  std::size_t channel_count() const;

  // Of a uniform clip, where the timeline needs no search: by the grid.
  bool is_uniform() const { return rate_ > 0.0; }
  Moment<T> moment_on_grid(double time) const;

 private:
  TimeSpan span_;      // of all tracks of the clip, those of joints too
  double rate_ = 0.0;  // frames per second of a uniform clip with a duration, else 0
  std::vector<T> base_;
  std::vector<Timeline<T>> timelines_;
  std::vector<Group> groups_;
};

// Samples the weights of morph targets: one row for each time. Steps take the key at exactly its time; linear tracks
// lerp; cubic splines are Hermite, their tangents scaled by the key interval (glTF 2.0, appendix C). Outside its keys a
// track holds the nearest one. No weight is clamped.
template <class T>
struct WeightSamplingJob {
  Error validate() const;  // sizes, and that every time is finite
  Error run() const;       // validates, then fills `out`; writes nothing on error

  const WeightTracks<T>* tracks = nullptr;
  std::span<const double> times;  // (N) seconds
  Loop loop = Loop::kNo;          // applied to the clip as a whole, before any track
  std::span<T> out;               // (N * M)
};

}  // namespace lissom
