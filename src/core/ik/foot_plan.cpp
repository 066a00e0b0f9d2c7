// SPDX-License-Identifier: MIT
#include "core/ik/foot_plan.h"

#include <algorithm>
#include <cmath>

namespace lissom {
namespace {

bool is_within(std::int32_t index, std::size_t count) {
  return index >= 0 && static_cast<std::size_t>(index) < count;
}

}  // namespace

Error FootPlan::check() const {
  if (legs.empty() || legs.size() > kMostLegs) return Error("legs must be 1 to 8");
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (!is_within(joints[i].joint, joint_count)) return Error("joints must be those of the skeleton");
    if (joints[i].parent >= static_cast<std::int32_t>(i)) return Error("parents must come before children");
    if (joints[i].parent < -1) return Error("parents must be joints of the list, or -1");
  }
  const std::size_t count = joints.size(), point_count = shares.size();
  const auto is_joint = [&](std::int32_t joint) { return is_within(joint, count); };
  if (!std::ranges::all_of(bodies, is_joint)) return Error("bodies must be joints of the list");
  if (!std::ranges::all_of(frames, is_joint)) return Error("frames must be joints of the list");
  std::int32_t next = 0;
  for (const Leg& leg : legs) {
    if (!is_joint(leg.hip) || !is_joint(leg.ankle) || (leg.toe >= 0 && !is_joint(leg.toe)) ||
        (leg.toe_parent >= 0 && !is_joint(leg.toe_parent))) {
      return Error("legs must name joints of the list");
    }
    if (leg.first_point != next || leg.point_count < 1)
      return Error("legs must have points one after another");
    next += leg.point_count;
    if (!(leg.length > 0) || !std::isfinite(leg.length)) return Error("legs must have a length");
  }
  if (static_cast<std::size_t>(next) != point_count) return Error("legs must have all points");
  if (first_influences.size() != point_count + 1 || first_influences.front() != 0 ||
      static_cast<std::size_t>(first_influences.back()) != influences.size() ||
      !std::ranges::is_sorted(first_influences)) {
    return Error("first_influences must divide the influences among the points");
  }
  for (const Influence& one : influences) {
    if (!is_joint(one.joint) || !is_within(one.frame, frames.size()))
      return Error("influences must name joints of the list");
  }
  std::size_t leg = 0;
  for (const Ring& ring : rings) {
    const auto end = [&] { return legs[leg].first_point + legs[leg].point_count; };
    if (!is_within(ring.first, point_count)) return Error("rings must name points");
    while (ring.first >= end()) ++leg;
    if (ring.first < legs[leg].first_point || ring.second < legs[leg].first_point || ring.second >= end()) {
      return Error("rings must be sorted by legs, and join points of one");
    }
  }
  return {};
}

Error FootField::check(const char* name) const {
  if (rows < 2 || columns < 2) return Error(std::string(name) + " must be a grid of at least 2 by 2");
  if (!(x.step > 0 && z.step > 0)) return Error(std::string(name) + " must have steps above 0");
  return {};
}

}  // namespace lissom
