// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/players/player_clip.h"

namespace lissom {

// Clips at values of a parameter, which play at one phase and are blended: what BlendSpace1D and BlendSpace2D of lissom
// are, in the same order of operations, so that all numbers are the same to the last bit.
struct PlayerSpace {
  std::vector<std::int32_t> clips;        // (N) their numbers
  std::vector<double> starts, durations;  // (N) seconds
  bool is_double = false;                 // the type in which its poses are blended
  bool is_additive = false;
  // Weights of morph targets that a clip of it shows which knows of none; none where no clip knows of any.
  std::vector<double> morph_defaults;  // (M)
  std::vector<double> rest_weights;    // (M) what it shows where no clip of it knows of any
  // Of one dimension: the values, and whose they are, in ascending order.
  std::vector<double> values;
  std::vector<std::int32_t> order;
  // Of two: see Triangulation of lissom.
  std::vector<double> points;           // (N, 2)
  std::vector<std::int32_t> triangles;  // (T, 3)
  std::vector<double> from_point;       // (T, 3, 3): weights of the corners of (x, y, 1)
  std::vector<std::int32_t> boundary;   // (E, 2)
};

// The clips of a space that have a share in its pose, by their index in it, ascending.
struct SpaceShares {
  static constexpr int kMost = 3;
  int count = 0;
  std::int32_t indices[kMost] = {};
  double weights[kMost] = {};
};

SpaceShares shares_at(const PlayerSpace& space, const double* parameter);

// Seconds of a cycle: the weighted mean of those of the clips.
double cycle_seconds(const PlayerSpace& space, const SpaceShares& shares);

// Seconds of a cycle of what a head plays.
inline double cycle_seconds(const PlayerClip& clip, const double* parameter) {
  return clip.space == nullptr ? clip.duration
                               : cycle_seconds(*clip.space, shares_at(*clip.space, parameter));
}

// Poses of spaces, blended as S.
template <class S>
class BlendedSpaces {
 public:
  BlendedSpaces(std::span<const PlayerClip> clips, std::size_t joint_count, std::size_t morph_count)
      : clips_(clips),
        pose_size_(joint_count * kTrsScalars),
        morph_count_(morph_count),
        parts_(clips, joint_count, morph_count) {}

  void clear() { requests_.clear(); }
  // Returns the number of the sample.
  std::size_t add(const PlayerSpace& space, double time, const double* parameter);
  Error sample();

  const S* pose(std::size_t sample) const { return poses_[sample]; }
  const double* weights(std::size_t sample) const { return weights_.data() + sample * morph_count_; }

 private:
  struct Request {
    const PlayerSpace* space;
    double phase;  // cycles
    SpaceShares shares;
  };
  bool are_alike(std::size_t a, std::size_t b) const;
  Error blend(std::span<const std::size_t> requests, std::size_t first_part);
  void blend_weights(std::size_t request, std::size_t first_part, std::size_t step);

  std::span<const PlayerClip> clips_;
  std::size_t pose_size_, morph_count_;
  SampledClips<S> parts_;
  std::vector<Request> requests_;
  std::vector<std::size_t> order_;  // of requests: those of the same clips one after another
  std::vector<const S*> poses_;
  std::vector<S> blended_, shares_;
  std::vector<double> weights_;
};

// Poses of whatever heads play, clips or spaces, as T.
template <class T>
class PlayerSamples {
 public:
  PlayerSamples(std::span<const PlayerClip> clips, std::size_t joint_count, std::size_t morph_count);

  void clear();
  // Returns the number of the sample. `parameter` is that of a space.
  std::size_t add(std::int32_t clip, double time, const double* parameter) {
    if (clips_[static_cast<std::size_t>(clip)].space == nullptr) {
      const std::size_t sample = plain_.add(clip, time);
      if (!has_spaces_) return sample;
      places_.push_back({Kind::kPlain, sample});
    } else {
      add_space(clip, time, parameter);
    }
    return places_.size() - 1;
  }
  Error sample();

  const T* pose(std::size_t sample) const {
    return has_spaces_ && places_[sample].kind != Kind::kPlain ? space_pose(places_[sample])
                                                               : plain_.pose(plain_number(sample));
  }
  const double* weights(std::size_t sample) const {
    return has_spaces_ && places_[sample].kind != Kind::kPlain ? space_weights(sample)
                                                               : plain_.weights(plain_number(sample));
  }

 private:
  enum class Kind : std::uint8_t { kPlain, kFloat, kDouble };
  struct Place {
    Kind kind;
    std::size_t number;
  };
  std::size_t plain_number(std::size_t sample) const { return has_spaces_ ? places_[sample].number : sample; }
  void add_space(std::int32_t clip, double time, const double* parameter);
  const T* space_pose(const Place& place) const;
  const double* space_weights(std::size_t sample) const;

  std::span<const PlayerClip> clips_;
  std::size_t pose_size_;
  bool has_spaces_;
  SampledClips<T> plain_;
  BlendedSpaces<float> floats_;
  BlendedSpaces<double> doubles_;
  std::vector<Place> places_;
  std::vector<T> converted_;  // poses of the other type than T
};

}  // namespace lissom
