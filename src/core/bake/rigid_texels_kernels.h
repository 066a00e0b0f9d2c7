// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/animation/sampling_kernels.h"
#include "core/bake/half.h"
#include "core/skinning/bound_rows.h"

namespace lissom {

// Translation, rotation or scale of a joint through a block of times.
struct PropertySource {
  enum Kind : std::uint8_t { kStill, kLinear, kGiven };
  Kind kind = kStill;
  std::int32_t key_count = 0;      // kLinear
  const float* numbers = nullptr;  // kStill: the property; kLinear: its keys; kGiven: (3 or 4, kTimeBlock)
  const MomentBlock<float>* moments = nullptr;  // kLinear: of the block, in ascending order
};

struct JointSource {
  std::int32_t parent;           // among these joints, before this one; -1 at a root
  PropertySource properties[3];  // translation, rotation, scale
};

// The rotations of a row at the ends of the frames written so far, without signs.
struct RowEnds {
  float first[4];
  float last[4][4];  // by component; the last number of each counts
  bool is_flipped;   // the last one is written with the other sign
};

// A block of frames of a rigid clip.
struct RigidBlock {
  const JointSource* joints;
  std::size_t joint_count;
  const BoundRow* rows;  // those of one joint after one another
  std::size_t row_count;
  RowEnds* ends;  // of the same rows; read and written
  std::size_t frame_floats;
  std::size_t count;   // frames, at most kTimeBlock; fewer in the last block alone
  bool is_first;       // no frame was written before
  float least_cosine;  // of neighbouring frames
  float largest;       // number that a texel may hold
};

struct RigidTexelsKernels {
  // Writes dual quaternions (count, R, 8) with signs that are coherent in time. False where something is not surely rigid,
  // turns too far from one frame to the next, or is too large: then what was written means nothing. `scratch` holds
  // scratch_per_joint floats for each joint, aligned to 64 bytes.
  bool (*write_halves)(const RigidBlock&, float* scratch, Half* out);
  bool (*write_floats)(const RigidBlock&, float* scratch, float* out);
  std::size_t scratch_per_joint;
};

}  // namespace lissom
