// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/ik/ik_job.h"

namespace lissom {

// The analytic solver of limbs: chains of two joints that rotate, by the law of cosines in half angles. The middle
// joint bends to the distance of the target, within its limit, about the axis of its hinge or in the plane that the
// input pose is bent in, always to the side that the rest pose bends to; the root then points the limb at its target,
// by the shortest rotation, or with the middle joint towards a pole. Where a limit keeps the limb from its target, the
// two joints rotate in alternation, as in cyclic coordinate descent, for at most `max_iterations` rounds.
template <class T>
struct TwoBoneJob : IkJob<T> {
  Error validate() const;  // first broken rule of these and IkJob's, or empty
  Error run() const;

  std::span<const T>
      poles;  // (N * E * 3) model space, points that middle joints bend towards; a row of NaN asks for none; or none
  std::span<const T> twists;  // (N * E) radians, about the line from root to target; or none
  double soften = 1;          // in [0, 1]: from this share of the reach on a limb extends ever more slowly
};

}  // namespace lissom
