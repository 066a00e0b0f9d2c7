// SPDX-License-Identifier: MIT
#include "core/animation/key_segments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(SegmentKernels, segment_kernels)

namespace {

// Rough cost of the segments from one key, for the choice of threads alone.
constexpr double kNanosecondsPerKey = 600, kNanosecondsPerChoice = 40;

Error check_track(std::size_t index, const KeyTrack& track) {
  const std::string place = "track " + std::to_string(index);
  const std::size_t count = track.times.size();
  if (count < 2) return Error(place + " must have at least two keys, got " + std::to_string(count));
  if (track.values.size() != 4 * count || track.levers.size() != count) {
    return Error(place + " must hold four numbers and a lever for each of its " + std::to_string(count) +
                 " keys");
  }
  for (std::size_t key = 0; key < count; ++key) {
    if (!std::isfinite(track.times[key]) || (key && track.times[key] <= track.times[key - 1])) {
      return Error("the times of " + place + " must be finite and increase strictly, got " +
                   std::to_string(track.times[key]) + " at key " + std::to_string(key));
    }
    if (!(track.levers[key] >= 0.0)) {
      return Error("the levers of " + place + " must be at least 0, got " +
                   std::to_string(track.levers[key]) + " at key " + std::to_string(key));
    }
  }
  return {};
}

// The arrays of one track as kernels read them. Padding: later times, the last value and no lever.
struct PaddedTrack {
  explicit PaddedTrack(const KeyTrack& track)
      : stride(track.times.size() + kSegmentPadding), numbers(6 * stride) {
    const std::size_t count = track.times.size();
    double* const times = numbers.data();
    for (std::size_t key = 0; key < stride; ++key) {
      const std::size_t from = std::min(key, count - 1);
      times[key] = track.times[from] + static_cast<double>(key - from);
      for (std::size_t c = 0; c < 4; ++c) numbers[(1 + c) * stride + key] = track.values[4 * from + c];
      numbers[5 * stride + key] = key < count ? track.levers[key] * track.levers[key] : 0.0;
    }
  }
  SegmentKernelArgs args(std::size_t first, std::size_t key_count, double limit, float* errors) const {
    const double* at = numbers.data();
    return {at,
            {at + stride, at + 2 * stride, at + 3 * stride, at + 4 * stride},
            at + 5 * stride,
            first,
            key_count,
            limit,
            errors};
  }

  std::size_t stride;
  std::vector<double> numbers;
};

}  // namespace

Error KeySegments::make(std::span<const KeyTrack> tracks, double limit, KeySegments& out) {
  if (std::isnan(limit)) return Error("limit must be a number, got nan");
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    if (Error error = check_track(i, tracks[i])) return error;
  }
  const SegmentKernels& kernels = segment_kernels();
  KeySegments made;
  made.lanes_ = kernels.lanes;
  made.tracks_.resize(tracks.size());
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    Track& track = made.tracks_[i];
    track.begin = made.key_count_;
    track.count = tracks[i].times.size();
    track.blocks.resize((track.count - 1 + kernels.lanes - 1) / kernels.lanes);  // none from the last key
    made.key_count_ += track.count;
    const PaddedTrack padded(tracks[i]);
    const auto measure = tracks[i].rotates ? kernels.rotations : kernels.vectors;
    parallel_for(track.blocks.size(), 1, kNanosecondsPerKey * static_cast<double>(kernels.lanes),
                 [&](std::size_t begin, std::size_t end) {
                   float errors[kSegmentLengths * kMostSegmentLanes];
                   for (std::size_t block = begin; block < end; ++block) {
                     const SegmentKernelArgs args =
                         padded.args(block * kernels.lanes, track.count, limit, errors);
                     const auto tried = static_cast<std::size_t>(measure(args));
                     Block& made_block = track.blocks[block];
                     made_block.errors.assign(errors, errors + tried * kernels.lanes);
                     made_block.least.resize(tried);
                     float least = std::numeric_limits<float>::infinity();
                     for (std::size_t length = tried; length-- > 0; made_block.least[length] = least) {
                       for (std::size_t lane = 0; lane < kernels.lanes; ++lane) {
                         least = std::min(least, errors[length * kernels.lanes + lane]);
                       }
                     }
                   }
                 });
  }
  out = std::move(made);
  return {};
}

void KeySegments::keep_track(const Track& track, double bound, std::uint8_t* kept) const {
  // The path to each key: the sum of 1 for each segment and, for its error, less than 1 / K, so that all errors
  // together cost less than a segment.
  std::vector<double> costs(track.count, std::numeric_limits<double>::infinity());
  std::vector<std::uint8_t> lengths(track.count, 0);  // of the last segment of the path
  static_assert(kLongestSegment <= std::numeric_limits<std::uint8_t>::max());
  const double scale =
      0.5 / (static_cast<double>(track.count) * std::max(bound, std::numeric_limits<double>::min()));
  costs[0] = 0.0;
  for (std::size_t first = 0; first + 1 < track.count; ++first) {
    const double cost = costs[first] + 1.0;
    // Of equal costs the shorter segment: first keys come in their order.
    const auto offer = [&](std::size_t length, double error) {
      const double offered = cost + error * scale;
      if (offered <= costs[first + length]) {
        costs[first + length] = offered;
        lengths[first + length] = static_cast<std::uint8_t>(length);
      }
    };
    offer(1, 0.0);
    const Block& block = track.blocks[first / lanes_];
    const float* errors = block.errors.data() + first % lanes_;
    int length = 2;
    for (std::size_t i = 0; i < block.least.size(); ++i, errors += lanes_, length = next_length(length)) {
      if (static_cast<double>(block.least[i]) > bound) break;  // no longer one is within it
      // Segments beyond the last key are infinite; no bound is, so that they are refused.
      const auto error = static_cast<double>(*errors);
      if (error <= bound) offer(static_cast<std::size_t>(length), error);
    }
  }
  std::fill(kept, kept + track.count, std::uint8_t{0});
  std::size_t key = track.count - 1;
  for (; key > 0; key -= lengths[key]) kept[key] = 1;
  kept[0] = 1;
}

Error KeySegments::keep(std::span<const double> bounds, std::span<std::uint8_t> kept) const {
  if (bounds.size() != tracks_.size()) return Error("bounds must hold one number for each track");
  if (kept.size() != key_count_) return Error("kept must hold one number for each key");
  for (const double bound : bounds) {
    if (!std::isfinite(bound) || bound < 0.0) {
      return Error("bounds must be finite and at least 0, got " + std::to_string(bound));
    }
  }
  const double keys =
      static_cast<double>(key_count_) / static_cast<double>(std::max<std::size_t>(tracks_.size(), 1));
  parallel_for(tracks_.size(), 1, kNanosecondsPerChoice * keys, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      keep_track(tracks_[i], bounds[i], kept.data() + tracks_[i].begin);
    }
  });
  return {};
}

}  // namespace lissom
