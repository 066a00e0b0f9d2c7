// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/skinning/bound_rows.h"

namespace lissom {

// A skeleton and a skin for poses side by side.
struct PosePaletteRig {
  const std::int32_t* parents;  // (J) of each joint, before it; -1 at a root
  std::size_t joint_count;      // J
  const BoundRow*
      rows;  // (S) those of one joint after one another; their places are S numbers of a pose apart
  std::size_t row_count;  // S
};

// Palettes of poses (N, J, 10), N a multiple of `width`, whose model matrices stay in registers and in the first caches.
// `scratch` holds scratch_per_joint floats for each joint, aligned to 64 bytes.
struct PosePaletteKernels {
  // Writes model_from_bind (N, S, 4, 4). False where a number is not finite.
  bool (*matrices)(const PosePaletteRig&, const float* poses, std::size_t pose_count, float* scratch,
                   float* out);
  // Writes unit dual quaternions (N, S, 8), w >= 0. False where a row is not surely rigid: then what was written means
  // nothing.
  bool (*dual_quats)(const PosePaletteRig&, const float* poses, std::size_t pose_count, float* scratch,
                     float* out);
  std::size_t scratch_per_joint;
  std::size_t width;
};

}  // namespace lissom
