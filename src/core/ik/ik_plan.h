// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

// Input of the solver kernels in plain pointers and numbers. IkTree makes the plan, an IkJob the batch.

namespace lissom {

enum class LimitKind : std::int32_t { kNone, kHinge, kCone };

// Bounds of d = conj(rest) q, the rotation of a joint from its rest pose, q the local rotation. Quaternions x, y, z, w;
// radians. In the axes of the limit, e = conj(axes) d axes = conj(parent_from_limit) q joint_from_limit, z is the axis
// of the hinge, or of the cone and its twist; e = swing twist.
struct IkLimit {
  LimitKind kind = LimitKind::kNone;
  double parent_from_limit[4] = {0, 0, 0, 1}, joint_from_limit[4] = {0, 0, 0, 1};  // rest axes, axes
  // The angle about z, of the hinge or of the twist: within `half_range` of `middle`; unbounded from pi on.
  double middle = 0, half_range = 4;
  // The rotation vector of the swing, (x, y, 0): within the ellipse of these half axes. Equal ones: a round cone, and
  // from pi on it bounds nothing.
  double half_angles[2] = {4, 4};
  // Sine and cosine of half of `middle`, of `half_range` and of the first half angle.
  struct HalfAngle {
    double sin, cos;
  } half_middle = {0, 1}, half_of_range = {0, 1}, half_of_cone = {0, 1};
};

// A joint that solvers rotate, or that a chain ends in. Parents come before their children; between a node and its
// parent node there may be joints that keep their local rotation.
struct IkNode {
  std::int32_t joint;   // of the skeleton
  std::int32_t parent;  // node, or -1: attached to the base
  std::int32_t
      between_begin;  // into IkPlan::between: joints from the parent node (or the base) down to this one, both
  std::int32_t between_end;  // excluded
  std::int32_t below_begin;  // into IkPlan::below: effectors at this node or below it
  std::int32_t below_end;
  std::int32_t rotates;    // whether solvers rotate it to move effectors: not where it only ends a chain
  std::int32_t is_inside;  // whether another node is below it
  IkLimit limit;
  double bend_axis_joint[3];   // unit: about which the limb bends here, positive where it bends further
  double bend_axis_parent[3];  // the same by the rest pose in the frame of the parent joint
  double rest[4];              // unit: local rotation of the rest pose
};

// Chains that are solved together, as a tree of nodes under one base, whose joint space they are solved in.
struct IkPlan {
  std::size_t joint_count;
  const IkNode* nodes;
  std::size_t node_count;
  const std::int32_t* between;    // joints
  const std::int32_t* ancestors;  // joints from a root of the skeleton down to the base; none: model space
  std::size_t ancestor_count;
  const std::int32_t* effectors;  // node that each chain ends in
  const std::int32_t* tops;       // uppermost node of each chain
  std::size_t effector_count;
  const std::int32_t* below;  // effectors
};

// Items of work, each a pose with its targets, one after another. A step is the distance from one item to the next, 0
// where one serves all.
template <class T>
struct IkBatch {
  const T* poses;  // (J, 10) local trs
  std::size_t pose_step;
  const T* start;  // (J, 10) whose rotations solvers start from, or null: those of `poses`
  std::size_t start_step;
  const T* targets;  // (E, 3) model space
  std::size_t target_step;
  const T* orientations;  // (E, 4) model space, unit, or null; NaN in a row: no orientation
  std::size_t orientation_step;
  const T* weights;  // (1)
  std::size_t weight_step;
  std::size_t frames;  // items [k frames, (k + 1) frames) follow each other in time; 1: each stands alone
  T tolerance;         // of a chain's length
  T angle_tolerance;   // radians
  std::int32_t max_iterations;
  bool is_unscaled;          // whether all scales from the base down to the effectors are ones
  T* out;                    // (J, 10)
  T* residuals;              // (E) model units
  T* angles;                 // (E) radians, or null
  std::int32_t* iterations;  // (1)
  std::uint8_t* reached;     // (E)
  std::uint8_t* limited;     // (J)
};

// The first pose that cannot be solved. Before it: whether a joint below the base has scales that are not ones.
enum class IkFault : std::int32_t { kNone, kNotFinite, kNotUnit, kNotUniform, kSingular };
struct IkFaultPlace {
  IkFault fault = IkFault::kNone;
  std::size_t item = 0;
  std::int32_t joint = 0;
  bool has_scales = false;
};

}  // namespace lissom
