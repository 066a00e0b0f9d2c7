// SPDX-License-Identifier: MIT
#include "core/animation/tracks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "core/math/conventions.h"
#include "core/number_text.h"

namespace lissom {
namespace {

constexpr const char* kPathNames[] = {"translation", "rotation", "scale", "weight"};
constexpr std::int32_t kPathOffsets[] = {0, 3, 7};  // of a path inside the ten numbers of a joint
constexpr std::int64_t kPathWidths[] = {3, 4, 3, 1};

std::int64_t width_of(const Track& track) { return kPathWidths[track.path]; }

bool is_cubic(const Track& track) {
  return track.interpolation == static_cast<std::int32_t>(Interpolation::kCubicSpline);
}

// Elements from one key's value to the next.
std::int64_t key_stride(const Track& track) { return width_of(track) * (is_cubic(track) ? 3 : 1); }

// True where [offset, offset + count) lies inside [0, size), without computing a sum that could overflow.
bool lies_inside(std::int64_t offset, std::int64_t count, std::size_t size) {
  const auto limit = static_cast<std::int64_t>(size);
  return offset >= 0 && offset <= limit && count <= limit - offset;
}

Error range_error(std::size_t index, const Track& track, const char* what, std::int64_t offset,
                  std::int64_t count, std::size_t size) {
  return Error(place_of(index, track) + ": its " + std::to_string(count) + " " + what + " at offset " +
               std::to_string(offset) + " must lie inside keys, which has " + std::to_string(size) +
               " elements");
}

Error check_track(std::size_t index, const Track& track, std::size_t key_size, std::size_t joint_count,
                  std::size_t morph_count) {
  const std::string track_name = "track " + std::to_string(index);
  if (track.path < 0 || track.path > 3) {
    return Error(track_name + ": path must be 0 (translation), 1 (rotation), 2 (scale) or 3 (weight), got " +
                 std::to_string(track.path));
  }
  if (is_weight(track)) {
    if (track.joint < 0 || static_cast<std::size_t>(track.joint) >= morph_count) {
      return Error(track_name + ": joint, of a weight the number of its morph target, must lie in [0, " +
                   std::to_string(morph_count) + "), got " + std::to_string(track.joint));
    }
  } else if (track.joint < 0 || static_cast<std::size_t>(track.joint) >= joint_count) {
    return Error(track_name + ": joint must lie in [0, " + std::to_string(joint_count) + "), got " +
                 std::to_string(track.joint));
  }
  if (track.interpolation < 0 || track.interpolation > 2) {
    return Error(place_of(index, track) +
                 ": interpolation must be 0 (STEP), 1 (LINEAR) or 2 (CUBICSPLINE), got " +
                 std::to_string(track.interpolation));
  }
  if (track.key_count < 1) {
    return Error(place_of(index, track) + ": key_count must be at least 1, got " +
                 std::to_string(track.key_count));
  }
  if (!lies_inside(track.times, track.key_count, key_size)) {
    return range_error(index, track, "times", track.times, track.key_count, key_size);
  }
  const std::int64_t value_count = track.key_count * key_stride(track);  // at most 2^31 * 12
  if (!lies_inside(track.values, value_count, key_size)) {
    return range_error(index, track, "value elements", track.values, value_count, key_size);
  }
  return {};
}

template <class T>
Error check_times(std::size_t index, const Track& track, const T* times) {
  for (std::int32_t key = 0; key < track.key_count; ++key) {
    if (!std::isfinite(times[key])) {
      return Error(place_of(index, track) + ": the time of key " + std::to_string(key) +
                   " must be finite, got " + number_text(times[key]));
    }
    if (key && !(times[key] > times[key - 1])) {
      return Error(place_of(index, track) + ": key times must increase strictly, but key " +
                   std::to_string(key) + " at " + number_text(times[key]) + " s follows one at " +
                   number_text(times[key - 1]) + " s");
    }
  }
  return {};
}

template <class T>
Error check_values(std::size_t index, const Track& track, const T* values) {
  const std::int64_t stride = key_stride(track);
  const std::int64_t count = track.key_count * stride;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) {
      return Error(place_of(index, track) + ": the values of key " + std::to_string(i / stride) +
                   " must be finite, got " + number_text(values[i]));
    }
  }
  if (width_of(track) != 4) return {};
  for (std::int32_t key = 0; key < track.key_count; ++key) {
    const T* q = values + key * stride + (is_cubic(track) ? 4 : 0);
    const T squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    // Between these bounds its reciprocal root is representable in either precision.
    if (!(squared > T(1e-12) && squared < T(1e12))) {
      return Error(place_of(index, track) + ": the rotation of key " + std::to_string(key) +
                   " must be a unit quaternion, got one of length " + number_text(std::sqrt(squared)));
    }
  }
  return {};
}

template <class T>
void write_constant(const Track& track, const T* values, T* pose) {
  const T* value = values + (is_cubic(track) ? width_of(track) : 0);
  T* out = pose + pose_offset(track);
  if (width_of(track) == 3) {
    std::copy_n(value, 3, out);
    return;
  }
  const T length =
      std::sqrt(value[0] * value[0] + value[1] * value[1] + value[2] * value[2] + value[3] * value[3]);
  for (int i = 0; i < 4; ++i) out[i] = value[i] / length;
}

// Repeats the last channel, which is then sampled more than once: kernels read whole blocks.
template <class T>
void pad(std::vector<Channel<T>>& channels) {
  const std::size_t last_block = channels.size() % kChannelPadding;
  if (last_block) channels.resize(channels.size() + kChannelPadding - last_block, channels.back());
}

}  // namespace

std::string place_of(std::size_t index, const Track& track) {
  return "track " + std::to_string(index) + (is_weight(track) ? " (morph " : " (joint ") +
         std::to_string(track.joint) + ", " + kPathNames[track.path] + ")";
}

// A cubic track is constant where its values are and all tangents between keys are zero.
template <class T>
bool is_constant(const Track& track, const T* values) {
  if (track.key_count == 1) return true;
  const std::int64_t width = width_of(track);
  const std::int64_t stride = key_stride(track);
  const T* first = values + (is_cubic(track) ? width : 0);
  for (std::int32_t key = 0; key < track.key_count; ++key) {
    const T* value = first + key * stride;
    if (!std::equal(value, value + width, first)) return false;
    if (!is_cubic(track)) continue;
    const auto is_zero = [](T element) { return element == T(0); };
    if (key > 0 && !std::all_of(value - width, value, is_zero)) return false;
    if (key + 1 < track.key_count && !std::all_of(value + width, value + 2 * width, is_zero)) return false;
  }
  return true;
}

template <class T>
std::int32_t TimelineIndex<T>::of(const T* times, std::int32_t key_count,
                                  std::vector<Timeline<T>>& timelines) {
  const auto bytes = static_cast<std::size_t>(key_count) * sizeof(T);
  const std::string_view content(reinterpret_cast<const char*>(times), bytes);
  const auto [entry, is_new] = numbers_.try_emplace(content, static_cast<std::int32_t>(timelines.size()));
  if (is_new) timelines.push_back({times, key_count});
  return entry->second;
}

std::int32_t pose_offset(const Track& track) { return 10 * track.joint + kPathOffsets[track.path]; }

template <class T>
Error check_keys(std::size_t index, const Track& track, std::span<const T> keys) {
  if (Error error = check_times(index, track, keys.data() + track.times)) return error;
  return check_values(index, track, keys.data() + track.values);
}

template <class T>
Error check_tracks(std::span<const Track> tracks, std::span<const T> keys, std::size_t joint_count,
                   TimeSpan& span, std::size_t morph_count) {
  if (joint_count > kMaxJoints) {
    return Error("joint_count must be at most " + std::to_string(kMaxJoints) + ", got " +
                 std::to_string(joint_count));
  }
  std::vector<char> seen(3 * joint_count + morph_count, 0);  // those of weights after those of joints
  TimeSpan all;
  for (std::size_t index = 0; index < tracks.size(); ++index) {
    const Track& track = tracks[index];
    if (Error error = check_track(index, track, keys.size(), joint_count, morph_count)) return error;
    const auto number = static_cast<std::size_t>(track.joint);
    char& taken =
        seen[is_weight(track) ? 3 * joint_count + number : 3 * number + static_cast<std::size_t>(track.path)];
    if (taken) {
      return Error(place_of(index, track) + ": an earlier track has the same " +
                   (is_weight(track) ? "morph target" : "joint and path") + "; keep one of them");
    }
    taken = 1;
    const double first = static_cast<double>(keys[static_cast<std::size_t>(track.times)]);
    const double last =
        static_cast<double>(keys[static_cast<std::size_t>(track.times + track.key_count - 1)]);
    if (!std::isfinite(first) || !std::isfinite(last)) {
      return Error(place_of(index, track) + ": its first and last key times must be finite, got " +
                   number_text(first) + " and " + number_text(last));
    }
    all.start = index ? std::min(all.start, first) : first;
    all.end = index ? std::max(all.end, last) : last;
  }
  span = all;
  return {};
}

template <class T>
Error TrackSet<T>::make(std::span<const Track> tracks, std::span<const T> keys, std::span<const T> rest,
                        TrackSet& out, std::size_t morph_count) {
  TrackSet made;
  made.base_pose_.assign(rest.begin(), rest.end());
  if (Error error = check_tracks(tracks, keys, rest.size() / 10, made.span_, morph_count)) return error;
  TimelineIndex<T> index_of_times;
  for (std::size_t index = 0; index < tracks.size(); ++index) {
    const Track& track = tracks[index];
    if (Error error = check_keys(index, track, keys)) return error;
    if (is_weight(track)) continue;
    const T* times = keys.data() + track.times;
    const T* values = keys.data() + track.values;
    if (is_constant(track, values)) {
      write_constant(track, values, made.base_pose_.data());
      continue;
    }
    const Channel<T> channel{values, index_of_times.of(times, track.key_count, made.timelines_),
                             pose_offset(track)};
    Channels& kind = width_of(track) == 4 ? made.rotations_ : made.vectors_;
    switch (static_cast<Interpolation>(track.interpolation)) {
      case Interpolation::kStep:
        kind.step.push_back(channel);
        break;
      case Interpolation::kLinear:
        kind.linear.push_back(channel);
        break;
      case Interpolation::kCubicSpline:
        kind.cubic.push_back(channel);
        break;
    }
  }
  for (Channels* kind : {&made.vectors_, &made.rotations_}) {
    kind->linear_count = kind->linear.size();
    for (std::vector<Channel<T>>* channels : {&kind->step, &kind->linear, &kind->cubic}) {
      std::stable_sort(channels->begin(), channels->end(),
                       [](const Channel<T>& a, const Channel<T>& b) { return a.timeline < b.timeline; });
    }
  }
  pad(made.rotations_.linear);
  out = std::move(made);
  return {};
}

template <class T>
std::size_t TrackSet<T>::channel_count() const {
  const auto count = [](const Channels& kind) {
    return kind.step.size() + kind.linear_count + kind.cubic.size();
  };
  return count(vectors_) + count(rotations_);
}

template Error check_keys<float>(std::size_t, const Track&, std::span<const float>);
template Error check_keys<double>(std::size_t, const Track&, std::span<const double>);
template Error check_tracks<float>(std::span<const Track>, std::span<const float>, std::size_t, TimeSpan&,
                                   std::size_t);
template Error check_tracks<double>(std::span<const Track>, std::span<const double>, std::size_t, TimeSpan&,
                                    std::size_t);
template bool is_constant<float>(const Track&, const float*);
template bool is_constant<double>(const Track&, const double*);
template class TimelineIndex<float>;
template class TimelineIndex<double>;
template class TrackSet<float>;
template class TrackSet<double>;

}  // namespace lissom
