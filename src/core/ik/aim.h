// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ik/ik_job.h"

namespace lissom {

// Rotates the joints of one chain, the effector included, so that the ray from `offset` along `axis`, both fixed in the
// effector's frame, meets the target. From root to effector each joint takes its share of what is left by the exact
// rotation about its own position; for what limits withhold the others compensate, from effector to root, in at most
// `max_iterations` rounds. `residuals` are the distances of targets from the ray, and `tolerance` is a share of the
// distance from effector to target.
template <class T>
struct AimJob : IkJob<T> {
  Error validate() const;  // first broken rule of these and IkJob's, or empty
  Error run() const;

  std::array<double, 3> axis = {0, 0, 1}, offset = {0, 0, 0},
                        up = {0, 0, 0};  // axis and up unit, no up: zero
  std::span<const T> poles;    // (N * 3) or (3) model space, direction for up to point to; none without up
  std::vector<double> shares;  // of each node, root to effector, at least 0, some above; empty: equal shares
  double behind = 0.35;        // radians, in [0, pi]: so near to half a turn the rotation is attenuated
  // Output.
  std::span<std::uint8_t> stops;  // (N) an AimStop each
};

// Why an item of AimJob ended as it did: the first of these that holds. Reached: up to kNoUp; the others are not.
enum class AimStop : std::uint8_t {
  kNoUp,    // the gaze meets the target, and up or the pole is too near to the line of sight for up to follow
  kBefore,  // the input pose looks at the target already
  kReached,    // the gaze meets the target
  kNear,       // the target is nearer to the effector than its line of sight: no rotation reaches it
  kBehind,     // the target is so far behind that the gaze returns to where the input pose looks
  kLimit,      // a joint is at a limit
  kWeight,     // the weight keeps the pose from the solution
  kIterations  // max_iterations, or rounds that no longer come nearer
};

}  // namespace lissom
