// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/ik/ik_plan.h"

namespace lissom {

// A limit as users state it, in the joint's own frame: see IkLimit for what it bounds.
struct JointLimit {
  std::int32_t joint = 0;
  LimitKind kind = LimitKind::kNone;
  double axes[4] = {0, 0, 0, 1};   // joint_from_limit, unit: z the axis, x and y those of the half angles
  double half_angles[2] = {4, 4};  // radians; cones only
  double low = -4, high = 4;       // radians about z; unbounded where they are 2 pi apart
};

struct BendAxis {
  std::int32_t joint = 0;
  double axis[3] = {1, 0, 0};  // unit, joint's frame
};

// One or several chains of a skeleton, prepared: which joints rotate, which are between them, above them and below.
class IkTree {
 public:
  // `chains`: joints from root to effector each, as Skeleton.chain returns them. `fixed`: joints that keep their local
  // rotation. `parents`, `rest` (J * 10): of the skeleton. Limits and bend axes of other joints are ignored.
  static Error make(std::span<const std::int32_t> parents, std::span<const float> rest,
                    std::vector<std::string> names, std::span<const std::vector<std::int32_t>> chains,
                    std::span<const std::int32_t> fixed, std::span<const JointLimit> limits,
                    std::span<const BendAxis> bend_axes, IkTree& tree);

  // Points into this tree: it must outlive the plan.
  IkPlan plan() const;

  std::size_t joint_count() const { return joint_count_; }
  std::size_t chain_count() const { return effectors_.size(); }
  const std::string& name(std::int32_t joint) const { return names_[static_cast<std::size_t>(joint)]; }

 private:
  std::size_t joint_count_ = 0;
  std::vector<std::string> names_;
  std::vector<IkNode> nodes_;
  std::vector<std::int32_t> between_, ancestors_, effectors_, tops_, below_;
};

}  // namespace lissom
