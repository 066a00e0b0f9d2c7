// SPDX-License-Identifier: MIT
#include "core/animation/sampling.h"

#include <algorithm>
#include <cmath>
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

// The last key whose time is <= `time`, or -1 before the first. `hint` is where the last search ended:
// ordered times find the answer there or one further. Safe for any content of `times`.
template <class T>
std::int32_t last_key_at(const typename TrackSet<T>::Timeline& timeline, double time, std::int32_t hint) {
  const T* times = timeline.times;
  const std::int32_t last = timeline.key_count - 1;
  const auto is_at = [&](std::int32_t key) {
    return !(time < static_cast<double>(times[key])) &&
           (key == last || time < static_cast<double>(times[key + 1]));
  };
  if (is_at(hint)) return hint;
  if (hint < last && is_at(hint + 1)) return hint + 1;
  const auto first = static_cast<double>(times[0]);
  if (time < first) return -1;
  if (!(time < static_cast<double>(times[last]))) return last;
  // Most clips are keyed at a regular rate: then this is the key or a neighbour of it.
  const double guess = (time - first) * last / (static_cast<double>(times[last]) - first);
  // NaN, from times at the ends of double's range, becomes 0: it has no integer.
  const std::int32_t near = guess > 0 ? static_cast<std::int32_t>(std::min(guess, last - 1.0)) : 0;
  if (is_at(near)) return near;
  if (near > 0 && is_at(near - 1)) return near - 1;
  if (is_at(near + 1)) return near + 1;
  std::int32_t low = 0, count = last;  // the answer is in [low, low + count)
  while (count > 1) {
    const std::int32_t half = count / 2;
    if (!(time < static_cast<double>(times[low + half]))) low += half;
    count -= half;
  }
  return low;
}

template <class T>
Moment<T> moment_at(const typename TrackSet<T>::Timeline& timeline, double time, std::int32_t& hint) {
  const std::int32_t key = last_key_at<T>(timeline, time, hint);
  const std::int32_t left = std::clamp(key, 0, timeline.key_count - 2);
  hint = left;
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

template <class T>
class PoseSampler {
 public:
  explicit PoseSampler(const TrackSet<T>& tracks)
      : tracks_(tracks), hints_(tracks.timelines().size()), moments_(tracks.timelines().size()) {}

  void sample(double time, T* pose) {
    const auto timelines = tracks_.timelines();
    for (std::size_t i = 0; i < timelines.size(); ++i) {
      moments_[i] = moment_at<T>(timelines[i], time, hints_[i]);
    }
    std::copy(tracks_.base_pose().begin(), tracks_.base_pose().end(), pose);
    sample_vectors(pose);
    sample_rotations(pose);
  }

 private:
  const Moment<T>& moment(const Channel<T>& channel) const {
    return moments_[static_cast<std::size_t>(channel.timeline)];
  }

  void sample_vectors(T* pose) const {
    for (const Channel<T>& channel : tracks_.vectors().step) {
      std::copy_n(channel.values + std::ptrdiff_t{3} * moment(channel).step, 3, pose + channel.out);
    }
    if constexpr (std::is_same_v<T, float>) {
      const auto& linear = tracks_.vectors().linear;
      sampling_kernels().linear_vectors(linear.data(), linear.size(), moments_.data(), pose);
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
      sampling_kernels().linear_rotations(linear.data(), linear.size(), moments_.data(), pose);
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
  std::vector<std::int32_t> hints_;
  std::vector<Moment<T>> moments_;
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
    PoseSampler<T> sampler(*tracks);
    for (std::size_t i = begin; i < end; ++i) {
      sampler.sample(time_in_clip(times[i], tracks->span(), loop), out.data() + i * pose_size);
    }
  });
  return {};
}

template struct SamplingJob<float>;
template struct SamplingJob<double>;

}  // namespace lissom
