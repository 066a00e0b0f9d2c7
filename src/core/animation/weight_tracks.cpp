// SPDX-License-Identifier: MIT
#include "core/animation/weight_tracks.h"

#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "core/animation/hermite.h"
#include "core/animation/moments.h"
#include "core/animation/sampling_kernels.h"
#include "core/animation/uniform.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(SamplingKernels, sampling_kernels)

namespace {

// Rows of numbers from a key: one, or of kCubicSpline in-tangents, values and out-tangents.
std::size_t rows_of_key(Interpolation interpolation) {
  return interpolation == Interpolation::kCubicSpline ? 3 : 1;
}

// The keys of a group of tracks side by side.
template <class T>
void write_rows(std::span<const Track* const> tracks, std::span<const T> keys,
                typename WeightTracks<T>::Group& group) {
  const std::size_t width = tracks.size();
  const std::size_t row_count =
      static_cast<std::size_t>(tracks[0]->key_count) * rows_of_key(group.interpolation);
  group.rows.resize(row_count * width);
  group.is_run = true;
  for (std::size_t column = 0; column < width; ++column) {
    const T* values = keys.data() + tracks[column]->values;
    for (std::size_t row = 0; row < row_count; ++row) group.rows[row * width + column] = values[row];
    group.morphs.push_back(tracks[column]->joint);
    group.is_run =
        group.is_run && tracks[column]->joint == tracks[0]->joint + static_cast<std::int32_t>(column);
  }
}

// The weights of a group at a moment. Plain loops: compilers make vectors of them, of 128 bits on every machine, which
// is as fast as memory for the widths that faces have; and as sums are not fused, bits are the same everywhere.
template <class T>
void write_weights(const typename WeightTracks<T>::Group& group, const Moment<T>& at, T* out) {
  const std::size_t width = group.morphs.size();
  const T* rows = group.rows.data();
  const auto row = [&](std::int32_t index) { return rows + static_cast<std::size_t>(index) * width; };
  switch (group.interpolation) {
    case Interpolation::kStep:
      std::copy_n(row(at.step), width, out);
      break;
    case Interpolation::kLinear: {
      const T *a = row(at.key), *b = row(at.key + 1), t = at.fraction, s = T(1) - t;
      // This form is exact at both ends.
      for (std::size_t i = 0; i < width; ++i) out[i] = s * a[i] + t * b[i];
      break;
    }
    case Interpolation::kCubicSpline: {
      const Hermite<T> weight(at);
      const T *value = row(3 * at.key + 1), *leaving = value + width, *arriving = leaving + width,
              *next = arriving + width;
      for (std::size_t i = 0; i < width; ++i) {
        out[i] = weight.value * value[i] + weight.out_tangent * leaving[i] +
                 weight.in_tangent_next * arriving[i] + weight.value_next * next[i];
      }
      break;
    }
  }
}

// Blocks of times, timeline by timeline.
template <class T>
class WeightSampler {
 public:
  explicit WeightSampler(const WeightTracks<T>& tracks) : tracks_(tracks), kernels_(sampling_kernels()) {
    std::size_t widest = 0;
    for (const auto& group : tracks.groups()) widest = std::max(widest, group.morphs.size());
    scattered_.resize(widest);
  }

  // At least one time and at most kTimeBlock.
  void sample(std::span<const double> times, T* out) {
    const std::span<const T> base = tracks_.base();
    if (tracks_.channel_count() < base.size()) {  // else every weight is written below
      for (std::size_t i = 0; i < times.size(); ++i) {
        std::copy(base.begin(), base.end(), out + i * base.size());
      }
    }
    ordered_ = std::is_sorted(times.begin(), times.end());
    for (std::size_t i = 0; i < kTimeBlock; ++i) {  // repeats the last one where times are fewer
      floors_[i] = rounded_down<T>(times[std::min(i, times.size() - 1)]);
    }
    std::int32_t timeline = -1;
    for (const auto& group : tracks_.groups()) {
      if (group.timeline != timeline) find_moments(timeline = group.timeline, times);
      for (std::size_t i = 0; i < times.size(); ++i) write(group, moments_[i], out + i * base.size());
    }
  }

 private:
  void find_moments(std::int32_t index, std::span<const double> times) {
    if (tracks_.is_uniform()) {
      for (std::size_t i = 0; i < times.size(); ++i) moments_[i] = tracks_.moment_on_grid(times[i]);
      return;
    }
    const Timeline<T>& timeline = tracks_.timelines()[static_cast<std::size_t>(index)];
    std::int32_t keys[kTimeBlock];
    constexpr std::size_t kFew = 4;  // searched one by one: blocks are whole
    if (times.size() <= kFew) {
      for (std::size_t i = 0; i < times.size(); ++i) keys[i] = last_key_at<T>(timeline, floors_[i]);
    } else {
      const std::size_t count = std::is_same_v<T, float> ? kTimeBlock : times.size();
      find_keys<T>(timeline, {floors_, count}, ordered_, -1, kernels_, keys);
    }
    for (std::size_t i = 0; i < times.size(); ++i) moments_[i] = moment_at<T>(timeline, keys[i], times[i]);
  }

  void write(const typename WeightTracks<T>::Group& group, const Moment<T>& at, T* out) {
    if (group.is_run) {
      write_weights(group, at, out + group.morphs[0]);
      return;
    }
    write_weights(group, at, scattered_.data());
    for (std::size_t i = 0; i < group.morphs.size(); ++i) out[group.morphs[i]] = scattered_[i];
  }

  const WeightTracks<T>& tracks_;
  const SamplingKernels& kernels_;
  bool ordered_ = false;
  T floors_[kTimeBlock];
  Moment<T> moments_[kTimeBlock];  // on the current timeline
  std::vector<T> scattered_;
};

}  // namespace

template <class T>
Error WeightTracks<T>::make(std::span<const Track> tracks, std::span<const T> keys,
                            std::span<const T> defaults, std::size_t joint_count, bool uniform,
                            WeightTracks& out) {
  WeightTracks made;
  if (Error error = check_tracks(tracks, keys, joint_count, made.span_, defaults.size())) return error;
  if (uniform) {
    if (Error error = check_uniform(tracks, keys, made.span_)) return error;
  }
  made.base_.assign(defaults.begin(), defaults.end());
  TimelineIndex<T> index_of_times;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<const Track*>>
      groups;  // by timeline, interpolation
  for (std::size_t index = 0; index < tracks.size(); ++index) {
    const Track& track = tracks[index];
    if (!is_weight(track)) continue;
    if (Error error = check_keys(index, track, keys)) return error;
    const T* values = keys.data() + track.values;
    if (is_constant(track, values)) {
      const bool is_cubic = track.interpolation == static_cast<std::int32_t>(Interpolation::kCubicSpline);
      made.base_[static_cast<std::size_t>(track.joint)] = values[is_cubic ? 1 : 0];
      continue;
    }
    const std::int32_t timeline =
        index_of_times.of(keys.data() + track.times, track.key_count, made.timelines_);
    groups[{timeline, track.interpolation}].push_back(&track);
    if (uniform) made.rate_ = (track.key_count - 1) / (made.span_.end - made.span_.start);
  }
  for (auto& [key, members] : groups) {
    std::sort(members.begin(), members.end(),
              [](const Track* a, const Track* b) { return a->joint < b->joint; });
    Group& group = made.groups_.emplace_back();
    group.timeline = key.first;
    group.interpolation = static_cast<Interpolation>(key.second);
    write_rows<T>(members, keys, group);
  }
  out = std::move(made);
  return {};
}

template <class T>
std::size_t WeightTracks<T>::channel_count() const {
  std::size_t count = 0;
  for (const Group& group : groups_) count += group.morphs.size();
  return count;
}

template <class T>
Moment<T> WeightTracks<T>::moment_on_grid(double time) const {
  const std::int32_t last = timelines_[0].key_count - 1;
  const double position = (time - span_.start) * rate_;
  // NaN, from spans at the ends of double's range, becomes 0, as do times before the start.
  const double inside = position > 0.0 ? std::min(position, static_cast<double>(last)) : 0.0;
  const std::int32_t key = std::min(static_cast<std::int32_t>(inside), last - 1);
  return {key, key, static_cast<T>(inside - key), static_cast<T>(1.0 / rate_)};
}

template <class T>
Error WeightSamplingJob<T>::validate() const {
  if (out.size() != times.size() * tracks->morph_count()) {
    return Error("out must hold " + std::to_string(tracks->morph_count()) + " weights for each of " +
                 std::to_string(times.size()) + " times");
  }
  return check_times(times);
}

template <class T>
Error WeightSamplingJob<T>::run() const {
  if (Error error = validate()) return error;
  const std::size_t morph_count = tracks->morph_count();
  if (out.empty()) return {};
  constexpr double kNanosecondsPerChannel = 0.3;
  const double nanoseconds = 20.0 + 15.0 * static_cast<double>(tracks->timelines().size()) +
                             kNanosecondsPerChannel * static_cast<double>(morph_count);
  parallel_for(times.size(), kTimeBlock, nanoseconds, [&](std::size_t begin, std::size_t end) {
    WeightSampler<T> sampler(*tracks);
    double block[kTimeBlock];
    while (begin < end) {
      const std::size_t count = std::min(kTimeBlock, end - begin);
      for (std::size_t i = 0; i < count; ++i) {
        block[i] = time_in_clip(times[begin + i], tracks->span(), loop);
      }
      sampler.sample({block, count}, out.data() + begin * morph_count);
      begin += count;
    }
  });
  return {};
}

template class WeightTracks<float>;
template class WeightTracks<double>;
template struct WeightSamplingJob<float>;
template struct WeightSamplingJob<double>;

}  // namespace lissom
