// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/animation/tracks.h"
#include "core/error.h"

namespace lissom {

// How a clip continues outside [start, end]: not at all (tracks hold their nearest key), from its start again, or
// backwards and then forwards again.
enum class Loop : std::int32_t { kNo = 0, kYes = 1, kPingPong = 2 };

// Samples a clip: the local pose at each time. Steps take the key at exactly its time; linear tracks lerp,
// their rotations slerp on the shorter arc; cubic splines are Hermite, their tangents scaled by the key interval,
// rotations normalised afterwards (glTF 2.0, appendix C). Outside its keys a track holds the nearest one.
// Joints without tracks stay at rest. Resulting rotations are unit.
template <class T>
struct SamplingJob {
  Error validate() const;  // sizes, and that every time is finite
  Error run() const;       // validates, then fills `out`; writes nothing on error

  const TrackSet<T>* tracks = nullptr;
  std::span<const double> times;  // (N) seconds
  Loop loop = Loop::kNo;          // applied to the clip as a whole, before any track
  std::span<T> out;               // (N * J * 10) local trs
};

// The checks of every sampling: that `out_size` numbers hold a pose per time, and that times are finite.
Error check_sampling(std::span<const double> times, std::size_t out_size, std::size_t joint_count);

// The second of them alone.
Error check_times(std::span<const double> times);

// `time` mapped by `loop`.
double time_in_clip(double time, const TimeSpan& span, Loop loop);

// `time` moved by whole durations into [start, end). Times already there are returned unchanged to the last
// bit. Of a span without duration, its start.
double wrapped_time(double time, const TimeSpan& span);

// `time` reflected at both ends, again and again, into [start, end]. Times already there are returned unchanged
// to the last bit. Of a span without duration, its start.
double reflected_time(double time, const TimeSpan& span);

}  // namespace lissom
