// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"

namespace lissom {

// A joint that springs: it turns so that its tail, a point fixed in its frame, follows a particle that has inertia.
// Lengths are the model's. Quaternions x, y, z, w, unit.
struct SpringJoint {
  double tail[3];     // in the joint's frame
  double rest[4];     // its rotation in the parent's frame, to which stiffness draws it
  double gravity[3];  // world space, a second
  double stiffness;   // towards rest, a second
  double drag;        // share of the inertia that is lost at each step, in [0, 1]
  double radius;      // of the sphere around the tail that colliders meet
  std::int32_t joint;
  std::int32_t center;                // the joint in whose space inertia is measured; -1: in the world's
  std::int32_t first_hit, hit_count;  // of `hits`: the colliders it meets, in this order
  std::int32_t follows;               // nonzero: drawn to its rotation in the pose instead of to `rest`
  std::int32_t reserved;
};

enum class ColliderKind : std::int32_t { kSphere, kCapsule, kPlane };

// What tails do not enter, or with `is_inside` do not leave. In the frame of a joint; radii are not scaled by it.
struct SpringCollider {
  double offset[3];
  double axis[3];  // capsule: to its other end; plane: its normal, unit
  double radius;
  std::int32_t joint;
  ColliderKind kind;
  std::int32_t is_inside;
  std::int32_t reserved;
};

class SpringPlan {
 public:
  // `order`: the joints whose transforms are needed, each after its parent, its center and the colliders it meets.
  static Error make(std::span<const std::int32_t> parents, std::span<const std::int32_t> order,
                    std::span<const SpringJoint> springs, std::span<const SpringCollider> colliders,
                    std::span<const std::int32_t> hits, SpringPlan& plan);

  struct Joint {
    std::int32_t joint, parent;  // of the skeleton; index into `joints`, -1 at a root
    std::int32_t spring;         // index into `springs`, or -1
    bool is_center;
    std::vector<std::int32_t> colliders;  // that it carries
  };

  std::vector<Joint> joints;         // in order
  std::vector<SpringJoint> springs;  // as given, but `center` is an index into `joints`
  std::vector<SpringCollider> colliders;
  std::vector<std::int32_t> hits;
  std::size_t joint_count = 0;  // of the skeleton
};

}  // namespace lissom
