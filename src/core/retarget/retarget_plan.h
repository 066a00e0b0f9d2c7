// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"

namespace lissom {

// How poses of a source skeleton become poses of a target skeleton. Spaces: `_source`, the model space of the source
// turned and scaled into the axes and lengths of the target; `_model`, that of the target. Rotations are of joints to
// either, mirrors of scales moved to their right. Quaternions x, y, z, w, unit.

// A joint of the target that rotates as one of the source, or between two:
//   model_from_joint = slerp(source_from_first first_factor, source_from_second second_factor, weight)
struct RetargetTurn {
  double first_factor[4], second_factor[4];
  double weight;  // in [0, 1]; 0 where it follows the first alone
  std::int32_t joint, first, second;
  std::int32_t reserved;
};

// A twist joint: a share of a rotation about a bone. With d the rotation that is shared, twist(d) its part about `axis`
// and base the joint whose bone twists: model_from_joint = model_from_base twist(d)^power base_from_joint.
//   Along the bone, towards `other` below it:  d = base_from_other conj(rest), axis in the frame of base
//   Along the bone from `other` above it:      d = conj(rest) other_from_base, the same; power is negative
// where `rest` is the rest of base_from_other, or of other_from_base.
struct RetargetTwist {
  double axis[3];
  double power;
  double rest[4];
  double base_from_joint[4];
  std::int32_t joint, base, other;
  std::int32_t is_from_above;
};

// A joint whose position is that of a point of another joint: of rigs that are exported with their controls, joints
// that do not descend from the one that carries them in a body, such as a foot beside its leg.
struct RetargetPlace {
  double offset[3];  // from `from`, in its rotation and in lengths of the model
  std::int32_t joint, from;
  std::int32_t limb;  // the goal of which it stands on instead, or -1
  std::int32_t reserved;
};

// A point of a sole: its offset from the ankle in the reference pose, the target's less the source's, and that of the
// source alone, in parts that move with the foot and with the toes.
struct RetargetSolePoint {
  double surplus_foot[3], surplus_toes[3];
  double source_foot[3], source_toes[3];
};
constexpr int kRetargetSolePoints = 3;

// A leg or an arm with a goal for its end.
struct RetargetLimb {
  double origin[3];    // legs: added to the position of the source's end
  double sideways[3];  // legs: added in the heading of the hips
  double scale;        // arms: of the vector from the upper joint to the end, in lengths of the target
  double reach;        // farthest distance from the upper joint to the goal, of the length of its two bones
  double end_factor[4], toes_factor[4];  // rotation from the reference pose = source_from_joint factor
  double
      contact;  // legs: height over the lowest point of the sole in which a point's weight falls to a quarter
  double lifted;  // legs: height over the ground of the source in which the correction falls to a quarter
  RetargetSolePoint points[kRetargetSolePoints];
  std::int32_t source_upper, source_end, source_toes;
  std::int32_t upper, lower, end;  // of the target
  std::int32_t is_leg, reserved;
};

struct RetargetBody {
  double source_from_model[4];  // rotation from the source's own model space
  double scale;                 // lengths of the target for one of the source
  double up[3];                 // unit, in the axes of the target
  double origin[3];             // hips of the target = those of the source + origin
  double heading_factor[4];     // rotation of the hips from the reference pose = source_from_hips factor
  double most_drop;             // the pelvis is lowered by at most this
  double floor,
      source_floor;  // heights of the ground of the target, and of the source after its turn and scale
  std::int32_t source_hips, hips;
};

class RetargetPlan {
 public:
  // `order`: all joints of the target, each after its parent and after the joints that it is placed by.
  static Error make(std::span<const std::int32_t> source_parents, std::span<const std::int32_t> parents,
                    std::span<const double> rest, std::span<const std::int32_t> order,
                    const RetargetBody& body, std::span<const RetargetTurn> turns,
                    std::span<const RetargetTwist> twists, std::span<const RetargetPlace> places,
                    std::span<const RetargetLimb> limbs, RetargetPlan& plan);

  struct SourceJoint {
    std::int32_t joint, parent;  // of the source; index into `source`, -1 at a root
    bool has_position;
  };
  struct Joint {
    std::int32_t joint, parent;
    std::int32_t place;  // into `places`, or -1
    bool turns;          // else it keeps its rest
    bool has_position, is_above_legs;
    double mirror[3];  // signs of the scales above it
  };

  std::vector<SourceJoint> source;  // those that matter, parents first
  std::vector<Joint> joints;        // of the target, in order
  std::vector<double> rest;         // (J * 10)
  RetargetBody body{};
  std::vector<RetargetTurn> turns;  // `first` and `second` are indices into `source`, as below
  std::vector<RetargetTwist> twists;
  std::vector<RetargetPlace> places;
  std::vector<RetargetLimb> limbs;
  std::size_t source_joint_count = 0;

  std::size_t joint_count() const { return rest.size() / 10; }
};

}  // namespace lissom
