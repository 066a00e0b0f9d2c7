// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/error.h"

namespace lissom {

// A difference between poses on top of a pose, in each joint's own space:
//
//   translation  t + w d
//   rotation     q * delta^w   the power goes the short way, at constant speed
//   scale        s + w d       a difference, so that a zero scale in either pose is a number like others
//
// where w is the weight of the pose times that of the mask. A difference is made as b - r, conj(r) * b, b - r, so
// base r and weight 1 give b. The delta stands on the right: it turns about the joint's own axes, as they are when
// the base has turned them (conj(r) b = conj(g r) (g b), so it stays what it is where both poses are turned alike
// by their parent's side; a finger curls about its own hinge whatever the hand does). On the left it would turn
// about the axes of the parent.
//
// Any finite weight will do: powers of one rotation add up, so -1 undoes 1 and two halves make a whole. At 0
// the base comes through to the bit, whatever the difference holds. Rotations are taken as unit and come out
// unit.
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
