// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/error.h"
#include "core/retarget/retarget_plan.h"

namespace lissom {

// Carries N poses of the source of a plan over to its target: rotations of joints, the translation of the hips, and
// goals for the ends of limbs, which TwoBoneJob then solves. Joints without a partner keep their rest.
//
// The ankle of a leg goes where the source's is, scaled, moved sideways by the width of the hips, and corrected so that
// the points of the sole which carry the source's foot do what the source's do: with d_k the rotation from the
// reference pose, h the rotation of the foot about the vertical and e_k the offset of point k from the ankle that the
// target's foot has more than the source's, by the sum over k of w_k (h e_k - d_k e_k). So a foot that rolls over its
// ball does not slide though it is longer, and flat feet stand where the source's do. Where a goal lies beyond the
// reach of a leg, the pelvis is lowered.
template <class T>
struct RetargetJob {
  Error validate() const;  // sizes
  Error run()
      const;  // validates, then fills the outputs; on a pose that is not finite or not unit they are partly written

  const RetargetPlan* plan = nullptr;
  bool has_goals = false;    // whether the pelvis adapts to goals, and goals are asked for
  std::span<const T> poses;  // (N * source joints * 10) local trs
  std::span<const T>
      offsets;  // (N * limbs * 3) instead of `sideways`, in the model space of the target; or none
  // Outputs, apart from all inputs.
  std::span<T> out;  // (N * J * 10) local trs
  // Without goals there are none of these.
  std::span<T> goals;         // (N * limbs * 3) model space
  std::span<T> orientations;  // (N * limbs * 4) of the ends
  std::span<T> beyond;        // (N * limbs) how far the goal was out of reach, after the pelvis was lowered
  std::span<T> headings;      // (N * 4) rotation of the hips about the vertical
};

}  // namespace lissom
