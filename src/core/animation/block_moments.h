// SPDX-License-Identifier: MIT
#pragma once

// The moments of a block of times on the timelines of a clip.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "core/animation/moments.h"
#include "core/animation/sampling_kernels.h"
#include "core/animation/tracks.h"

namespace lissom {

// Blocks that follow one another in time are found the fastest.
template <class T>
class BlockMoments {
 public:
  static constexpr std::size_t kBatch = 8;  // timelines that are searched together

  BlockMoments(const TrackSet<T>& tracks, const SamplingKernels& kernels)
      : tracks_(tracks), kernels_(kernels) {}

  // Begins with a block of at least one time and at most kTimeBlock.
  void begin(std::span<const double> times) {
    count_ = times.size();
    ordered_ = std::is_sorted(times.begin(), times.end());
    if (!(times[0] >= last_time_)) last_keys_.assign(tracks_.timelines().size(), -1);
    last_time_ = times.back();
    for (std::size_t i = 0; i < kTimeBlock; ++i) {  // repeats the last one where times are fewer
      times_[i] = times[std::min(i, times.size() - 1)];
      floors_[i] = rounded_down<T>(times_[i]);
    }
  }

  // Those of the timelines [begin, begin + count), at most kBatch; of float32 for all kTimeBlock times.
  void find(std::size_t begin, std::size_t count, MomentBlock<T>* moments) {
    // Step by step for all of them, as each step waits for the one before.
    const std::size_t time_count = std::is_same_v<T, float> ? kTimeBlock : count_;
    const auto* timelines = tracks_.timelines().data() + begin;
    std::int32_t keys[kBatch][kTimeBlock];
    for (std::size_t i = 0; i < count; ++i) {
      std::int32_t& last_key = last_keys_[begin + i];
      find_keys<T>(timelines[i], {floors_, time_count}, ordered_, last_key, kernels_, keys[i]);
      last_key = keys[i][time_count - 1];
    }
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<T, float>) {
        kernels_.find_moments(timelines[i].times, timelines[i].key_count, keys[i], times_, moments[i]);
      } else {
        for (std::size_t k = 0; k < time_count; ++k) {
          const Moment<T> at = moment_at<T>(timelines[i], keys[i][k], times_[k]);
          moments[i].key[k] = at.key, moments[i].step[k] = at.step;
          moments[i].fraction[k] = at.fraction, moments[i].interval[k] = at.interval;
        }
      }
    }
  }

 private:
  const TrackSet<T>& tracks_;
  const SamplingKernels& kernels_;
  std::size_t count_ = 0;
  double times_[kTimeBlock];
  T floors_[kTimeBlock];
  bool ordered_ = false;
  double last_time_ = std::numeric_limits<double>::infinity();  // of the block before
  std::vector<std::int32_t> last_keys_;                         // at that time, one per timeline
};

}  // namespace lissom
