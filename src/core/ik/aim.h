// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/ik/ik_job.h"

namespace lissom {

// Turns the joints of one chain, the effector included, so that the ray from `offset` along `axis`, both fixed in the
// effector's frame, meets the target. Each joint in turn, root to effector, takes its share of what is left by the
// exact turn about its own position; what limits withhold the others make up for, effector to root, in at most
// `max_iterations` rounds. `residuals` are the distances of targets from the ray, and `tolerance` is a share of the
// distance from effector to target.
template <class T>
struct AimJob : IkJob<T> {
  Error validate() const;  // first broken rule of these and IkJob's, or empty
  Error run() const;

  std::array<double, 3> axis = {0, 0, 1}, offset = {0, 0, 0},
                        up = {0, 0, 0};  // axis and up unit, no up: zero
  std::span<const T> poles;              // (N * 3) or (3) model space, where up shall point; none without up
  std::vector<double> shares;  // of each node, root to effector, at least 0, some above; none: all alike
  double behind = 0.35;        // radians, in [0, pi]: so near to half a circle the turn begins to give way
};

}  // namespace lissom
