// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/ik/foot_plan.h"
#include "core/ik/ik_tree.h"

namespace lissom {

// Places the feet of characters on height fields, y up, each from a state of its own: the steps of python/lissom/ik/_feet,
// in double precision, for as many characters at once as a vector has lanes. N characters, J joints, L legs. T is the
// type of the poses. Characters are independent: a result is the same to the bit in any batch, with any number of threads
// and instruction set.
template <class T>
struct FootPlacementJob {
  Error validate() const;  // first broken rule below, or empty
  // Validates, then places the feet. `done` becomes false, and outputs hold nothing of use, where a foot is scaled to zero
  // or sheared, a number is not finite, or a leg is refused by the solver: the same steps in Python say what is wrong.
  Error run(bool* done) const;

  const FootPlan* plan = nullptr;
  const IkTree* legs = nullptr;  // a limb of two bones for each leg, in their order
  FootField ground, body_ground;
  // Inputs.
  std::span<const T> poses;          // (N * J * 10) local trs
  std::span<const double> dt;        // (N) seconds, at least 0
  std::span<const double> contacts;  // (N * L) in [0, 1]; or none: feet that are low stand
  std::span<const double> world;     // (N * 10) rigid world_from_model; or none
  std::span<const double> before;    // (N * state_size) rows of states (player_states.py)
  // Outputs, apart from all inputs.
  std::span<double> after;                    // (N * state_size)
  std::span<T> out;                           // (N * J * 10)
  std::span<double> used_contacts, targets;   // (N * L), (N * L * 3)
  std::span<double> ground_heights, normals;  // (N * L), (N * L * 3)
  std::span<double> offsets, body_offset;     // (N * L), (N)
  std::span<double> weights, residuals;       // (N * L)
  std::span<std::uint8_t> airborne, too_far;  // (N * L)
};

// Numbers of eight bytes in the row of a state.
std::size_t foot_state_size(const FootPlan& plan);

}  // namespace lissom
