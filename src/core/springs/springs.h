// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/error.h"
#include "core/springs/spring_plan.h"

namespace lissom {

inline constexpr double kSpringStep = 1.0 / 60;  // seconds of a step: drag is a share a step, not a second

// Steps the springs of N characters through F frames, a step from each frame to the next. With x the tail of a joint,
// x' that a step before, h the step, p the joint's position, l the distance of its tail, u the unit vector from it to
// its tail at rest, all but x and x' in the present frame:
//   y = x + (1 - drag) (x - x') + h stiffness u + h gravity,   then y = p + l (y - p) / |y - p|,
// and each collider in turn that y is within pushes y out, which is then brought back to the distance l. The joint
// turns by the shortest rotation that takes its tail from rest to y.
// Source: VRMC_springBone 1.0 and VRMC_springBone_extended_collider 1.0, "SpringBone Algorithm". Where they differ by
// scale, the tail is where the joint's own scale puts it.
template <class T>
struct SpringJob {
  Error validate() const;  // sizes
  Error run() const;       // validates, then fills the outputs; on a pose that is not finite or unit partly

  const SpringPlan* plan = nullptr;
  std::size_t characters = 0;  // N
  std::span<const T> poses;    // (F * N * J * 10) local trs
  // Of characters that move through the world. Model space of each frame from that of the frame before it, and
  // world_from_model, which turns gravity; or empty.
  std::span<const T> moves;  // (F * N * 7) translation and rotation
  std::span<const T> turns;  // (F * N * 4) rotations
  // The tails after the frame before these, or empty: then all rest in the first frame, which is no step.
  std::span<const T> start;  // (N * K * 6) x and x', model space or that of the center
  // Outputs, apart from all inputs. K springs, in the order of the plan.
  std::span<T> tails;      // (N * K * 6) as start, after the last frame
  std::span<T> rotations;  // (F * N * K * 4) of the joints in their parents' frames
};

}  // namespace lissom
