// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/animation/tracks.h"
#include "core/bake/half.h"
#include "core/error.h"
#include "core/skinning/skin_bind.h"

namespace lissom {

// The texels of a clip whose palette is rigid, from its keys in one pass: a few frames of a joint are sampled, composed,
// split, signed and stored before the next joint, and neither poses nor matrices nor rows are in memory. In deterministic
// mode the same bits as by SamplingJob, ModelPoseJob, PaletteDualQuatsJob and WriteTexelsJob in turn; otherwise they differ
// by rounding. Texel is float or Half.
template <class Texel>
struct RigidTexelsJob {
  Error validate() const;  // sizes, and that every time is finite
  // `is_done` is false where a row is not surely rigid, turns by more than `least_cosine` from one frame to the next, or does
  // not fit Texel, or where times do not ascend: then `out` holds nothing of use, and the jobs in turn say what there is.
  Error run();

  const TrackSet<float>* tracks = nullptr;
  std::span<const std::int32_t> parents;  // (J) checked by check_parents
  const SkinBind* skin = nullptr;         // of R rows
  std::span<const double> times;          // (F) seconds
  float least_cosine = 0;                 // of the rotations of neighbouring frames
  std::span<Texel> out;                   // (F * R * 8)
  bool is_done = false;
};

extern template struct RigidTexelsJob<float>;
extern template struct RigidTexelsJob<Half>;

}  // namespace lissom
