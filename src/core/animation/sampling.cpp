// SPDX-License-Identifier: MIT
#include "core/animation/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/animation/sampling_kernels.h"
#include "core/math/conventions.h"
#include "core/math/quat.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(SamplingKernels, sampling_kernels)

namespace {

// The largest number of T that is not above `time`: key times are compared with it instead, to the same end.
template <class T>
T rounded_down(double time) {
  const T rounded = static_cast<T>(time);
  return static_cast<double>(rounded) > time ? std::nextafter(rounded, -std::numeric_limits<T>::infinity())
                                             : rounded;
}

// The last key at `time` or before it, or -1 before the first. Always as many steps, and none of them a branch:
// random times leave nothing to predict.
template <class T>
std::int32_t last_key_at(const typename TrackSet<T>::Timeline& timeline, T time) {
  const T* times = timeline.times;
  for (std::int32_t count = timeline.key_count; count > 1;) {  // the answer is in [times, times + count)
    const std::int32_t half = count / 2;
    times = times[half] <= time ? times + half : times;
    count -= half;
  }
  return static_cast<std::int32_t>(times - timeline.times) - static_cast<std::int32_t>(time < *times);
}

template <class T>
Moment<T> moment_at(const typename TrackSet<T>::Timeline& timeline, std::int32_t key, double time) {
  const std::int32_t left = std::clamp(key, 0, timeline.key_count - 2);
  const auto from = static_cast<double>(timeline.times[left]);
  const double interval = static_cast<double>(timeline.times[left + 1]) - from;
  const double fraction = key < 0 ? 0.0 : key > left ? 1.0 : (time - from) / interval;
  return {left, std::max(key, 0), static_cast<T>(fraction), static_cast<T>(interval)};
}

// Weights of value, out-tangent, next in-tangent and next value at fraction s (glTF 2.0, appendix C.4).
template <class T>
struct Hermite {
  explicit Hermite(const Moment<T>& moment) {
    const T s = moment.fraction, s2 = s * s, s3 = s2 * s;
    value_next = T(3) * s2 - T(2) * s3;
    value = T(1) - value_next;
    out_tangent = moment.interval * (s3 - T(2) * s2 + s);
    in_tangent_next = moment.interval * (s3 - s2);
  }
  T value, out_tangent, in_tangent_next, value_next;
};

template <class T, int kWidth>
void write_hermite(const Moment<T>& moment, const T* values, T* out) {
  const Hermite<T> weight(moment);
  // The value; tangents on both sides of it.
  const T* key = values + std::ptrdiff_t{3 * kWidth} * moment.key + kWidth;
  const T* next = key + 3 * kWidth;
  for (int i = 0; i < kWidth; ++i) {
    out[i] = weight.value * key[i] + weight.out_tangent * key[i + kWidth] +
             weight.in_tangent_next * next[i - kWidth] + weight.value_next * next[i];
  }
}

template <class T>
Quat<T> load_quat(const T* q) {
  return {q[0], q[1], q[2], q[3]};
}

template <class T>
void store_quat(const Quat<T>& q, T* out) {
  out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
}

// A spline can pass through zero, where it names no rotation: then the key before it stands.
template <class T>
void normalize_spline(const T* key, T* out) {
  const Quat<T> q = load_quat(out);
  store_quat(normalized(dot(q, q) > T(1e-12) ? q : load_quat(key)), out);
}

// Times are looked up in blocks, one timeline after another, so that searches run side by side and a timeline
// stays in the nearest cache. What is found does not depend on the block.
constexpr std::size_t kMaxBlock = 64;

template <class T>
class PoseSampler {
 public:
  PoseSampler(const TrackSet<T>& tracks, std::size_t time_count)
      : tracks_(tracks), timeline_count_(tracks.timelines().size()) {
    constexpr std::size_t kMoments = 2048;  // of a block: as many as that cache holds
    block_ = std::clamp<std::size_t>(kMoments / std::max<std::size_t>(timeline_count_, 1), 1, kMaxBlock);
    block_ = std::min(block_, time_count);
    moments_.resize(block_ * timeline_count_);
  }

  std::size_t block() const { return block_; }

  // At most a block of times.
  void sample(std::span<const double> times, T* poses) {
    find_moments(times);
    const std::span<const T> base = tracks_.base_pose();
    for (std::size_t i = 0; i < times.size(); ++i, poses += base.size()) {
      pose_moments_ = moments_.data() + i * timeline_count_;
      std::copy(base.begin(), base.end(), poses);
      sample_vectors(poses);
      sample_rotations(poses);
    }
  }

 private:
  void find_moments(std::span<const double> times) {
    T floors[kMaxBlock];
    bool ordered = true;
    for (std::size_t i = 0; i < times.size(); ++i) {
      floors[i] = rounded_down<T>(times[i]);
      ordered = ordered && (i == 0 || times[i] >= times[i - 1]);
    }
    std::fill(floors + times.size(), floors + kMaxBlock, T(0));
    std::int32_t keys[kMaxBlock];
    for (std::size_t t = 0; t < timeline_count_; ++t) {
      const auto& timeline = tracks_.timelines()[t];
      find_keys(timeline, {floors, times.size()}, ordered, keys);
      Moment<T>* moment = moments_.data() + t;
      for (std::size_t i = 0; i < times.size(); ++i, moment += timeline_count_) {
        *moment = moment_at<T>(timeline, keys[i], times[i]);
      }
    }
  }

  // Three ways to the same keys.
  static void find_keys(const typename TrackSet<T>::Timeline& timeline, std::span<const T> floors,
                        bool ordered, std::int32_t* keys) {
    const std::size_t count = floors.size();
    if constexpr (std::is_same_v<T, float>) {
      constexpr std::int32_t kFewKeys = 96;  // beyond, or for few times, searching is faster
      if (timeline.key_count <= kFewKeys && count >= kChannelPadding / 2) {
        sampling_kernels().count_keys(timeline.times, timeline.key_count, floors.data(), count, keys);
        return;
      }
    }
    if (ordered) {
      keys[0] = last_key_at<T>(timeline, floors[0]);
      const auto goes_on = [&](std::int32_t key, T time) {
        return key + 1 < timeline.key_count && timeline.times[key + 1] <= time;
      };
      for (std::size_t i = 1; i < count; ++i) {  // mostly the same key as before, or the next
        keys[i] = keys[i - 1] + goes_on(keys[i - 1], floors[i]);
        if (goes_on(keys[i], floors[i])) keys[i] = last_key_at<T>(timeline, floors[i]);
      }
      return;
    }
    for (std::size_t i = 0; i < count; ++i) keys[i] = last_key_at<T>(timeline, floors[i]);
  }

  const Moment<T>& moment(const Channel<T>& channel) const {
    return pose_moments_[static_cast<std::size_t>(channel.timeline)];
  }

  void sample_vectors(T* pose) const {
    for (const Channel<T>& channel : tracks_.vectors().step) {
      std::copy_n(channel.values + std::ptrdiff_t{3} * moment(channel).step, 3, pose + channel.out);
    }
    if constexpr (std::is_same_v<T, float>) {
      const auto& linear = tracks_.vectors().linear;
      sampling_kernels().linear_vectors(linear.data(), linear.size(), pose_moments_, pose);
    } else {
      for (const Channel<T>& channel : tracks_.vectors().linear) sample_linear_vector(channel, pose);
    }
    for (const Channel<T>& channel : tracks_.vectors().cubic) {
      write_hermite<T, 3>(moment(channel), channel.values, pose + channel.out);
    }
  }

  void sample_linear_vector(const Channel<T>& channel, T* pose) const {
    const Moment<T>& at = moment(channel);
    const T* key = channel.values + std::ptrdiff_t{3} * at.key;
    T* out = pose + channel.out;
    // This form is exact at both ends.
    for (int i = 0; i < 3; ++i) out[i] = (T(1) - at.fraction) * key[i] + at.fraction * key[3 + i];
  }

  void sample_rotations(T* pose) const {
    for (const Channel<T>& channel : tracks_.rotations().step) {
      const T* key = channel.values + std::ptrdiff_t{4} * moment(channel).step;
      store_quat(normalized(load_quat(key)), pose + channel.out);
    }
    if constexpr (std::is_same_v<T, float>) {
      const auto& linear = tracks_.rotations().linear;
      sampling_kernels().linear_rotations(linear.data(), linear.size(), pose_moments_, pose);
    } else {
      for (const Channel<T>& channel : tracks_.rotations().linear) sample_linear_rotation(channel, pose);
    }
    for (const Channel<T>& channel : tracks_.rotations().cubic) {
      const Moment<T>& at = moment(channel);
      write_hermite<T, 4>(at, channel.values, pose + channel.out);
      normalize_spline(channel.values + std::ptrdiff_t{12} * at.key + 4, pose + channel.out);
    }
  }

  void sample_linear_rotation(const Channel<T>& channel, T* pose) const {
    const Moment<T>& at = moment(channel);
    const T* key = channel.values + std::ptrdiff_t{4} * at.key;
    const Quat<T> a = normalized(load_quat(key)), b = normalized(load_quat(key + 4));
    store_quat(normalized(slerp(a, b, at.fraction)), pose + channel.out);
  }

  const TrackSet<T>& tracks_;
  std::size_t timeline_count_;
  std::size_t block_;
  std::vector<Moment<T>> moments_;           // of a block: one row per time, one entry per timeline
  const Moment<T>* pose_moments_ = nullptr;  // of the pose that is being written
};

}  // namespace

double wrapped_time(double time, const TimeSpan& span) {
  if (time >= span.start && time < span.end) return time;
  const double duration = span.end - span.start;
  if (!(duration > 0.0)) return span.start;
  double offset = std::fmod(time - span.start, duration);
  if (offset < 0.0) offset += duration;
  const double wrapped = span.start + offset;
  return wrapped < span.end ? wrapped : span.start;  // rounding may reach the end, which is the start
}

double reflected_time(double time, const TimeSpan& span) {
  if (time >= span.start && time <= span.end) return time;
  const double duration = span.end - span.start;
  if (!(duration > 0.0)) return span.start;
  // Even in time about the start, and of period 2 * duration.
  const double offset = std::fmod(std::fabs(time - span.start), 2.0 * duration);
  const double forwards = offset <= duration ? offset : 2.0 * duration - offset;
  return std::min(span.start + forwards, span.end);
}

double time_in_clip(double time, const TimeSpan& span, Loop loop) {
  switch (loop) {
    case Loop::kYes:
      return wrapped_time(time, span);
    case Loop::kPingPong:
      return reflected_time(time, span);
    case Loop::kNo:
      break;
  }
  return time;
}

Error check_sampling(std::span<const double> times, std::size_t out_size, std::size_t joint_count) {
  if (out_size != times.size() * joint_count * kTrsScalars) {
    return Error("out must hold one pose of " + std::to_string(joint_count) + " joints for each of " +
                 std::to_string(times.size()) + " times");
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i])) {
      return Error("times must be finite, got " + std::to_string(times[i]) + " at element " +
                   std::to_string(i));
    }
  }
  return {};
}

template <class T>
Error SamplingJob<T>::validate() const {
  return check_sampling(times, out.size(), tracks->joint_count());
}

template <class T>
Error SamplingJob<T>::run() const {
  if (Error error = validate()) return error;
  const std::size_t pose_size = tracks->base_pose().size();
  constexpr double kNanosecondsPerChannel = 3.0;
  const double nanoseconds = 50.0 + kNanosecondsPerChannel * static_cast<double>(tracks->channel_count());
  parallel_for(times.size(), 1, nanoseconds, [&](std::size_t begin, std::size_t end) {
    PoseSampler<T> sampler(*tracks, end - begin);
    double block[kMaxBlock];
    while (begin < end) {
      const std::size_t count = std::min(sampler.block(), end - begin);
      for (std::size_t i = 0; i < count; ++i) {
        block[i] = time_in_clip(times[begin + i], tracks->span(), loop);
      }
      sampler.sample({block, count}, out.data() + begin * pose_size);
      begin += count;
    }
  });
  return {};
}

template struct SamplingJob<float>;
template struct SamplingJob<double>;

}  // namespace lissom
