// SPDX-License-Identifier: MIT
#pragma once

#include "core/ik/ik_job.h"

namespace lissom {

// Cyclic coordinate descent (Wang and Chen 1991): sweeps in which each joint in turn brings the effectors below it as
// near to their targets as its limit allows, by the sum of squared distances. The first sweep goes from the effectors
// to the root, which bends straight limbs, the others from the root to the effectors: of random chains of 10 joints,
// targets at
// 30 to 90 % of their reach, 97 % converge within 15 sweeps, and 59 % where all sweeps go to the root.
//
// A single chain that two sweeps in a row bring little nearer restarts: laid along an arc to its target, once, and
// then, where it has limits, from samples within them; the best pose of all is the result. Later frames of a sequence
// do not restart, as poses would jump. A single chain without limits is stretched towards a target that is out of
// reach.
template <class T>
struct CcdJob : IkJob<T> {
  Error run() const;
};

}  // namespace lissom
