// SPDX-License-Identifier: MIT
#pragma once

#include "core/ik/ik_job.h"

namespace lissom {

// Cyclic coordinate descent (Wang and Chen 1991): sweeps from the effectors to the root, where each joint in turn brings
// the effectors below it as near to their targets as its limit lets it; of several the sum of squared distances counts.
template <class T>
struct CcdJob : IkJob<T> {
  Error run() const;
};

}  // namespace lissom
