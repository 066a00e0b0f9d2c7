// SPDX-License-Identifier: MIT
#include "core/animation/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/animation/block_moments.h"
#include "core/animation/moments.h"
#include "core/animation/sampling_kernels.h"
#include "core/animation/scalar_channels.h"
#include "core/math/conventions.h"
#include "core/number_text.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(SamplingKernels, sampling_kernels)

namespace {

// For a few times: channels side by side in lanes.
class PoseSampler {
 public:
  PoseSampler(const TrackSet<float>& tracks, const SamplingKernels& kernels)
      : tracks_(tracks), kernels_(kernels), moments_(tracks.timelines().size()) {}

  void sample(double time, float* pose) {
    const float floor = rounded_down<float>(time);
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      const auto& timeline = tracks_.timelines()[i];
      moments_[i] = moment_at<float>(timeline, last_key_at<float>(timeline, floor), time);
    }
    std::copy(tracks_.base_pose().begin(), tracks_.base_pose().end(), pose);
    write<3>(tracks_.vectors(), kernels_.linear_vectors, pose);
    write<4>(tracks_.rotations(), kernels_.linear_rotations, pose);
  }

 private:
  template <int kWidth>
  void write(const TrackSet<float>::Channels& channels,
             decltype(SamplingKernels::linear_vectors) write_linear, float* pose) const {
    const auto moment = [&](const Channel<float>& channel) -> const Moment<float>& {
      return moments_[static_cast<std::size_t>(channel.timeline)];
    };
    for (const Channel<float>& channel : channels.step)
      write_step<float, kWidth>(channel, moment(channel), pose);
    for (const Channel<float>& channel : channels.cubic) {
      write_cubic<float, kWidth>(channel, moment(channel), pose);
    }
    write_linear(channels.linear.data(), channels.linear.size(), moments_.data(), pose);
  }

  const TrackSet<float>& tracks_;
  const SamplingKernels& kernels_;
  std::vector<Moment<float>> moments_;  // one per timeline
};

// For many times: timeline by timeline, times side by side in lanes. With the same bits.
template <class T>
class BlockSampler {
 public:
  BlockSampler(const TrackSet<T>& tracks, const SamplingKernels& kernels)
      : tracks_(tracks), kernels_(kernels), finder_(tracks, kernels) {}

  // At least one time and at most kTimeBlock.
  void sample(std::span<const double> times, T* poses) {
    const std::span<const T> base = tracks_.base_pose();
    rows_ = {poses, base.size(), times.size()};
    for (std::size_t i = 0; i < times.size(); ++i)
      std::copy(base.begin(), base.end(), poses + i * base.size());
    finder_.begin(times);
    Lists vectors(tracks_.vectors()), rotations(tracks_.rotations());
    const std::size_t timeline_count = tracks_.timelines().size();
    for (std::size_t begin = 0; begin < timeline_count; begin += kBatch) {
      const std::size_t count = std::min(kBatch, timeline_count - begin);
      finder_.find(begin, count, moments_);
      for (std::size_t i = 0; i < count; ++i) {
        write<3>(vectors, begin + i, moments_[i]);
        write<4>(rotations, begin + i, moments_[i]);
      }
    }
  }

 private:
  static constexpr std::size_t kBatch = BlockMoments<T>::kBatch;

  // The rest of a list in the order of timelines.
  struct List {
    const Channel<T>*next, *end;
    List(const std::vector<Channel<T>>& channels, std::size_t count)
        : next(channels.data()), end(next + count) {}
    std::span<const Channel<T>> take(std::size_t timeline) {
      const Channel<T>* first = next;
      while (next != end && next->timeline == static_cast<std::int32_t>(timeline)) ++next;
      return {first, next};
    }
  };
  struct Lists {
    explicit Lists(const typename TrackSet<T>::Channels& channels)
        : step(channels.step, channels.step.size()),
          linear(channels.linear, channels.linear_count),
          cubic(channels.cubic, channels.cubic.size()) {}
    List step, linear, cubic;
  };

  template <int kWidth>
  void write(Lists& lists, std::size_t timeline, const MomentBlock<T>& moments) const {
    write_each(lists.step.take(timeline), moments, write_step<T, kWidth>);
    write_each(lists.cubic.take(timeline), moments, write_cubic<T, kWidth>);
    const std::span<const Channel<T>> linear = lists.linear.take(timeline);
    if (linear.empty()) return;
    if constexpr (std::is_same_v<T, float>) {
      const auto write_linear =
          kWidth == 3 ? kernels_.linear_vectors_at_times : kernels_.linear_rotations_at_times;
      write_linear(linear.data(), linear.size(), moments, rows_);
    } else {
      write_each(linear, moments, write_linear<T, kWidth>);
    }
  }

  template <class Write>
  void write_each(std::span<const Channel<T>> channels, const MomentBlock<T>& moments,
                  const Write& write_at) const {
    for (const Channel<T>& channel : channels) {
      for (std::size_t i = 0; i < rows_.count; ++i) {
        const Moment<T> at = {moments.key[i], moments.step[i], moments.fraction[i], moments.interval[i]};
        write_at(channel, at, rows_.first + i * rows_.stride);
      }
    }
  }

  const TrackSet<T>& tracks_;
  const SamplingKernels& kernels_;
  PoseRows<T> rows_{};
  BlockMoments<T> finder_;
  MomentBlock<T> moments_[kBatch];  // of the current timelines
};

// With fewer most lanes would idle.
template <class T>
constexpr std::size_t kFewestInBlock = std::is_same_v<T, float> ? kTimeBlock / 2 : 1;

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
  // An even function of the time from the start, of period 2 * duration.
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
  return check_times(times);
}

Error check_times(std::span<const double> times) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i])) {
      return Error("times must be finite, got " + number_text(times[i]) + " at element " + std::to_string(i));
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
  const SamplingKernels& kernels = sampling_kernels();
  constexpr double kNanosecondsPerChannel = 3.0;
  const double nanoseconds = 50.0 + kNanosecondsPerChannel * static_cast<double>(tracks->channel_count());
  parallel_for(times.size(), kTimeBlock, nanoseconds, [&](std::size_t begin, std::size_t end) {
    BlockSampler<T> sampler(*tracks, kernels);
    double block[kTimeBlock];
    while (begin < end) {
      const std::size_t count = std::min(kTimeBlock, end - begin);
      for (std::size_t i = 0; i < count; ++i) {
        block[i] = time_in_clip(times[begin + i], tracks->span(), loop);
      }
      T* poses = out.data() + begin * pose_size;
      if (count >= kFewestInBlock<T>) {
        sampler.sample({block, count}, poses);
      } else if constexpr (std::is_same_v<T, float>) {
        PoseSampler few(*tracks, kernels);
        for (std::size_t i = 0; i < count; ++i) few.sample(block[i], poses + i * pose_size);
      }
      begin += count;
    }
  });
  return {};
}

template struct SamplingJob<float>;
template struct SamplingJob<double>;

}  // namespace lissom
