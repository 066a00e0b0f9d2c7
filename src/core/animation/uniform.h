// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/animation/sampling.h"
#include "core/animation/tracks.h"
#include "core/animation/uniform_kernels.h"
#include "core/cache_line.h"
#include "core/error.h"

namespace lissom {

// Checks, after check_tracks, that tracks, those of weights too, are frames of one regular grid: all LINEAR, all of one key count, all
// with the same times, which are on the grid between the first and the last within the precision of float32.
template <class T>
Error check_uniform(std::span<const Track> tracks, std::span<const T> keys, TimeSpan span);

// The frames of a uniform clip as complete poses (weights are checked and left out), one after another: a time needs no search, and two neighbours are
// interpolated component by component. Constants and the rest pose are stored in every frame. Rotations are unit, the
// sign of each coherent with the frame before; first and last frame are not neighbours. Where hardly anything but rotations
// moves, frames of float32 hold no more than these. Owns its frames: the keys are not needed afterwards.
template <class T>
class UniformFrames {
 public:
  // Checks everything check_tracks and check_uniform do, and keys like TrackSet::make. `rest` is (joint_count,
  // 10). On error `out` is unchanged.
  static Error make(std::span<const Track> tracks, std::span<const T> keys, std::span<const T> rest,
                    UniformFrames& out, std::size_t morph_count = 0);

  std::size_t joint_count() const { return shape_.joint_count; }
  std::size_t frame_count() const { return frame_count_; }
  TimeSpan span() const { return span_; }
  const FrameShape& shape() const { return shape_; }
  // Of frames of float32 that hold rotations and little else; `still` is null elsewhere.
  PackedShape packed() const;

  // Of a time in seconds, clamped to the span.
  FramePoint<T> point_at(double time) const;

 private:
  using Line = CacheLine<T>;
  T* frame(std::size_t index);
  void write_track(const Track& track, const T* values);
  void write_distances();
  void pack();

  FrameShape shape_{};
  std::size_t frame_count_ = 0;  // without the copy of the last one, which follows it as its neighbour
  TimeSpan span_;
  double rate_ = 0.0;  // frames per second
  std::vector<Line> frames_;
  PackedShape packed_{};
  std::vector<Line> still_;
  std::vector<std::uint8_t> moves_;
  std::vector<std::uint32_t> other_places_;
};

// Samples a uniform clip: the local pose at each time. Everything lerps; rotations are normalised then (nlerp).
// Before the first frame and after the last it is constant.
template <class T>
struct UniformSamplingJob {
  Error validate() const;  // sizes, and that every time is finite
  Error run() const;       // validates, then fills `out`; writes nothing on error

  const UniformFrames<T>* tracks = nullptr;
  std::span<const double> times;  // (N) seconds
  Loop loop = Loop::kNo;
  std::span<T> out;  // (N * J * 10) local trs
};

}  // namespace lissom
