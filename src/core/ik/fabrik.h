// SPDX-License-Identifier: MIT
#pragma once

#include "core/ik/ik_job.h"

namespace lissom {

// Forward and backward reaching (Aristidou and Lasenby 2011; with limits and several effectors after Aristidou,
// Chrysanthou and Lasenby 2016): from the effectors each joint is moved to its bone's length from the one below it,
// from the root each bone is rotated towards the new position of its end.
//
// One chain without limits is solved on positions alone; its rotations follow by the shortest rotations from those at
// the start. Elsewhere joints rotate within their limits, and positions are those of forward kinematics throughout.
template <class T>
struct FabrikJob : IkJob<T> {
  Error run() const;
};

}  // namespace lissom
