// SPDX-License-Identifier: MIT
#pragma once

#include <array>
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
};

}  // namespace lissom
