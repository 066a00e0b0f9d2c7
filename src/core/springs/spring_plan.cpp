// SPDX-License-Identifier: MIT
#include "core/springs/spring_plan.h"

#include <string>

namespace lissom {

Error SpringPlan::make(std::span<const std::int32_t> parents, std::span<const std::int32_t> order,
                       std::span<const SpringJoint> springs, std::span<const SpringCollider> colliders,
                       std::span<const std::int32_t> hits, SpringPlan& plan) {
  SpringPlan made;
  made.joint_count = parents.size();
  made.springs.assign(springs.begin(), springs.end());
  made.colliders.assign(colliders.begin(), colliders.end());
  made.hits.assign(hits.begin(), hits.end());
  const auto is_joint = [&](std::int32_t joint) {
    return joint >= 0 && static_cast<std::size_t>(joint) < parents.size();
  };

  std::vector<std::int32_t> spring_of(parents.size(), -1);
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const SpringJoint& spring = springs[i];
    if (!is_joint(spring.joint) || (spring.center != -1 && !is_joint(spring.center))) {
      return Error("springs must name joints of the skeleton, got spring " + std::to_string(i));
    }
    if (spring.first_hit < 0 || spring.hit_count < 0 ||
        static_cast<std::size_t>(spring.first_hit) + static_cast<std::size_t>(spring.hit_count) >
            hits.size()) {
      return Error("springs must meet colliders of hits, got spring " + std::to_string(i));
    }
    std::int32_t& place = spring_of[static_cast<std::size_t>(spring.joint)];
    if (place >= 0)
      return Error("springs must be of one joint each, got two of " + std::to_string(spring.joint));
    place = static_cast<std::int32_t>(i);
  }
  for (const SpringCollider& collider : colliders) {
    if (!is_joint(collider.joint)) return Error("colliders must be on joints of the skeleton");
  }
  for (const std::int32_t hit : hits) {
    if (hit < 0 || static_cast<std::size_t>(hit) >= colliders.size())
      return Error("hits must name colliders");
  }

  // Where each joint stands in the order, once it does.
  std::vector<std::int32_t> at(parents.size(), -1);
  const auto comes_before = [&](std::int32_t joint) { return at[static_cast<std::size_t>(joint)] >= 0; };
  for (const std::int32_t joint : order) {
    bool is_in_order = is_joint(joint) && !comes_before(joint);
    if (is_in_order) {
      const std::int32_t parent = parents[static_cast<std::size_t>(joint)];
      is_in_order = parent < 0 || comes_before(parent);
      const std::int32_t number = spring_of[static_cast<std::size_t>(joint)];
      if (number >= 0) {
        const SpringJoint& spring = springs[static_cast<std::size_t>(number)];
        is_in_order = is_in_order && (spring.center < 0 || comes_before(spring.center));
        for (std::int32_t i = 0; i < spring.hit_count; ++i) {
          const std::int32_t hit = hits[static_cast<std::size_t>(spring.first_hit + i)];
          is_in_order = is_in_order && comes_before(colliders[static_cast<std::size_t>(hit)].joint);
        }
      }
    }
    if (!is_in_order) {
      return Error("order must hold joints once, after those that they depend on, got " +
                   std::to_string(joint) + " too early or twice");
    }
    const std::int32_t parent = parents[static_cast<std::size_t>(joint)];
    at[static_cast<std::size_t>(joint)] = static_cast<std::int32_t>(made.joints.size());
    made.joints.push_back({joint,
                           parent < 0 ? -1 : at[static_cast<std::size_t>(parent)],
                           spring_of[static_cast<std::size_t>(joint)],
                           false,
                           {}});
  }
  for (SpringJoint& spring : made.springs) {
    if (!comes_before(spring.joint)) return Error("order must hold all joints that spring");
    if (spring.center < 0) continue;
    spring.center = at[static_cast<std::size_t>(spring.center)];
    made.joints[static_cast<std::size_t>(spring.center)].is_center = true;
  }
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    const std::int32_t place = at[static_cast<std::size_t>(colliders[i].joint)];
    if (place < 0) continue;  // nothing meets it
    made.joints[static_cast<std::size_t>(place)].colliders.push_back(static_cast<std::int32_t>(i));
  }
  plan = std::move(made);
  return {};
}

}  // namespace lissom
