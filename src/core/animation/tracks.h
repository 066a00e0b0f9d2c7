// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/animation/channel.h"
#include "core/error.h"

namespace lissom {

enum class TrackPath : std::int32_t { kTranslation = 0, kRotation = 1, kScale = 2, kWeight = 3 };
enum class Interpolation : std::int32_t { kStep = 0, kLinear = 1, kCubicSpline = 2 };

// One animated property of one joint, or the weight of one morph target, as in a file: offsets of its keys in a flat
// array. The same bytes as TRACK_DTYPE of lissom.clip.
struct Track {
  std::int32_t joint = 0;          // of kWeight the number of the morph target
  std::int32_t path = 0;           // a TrackPath
  std::int32_t interpolation = 0;  // an Interpolation
  std::int32_t key_count = 0;      // at least 1
  std::int64_t times = 0;          // offset of key_count times, seconds, strictly increasing
  std::int64_t values = 0;  // offset of key_count values of 3 elements each (rotation xyzw 4, weight 1);
                            // for kCubicSpline each key is in-tangent, value, out-tangent
};
static_assert(sizeof(Track) == 32);

constexpr bool is_weight(const Track& track) {
  return track.path == static_cast<std::int32_t>(TrackPath::kWeight);
}

// Seconds. Both 0 where there is no track.
struct TimeSpan {
  double start = 0.0;
  double end = 0.0;
};

// Checks all that is independent of the number of keys: joint, path, interpolation, key count and both offset ranges of
// every track, and that no joint has two tracks of one path, and no morph target two. Then `span` is the first and last
// key time of all.
template <class T>
Error check_tracks(std::span<const Track> tracks, std::span<const T> keys, std::size_t joint_count,
                   TimeSpan& span, std::size_t morph_count = 0);

// Checks the keys of one track: times are finite and increase strictly, values are finite, rotations are not of
// length zero. After check_tracks.
template <class T>
Error check_keys(std::size_t index, const Track& track, std::span<const T> keys);

// The name of a track in errors. After check_tracks.
std::string place_of(std::size_t index, const Track& track);

// Whether a track never changes: one key, or the same numbers at every key. After check_keys.
template <class T>
bool is_constant(const Track& track, const T* values);

// The offset of a track of a joint in a pose: 10 * joint, and 0, 3 or 7.
std::int32_t pose_offset(const Track& track);

// The times of keys that tracks share.
template <class T>
struct Timeline {
  const T* times;
  std::int32_t key_count;  // at least 2
};

// Timelines by the bytes of their times: files often repeat the same times for every track.
template <class T>
class TimelineIndex {
 public:
  // The number of the timeline with these times, which is appended where it is new.
  std::int32_t of(const T* times, std::int32_t key_count, std::vector<Timeline<T>>& timelines);

 private:
  std::unordered_map<std::string_view, std::int32_t> numbers_;
};

// The tracks of the joints of one clip, checked to the last key and sorted for sampling; those of weights are checked
// and left out, but count for the span. Does not own the keys: they must outlive it. Tracks with equal key times share one timeline, so a sample time is searched once for all of
// them. Tracks that never change (one key, or all keys equal) are part of the base pose.
template <class T>
class TrackSet {
 public:
  using Timeline = lissom::Timeline<T>;
  // Channels of one width, by interpolation.
  struct Channels {
    std::vector<Channel<T>> step, linear, cubic;  // each in the order of timelines
    std::size_t linear_count = 0;                 // of `linear`, without the padding that rotations have
  };

  // Checks everything check_tracks does, that key times are finite and increase strictly, values are finite,
  // and rotations are not of length zero. `rest` is (joint_count, 10). On error `out` is unchanged.
  static Error make(std::span<const Track> tracks, std::span<const T> keys, std::span<const T> rest,
                    TrackSet& out, std::size_t morph_count = 0);

  std::size_t joint_count() const { return base_pose_.size() / 10; }
  TimeSpan span() const { return span_; }
  std::span<const T> base_pose() const { return base_pose_; }
  std::span<const Timeline> timelines() const { return timelines_; }
  const Channels& vectors() const { return vectors_; }      // 3 wide: translations and scales
  const Channels& rotations() const { return rotations_; }  // 4 wide: x, y, z, w
  std::size_t channel_count() const;

 private:
  TimeSpan span_;
  std::vector<T> base_pose_;
  std::vector<Timeline> timelines_;
  Channels vectors_;
  Channels rotations_;
};

}  // namespace lissom
