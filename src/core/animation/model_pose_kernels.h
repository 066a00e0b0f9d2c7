// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lissom {

// The inner loop of model poses in float32.
struct ModelPoseKernels {
  // Poses (pose_count, joint_count, 10) to matrices (pose_count, joint_count, 4, 4);
  // parents[i] < i, -1 at a root. `scratch` holds scratch_per_joint floats for each
  // joint, aligned to 64 bytes; fewer than `width` poses need none. `past_caches`: non-temporal stores, for
  // outputs larger than the caches.
  void (*compose)(const std::int32_t* parents, std::size_t joint_count, const float* poses,
                  std::size_t pose_count, float* matrices, float* scratch, bool past_caches);
  std::size_t scratch_per_joint;
  std::size_t width;  // poses computed side by side: calls of a multiple of it are the fastest
};

}  // namespace lissom
