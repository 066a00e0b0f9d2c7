// SPDX-License-Identifier: MIT
#include "core/animation/uniform.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "core/math/conventions.h"
#include "core/number_text.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(UniformKernels, uniform_kernels)

namespace {

constexpr std::size_t padded(std::size_t count) {
  return (count + kFramePadding - 1) / kFramePadding * kFramePadding;
}

// Frames hold rotations alone where at most a joint in this many is moved or scaled, and where those of the clip are too many
// for the caches: of a short clip they are as fast read as put together.
constexpr std::size_t kMostOthers = 3, kCachedBytes = std::size_t{256} << 10;

constexpr std::size_t kRotation = 3;  // of the ten numbers of a joint, where its rotation begins

template <class T>
Error check_grid(const Track& track, std::span<const T> times, TimeSpan span) {
  const double interval = (span.end - span.start) / std::max(track.key_count - 1, 1);
  // Grid and key are each rounded to float32, which is half of this; files that hold doubles were float32 once.
  const double slack =
      2.0 * std::numeric_limits<float>::epsilon() * std::max(std::fabs(span.start), std::fabs(span.end));
  for (std::size_t key = 0; key < times.size(); ++key) {
    const double grid = span.start + static_cast<double>(key) * interval;
    if (!(std::fabs(static_cast<double>(times[key]) - grid) <= slack)) {
      return Error("the keys of a uniform clip must lie on one regular grid, but key " + std::to_string(key) +
                   " is at " + number_text(times[key]) + " s instead of " +
                   number_text(static_cast<T>(grid)) + " s; resample the clip, or leave uniform out");
    }
  }
  return {};
}

// nlerp of one pose in T itself: what the kernels do for float32.
template <class T>
void interpolate(const FrameShape& shape, const FramePoint<T>& point, T* pose) {
  const T *a = point.frame, *b = a + shape.stride, *distances = a + shape.distances;
  const T t = point.fraction, weight = t * (T(1) - t);
  for (std::size_t joint = 0; joint < shape.joint_count; ++joint, a += 10, b += 10, pose += 10) {
    for (int i = 0; i < kTrsScalars; ++i) pose[i] = a[i] + t * (b[i] - a[i]);
    const T length = std::sqrt(T(1) - weight * distances[joint]);
    for (std::size_t i = kRotation; i < kRotation + 4; ++i) pose[i] /= length;
  }
}

}  // namespace

template <class T>
Error check_uniform(std::span<const Track> tracks, std::span<const T> keys, TimeSpan span) {
  for (std::size_t index = 0; index < tracks.size(); ++index) {
    const Track& track = tracks[index];
    const Track& first = tracks[0];
    if (track.interpolation != static_cast<std::int32_t>(Interpolation::kLinear)) {
      return Error(place_of(index, track) +
                   ": all tracks of a uniform clip must be LINEAR; resample the clip, or leave uniform out");
    }
    if (track.key_count != first.key_count) {
      return Error(place_of(index, track) + ": all tracks of a uniform clip must have one key count, " +
                   std::to_string(first.key_count) + " as the first, got " + std::to_string(track.key_count));
    }
    if (index && track.times == first.times) continue;
    const auto times =
        keys.subspan(static_cast<std::size_t>(track.times), static_cast<std::size_t>(track.key_count));
    if (Error error = check_grid(track, times, span)) {
      return Error(place_of(index, track) + ": " + error.sentence());
    }
  }
  return {};
}

template <class T>
Error UniformFrames<T>::make(std::span<const Track> tracks, std::span<const T> keys, std::span<const T> rest,
                             UniformFrames& out, std::size_t morph_count) {
  UniformFrames made;
  const std::size_t joint_count = rest.size() / kTrsScalars;
  if (Error error = check_tracks(tracks, keys, joint_count, made.span_, morph_count)) return error;
  if (Error error = check_uniform(tracks, keys, made.span_)) return error;
  for (std::size_t index = 0; index < tracks.size(); ++index) {
    if (Error error = check_keys(index, tracks[index], keys)) return error;
  }
  const std::size_t pose_part = padded(rest.size());
  made.shape_ = {joint_count, pose_part, pose_part + padded(joint_count)};
  made.frame_count_ = tracks.empty() ? 1 : static_cast<std::size_t>(tracks[0].key_count);
  const double duration = made.span_.end - made.span_.start;
  made.rate_ = duration > 0.0 ? static_cast<double>(made.frame_count_ - 1) / duration : 0.0;
  made.frames_.assign((made.frame_count_ + 1) * made.shape_.stride * sizeof(T) / sizeof(Line), Line{});
  for (std::size_t index = 0; index < made.frame_count_; ++index) {
    std::copy(rest.begin(), rest.end(), made.frame(index));
  }
  for (const Track& track : tracks) {
    if (!is_weight(track)) made.write_track(track, keys.data() + track.values);
  }
  std::copy_n(made.frame(made.frame_count_ - 1), rest.size(), made.frame(made.frame_count_));
  made.write_distances();
  made.pack();
  out = std::move(made);
  return {};
}

template <class T>
T* UniformFrames<T>::frame(std::size_t index) {
  return frames_.empty() ? nullptr : frames_[0].numbers + index * shape_.stride;
}

template <class T>
void UniformFrames<T>::write_track(const Track& track, const T* values) {
  const auto offset = static_cast<std::size_t>(pose_offset(track));
  if (track.path != static_cast<std::int32_t>(TrackPath::kRotation)) {
    for (std::size_t key = 0; key < frame_count_; ++key, values += 3) {
      std::copy_n(values, 3, frame(key) + offset);
    }
    return;
  }
  double before[4] = {};
  for (std::size_t key = 0; key < frame_count_; ++key, values += 4) {
    double q[4], squared = 0.0, dot = 0.0;
    for (int i = 0; i < 4; ++i) {
      q[i] = static_cast<double>(values[i]);
      squared += q[i] * q[i];
      dot += q[i] * before[i];
    }
    const double scale = (dot < 0.0 ? -1.0 : 1.0) / std::sqrt(squared);
    for (int i = 0; i < 4; ++i) {
      before[i] = scale * q[i];
      frame(key)[offset + static_cast<std::size_t>(i)] = static_cast<T>(before[i]);
    }
  }
}

template <class T>
void UniformFrames<T>::write_distances() {
  for (std::size_t index = 0; index < frame_count_; ++index) {
    T *a = frame(index), *b = frame(index + 1);
    for (std::size_t joint = 0; joint < shape_.joint_count; ++joint) {
      double squared = 0.0;
      for (std::size_t i = kTrsScalars * joint + kRotation; i < kTrsScalars * joint + kRotation + 4; ++i) {
        const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        squared += difference * difference;
      }
      a[shape_.distances + joint] = static_cast<T>(squared);
    }
  }
}

template <class T>
void UniformFrames<T>::pack() {
  if constexpr (std::is_same_v<T, float>) {
    const std::size_t joint_count = shape_.joint_count, parts = padded(joint_count);
    if (frames_.size() * sizeof(Line) <= kCachedBytes || !joint_count) return;
    const auto is_moving = [&](std::size_t from, std::size_t to) {
      for (std::size_t index = 1; index < frame_count_; ++index) {
        for (std::size_t i = from; i < to; ++i) {
          if (!(frame(index)[i] == frame(0)[i])) return true;
        }
      }
      return false;
    };
    std::vector<std::uint32_t> places;
    std::vector<std::uint8_t> moves(parts / kFramePadding);
    for (std::size_t joint = 0; joint < joint_count; ++joint) {
      const std::size_t begin = kTrsScalars * joint, scale = begin + kRotation + 4;
      for (const std::size_t place : {begin, scale}) {
        if (is_moving(place, place + 3)) places.push_back(static_cast<std::uint32_t>(place));
      }
      moves[joint / kFramePadding] |= is_moving(begin + kRotation, scale);
    }
    // Each is written by itself, after a block that had its place already.
    if (places.size() > joint_count / kMostOthers + 1) return;
    packed_ = {joint_count, 4 * parts, 5 * parts, 5 * parts + padded(3 * places.size()),
               nullptr,     nullptr,   nullptr,   places.size()};
    constexpr std::size_t kLine = sizeof(Line) / sizeof(T);
    std::vector<Line> frames((frame_count_ + 1) * packed_.stride / kLine, Line{});
    still_.assign(parts * kTrsScalars / kLine, Line{});
    for (std::size_t index = 0; index <= frame_count_; ++index) {
      const T* const from = frame(index);
      T* const to = frames[0].numbers + index * packed_.stride;
      for (std::size_t joint = 0; joint < joint_count; ++joint) {
        std::copy_n(from + kTrsScalars * joint + kRotation, 4, to + 4 * joint);
      }
      std::copy_n(from + shape_.distances, parts, to + packed_.distances);
      for (std::size_t i = 0; i < places.size(); ++i)
        std::copy_n(from + places[i], 3, to + packed_.others + 3 * i);
    }
    // Zeros become positive, as they are between two frames.
    for (std::size_t i = 0; i < kTrsScalars * joint_count; ++i) still_[0].numbers[i] = frame(0)[i] + T(0);
    frames_ = std::move(frames);
    moves_ = std::move(moves);
    other_places_ = std::move(places);
    shape_.stride = packed_.stride;
  }
}

template <class T>
PackedShape UniformFrames<T>::packed() const {
  PackedShape shape = packed_;
  if constexpr (std::is_same_v<T, float>) {
    if (!still_.empty()) shape.still = still_[0].numbers;
    shape.moves = moves_.data();
    shape.other_places = other_places_.data();
  }
  return shape;
}

template <class T>
FramePoint<T> UniformFrames<T>::point_at(double time) const {
  const double position = (time - span_.start) * rate_;
  // NaN, from spans at the ends of double's range, becomes 0, as do times before the start.
  const double inside = position > 0.0 ? std::min(position, static_cast<double>(frame_count_ - 1)) : 0.0;
  const auto index = static_cast<std::uint32_t>(inside);
  return {frames_[0].numbers + index * shape_.stride, static_cast<T>(inside - index)};
}

template <class T>
Error UniformSamplingJob<T>::validate() const {
  return check_sampling(times, out.size(), tracks->joint_count());
}

template <class T>
Error UniformSamplingJob<T>::run() const {
  if (Error error = validate()) return error;
  if (out.empty()) return {};
  const FrameShape& shape = tracks->shape();
  const std::size_t pose_size = shape.joint_count * kTrsScalars;
  [[maybe_unused]] const PackedShape packed = tracks->packed();
  const UniformKernels& kernels = uniform_kernels();
  const double nanoseconds = 5.0 + 0.7 * static_cast<double>(shape.joint_count);
  parallel_for(times.size(), 1, nanoseconds, [&](std::size_t begin, std::size_t end) {
    constexpr std::size_t kBlock = 64;  // points on the stack
    FramePoint<T> points[kBlock];
    for (; begin < end; begin += kBlock) {
      const std::size_t count = std::min(kBlock, end - begin);
      for (std::size_t i = 0; i < count; ++i) {
        points[i] = tracks->point_at(time_in_clip(times[begin + i], tracks->span(), loop));
      }
      T* poses = out.data() + begin * pose_size;
      if constexpr (std::is_same_v<T, float>) {
        if (packed.still) {
          kernels.sample_packed(packed, points, count, poses);
        } else {
          kernels.sample(shape, points, count, poses);
        }
      } else {
        for (std::size_t i = 0; i < count; ++i) interpolate(shape, points[i], poses + i * pose_size);
      }
    }
  });
  return {};
}

template Error check_uniform<float>(std::span<const Track>, std::span<const float>, TimeSpan);
template Error check_uniform<double>(std::span<const Track>, std::span<const double>, TimeSpan);
template class UniformFrames<float>;
template class UniformFrames<double>;
template struct UniformSamplingJob<float>;
template struct UniformSamplingJob<double>;

}  // namespace lissom
