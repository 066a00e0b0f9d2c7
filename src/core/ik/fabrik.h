// SPDX-License-Identifier: MIT
#pragma once

#include "core/ik/ik_job.h"

namespace lissom {

// Forward and backward reaching (Aristidou and Lasenby 2011; with limits and several effectors after Aristidou,
// Chrysanthou and Lasenby 2016): from the effectors each joint is drawn along its bone to the one below it, from the
// root each bone turns to where that has put its end.
//
// One chain without limits is solved on positions alone, and its rotations follow by the least turns from those that it
// started from. Elsewhere joints turn as their limits let them, and positions are those of forward kinematics throughout.
template <class T>
struct FabrikJob : IkJob<T> {
  Error run() const;
};

}  // namespace lissom
