// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/animation/tracks.h"
#include "core/error.h"

namespace lissom {

// Samples a clip: the local pose at each time. Steps take the key at exactly its time; linear tracks lerp,
// their rotations slerp the short way; cubic splines are Hermite, their tangents scaled by the key interval,
// rotations normalised afterwards (glTF 2.0, appendix C). Outside its keys a track holds the nearest one.
// What no track moves stays at rest. Rotations come out unit.
template <class T>
struct SamplingJob {
  Error validate() const;  // sizes, and that every time is finite
  Error run() const;       // validates, then fills `out`; writes nothing on error

  const TrackSet<T>* tracks = nullptr;
  std::span<const double> times;  // (N) seconds
  bool loop = false;              // wrap times into [start, end) of the clip; else tracks clamp them
  std::span<T> out;               // (N * J * 10) local trs
};

// `time` moved by whole durations into [start, end). Times already there are returned unchanged to the last
// bit. A span without duration gives its start.
double wrapped_time(double time, const TimeSpan& span);

}  // namespace lissom
