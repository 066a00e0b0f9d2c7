// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/error.h"

namespace lissom {

// Adds a difference of poses to a pose, in each joint's own space:
//
//   translation  t + w d
//   rotation     q * delta^w   the power on the shorter arc, at constant speed
//   scale        s + w d       a difference, so that zero scales need no special case
//
// where w is the weight of the pose times that of the mask. A difference is made as b - r, conj(r) * b, b - r, so that
// base r and weight 1 yield b. The delta is the right factor: it rotates about the joint's own axes after the base
// rotation (conj(r) b = conj(g r) (g b), so it does not depend on a rotation common to both poses from the left: a
// finger curls about its own hinge whatever the hand does). As the left factor it would rotate about the axes of the
// parent.
//
// Any finite weight is valid: powers of one rotation add up, so -1 cancels 1 and two halves make a whole. At 0 the
// result is the base to the bit, even where the difference is NaN. Rotations must be unit; the results are.
template <class T>
struct AddLayerJob {
  Error validate() const;  // sizes, and that weights and masks are finite
  Error run() const;       // validates, then fills `out`; writes nothing on error

  std::size_t joint_count = 0;  // J
  // Inputs for N results; a single pose, weight or mask serves all of them.
  std::span<const T> base, additive;  // (N * J * 10) or (J * 10): local trs, and differences
  std::span<const T> weights;         // (N) or (1)
  std::span<const T> mask;            // (N * J), (J), or none: 1 everywhere
  // Output, apart from all inputs.
  std::span<T> out;  // (N * J * 10) local trs
};

}  // namespace lissom
