// SPDX-License-Identifier: MIT
#pragma once

#include "core/ik/ik_job.h"

namespace lissom {

// Cyclic coordinate descent (Wang and Chen 1991): sweeps in which each joint in turn brings the effectors below it as near
// to their targets as its limit lets it; of several the sum of squared distances counts. The first sweep goes from the
// effectors to the root, which bends straight limbs, the others from the root to the effectors: of random chains of 10
// joints, targets at 30 to 90 % of their reach, 97 % arrive within 15 sweeps, and 59 % where all go to the root.
//
// A single chain without limits that gains little from two sweeps is laid along an arc to its target, once; one whose
// target is out of reach is stretched towards it.
template <class T>
struct CcdJob : IkJob<T> {
  Error run() const;
};

}  // namespace lissom
