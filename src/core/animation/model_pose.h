// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "core/error.h"

namespace lissom {

// From local transforms to model space: model_from_joint = model_from_parent * parent_from_joint for each
// joint. Composed as matrices, so non-uniform scale shears the joints below it, as in glTF. NaN
// propagates. Rotations must be unit.
template <class T>
struct ModelPoseJob {
  Error validate() const;  // sizes, and -1 <= parents[i] < i
  Error run() const;       // validates, then fills `out`; writes nothing on error

  std::span<const std::int32_t> parents;  // (J) -1 at a root
  std::span<const T> poses;               // (N * J * 10) local trs
  std::span<T> out;                       // (N * J * 16) model_from_joint, row-major 4x4
  bool are_parents_checked = false;       // by check_parents, before
};

// Checks that every parent comes before its child, or is -1: once for a skeleton.
Error check_parents(std::span<const std::int32_t> parents);

}  // namespace lissom
