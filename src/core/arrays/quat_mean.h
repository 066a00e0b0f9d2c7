// SPDX-License-Identifier: MIT
#pragma once

#include "core/arrays/array_function.h"

namespace lissom {

// "quat_mean", signature "(n,4),(n)->(4)": unit quaternions and their weights to the rotation that is nearest to them
// all, which minimises the weighted sum of squared distances between rotation matrices. Computed in double. w >= 0. No
// answer where a weight is negative or none is positive; the mean of NaN or zero is NaN. Source: Markley, Cheng,
// Crassidis, Oshman, Averaging Quaternions, Journal of Guidance, Control, and Dynamics 30(4), 2007: the eigenvector of
// the largest eigenvalue of sum(w q q^T).
extern const ArrayFunctions quat_mean_functions;

}  // namespace lissom
