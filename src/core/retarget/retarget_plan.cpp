// SPDX-License-Identifier: MIT
#include "core/retarget/retarget_plan.h"

#include <cmath>

namespace lissom {

namespace {

Error joint_error(const char* what, std::int32_t joint) {
  return Error(std::string(what) + " must name joints of the skeletons, got " + std::to_string(joint));
}

// Marks a joint and all above it.
void mark(std::vector<char>& marks, std::span<const std::int32_t> parents, std::int32_t joint) {
  for (; joint >= 0 && !marks[static_cast<std::size_t>(joint)];
       joint = parents[static_cast<std::size_t>(joint)])
    marks[static_cast<std::size_t>(joint)] = 1;
}

}  // namespace

Error RetargetPlan::make(std::span<const std::int32_t> source_parents, std::span<const std::int32_t> parents,
                         std::span<const double> rest, std::span<const std::int32_t> order,
                         const RetargetBody& body, std::span<const RetargetTurn> turns,
                         std::span<const RetargetTwist> twists, std::span<const RetargetPlace> places,
                         std::span<const RetargetLimb> limbs, RetargetPlan& plan) {
  const auto source_count = static_cast<std::int32_t>(source_parents.size());
  const auto count = static_cast<std::int32_t>(parents.size());
  const auto is_source = [&](std::int32_t joint) { return joint >= 0 && joint < source_count; };
  const auto is_own = [&](std::int32_t joint) { return joint >= 0 && joint < count; };
  if (!is_source(body.source_hips)) return joint_error("body", body.source_hips);
  if (!is_own(body.hips)) return joint_error("body", body.hips);
  for (const RetargetTurn& turn : turns) {
    if (!is_own(turn.joint)) return joint_error("turns", turn.joint);
    if (!is_source(turn.first)) return joint_error("turns", turn.first);
    if (!is_source(turn.second)) return joint_error("turns", turn.second);
  }
  for (const RetargetTwist& twist : twists) {
    for (const std::int32_t joint : {twist.joint, twist.base, twist.other})
      if (!is_own(joint)) return joint_error("twists", joint);
  }
  for (const RetargetPlace& place : places) {
    for (const std::int32_t joint : {place.joint, place.from})
      if (!is_own(joint)) return joint_error("places", joint);
    if (place.limb >= static_cast<std::int32_t>(limbs.size())) return joint_error("places", place.limb);
  }
  for (const RetargetLimb& limb : limbs) {
    for (const std::int32_t joint : {limb.upper, limb.lower, limb.end})
      if (!is_own(joint)) return joint_error("limbs", joint);
    for (const std::int32_t joint : {limb.source_upper, limb.source_end, limb.source_toes})
      if (!is_source(joint)) return joint_error("limbs", joint);
  }
  if (order.size() != parents.size()) return Error("order must hold each joint of the target once");

  RetargetPlan made;
  made.source_joint_count = source_parents.size();
  made.body = body;
  made.rest.assign(rest.begin(), rest.end());
  made.turns.assign(turns.begin(), turns.end());
  made.twists.assign(twists.begin(), twists.end());
  made.places.assign(places.begin(), places.end());
  made.limbs.assign(limbs.begin(), limbs.end());

  // The source: joints that something follows, and those above.
  std::vector<char> rotates(source_parents.size()), moves(source_parents.size());
  for (const RetargetTurn& turn : turns)
    mark(rotates, source_parents, turn.first), mark(rotates, source_parents, turn.second);
  mark(moves, source_parents, body.source_hips);
  for (const RetargetLimb& limb : limbs) {
    mark(moves, source_parents, limb.source_upper), mark(moves, source_parents, limb.source_end);
    mark(rotates, source_parents, limb.source_toes);
  }
  std::vector<std::int32_t> at(source_parents.size(), -1);
  for (std::int32_t joint = 0; joint < source_count; ++joint) {
    const auto i = static_cast<std::size_t>(joint);
    if (!rotates[i] && !moves[i]) continue;
    const std::int32_t parent = source_parents[i];
    at[i] = static_cast<std::int32_t>(made.source.size());
    made.source.push_back({joint, parent < 0 ? -1 : at[static_cast<std::size_t>(parent)], moves[i] != 0});
  }
  const auto to_index = [&](std::int32_t& joint) { joint = at[static_cast<std::size_t>(joint)]; };
  to_index(made.body.source_hips);
  for (RetargetTurn& turn : made.turns) to_index(turn.first), to_index(turn.second);
  for (RetargetLimb& limb : made.limbs)
    to_index(limb.source_upper), to_index(limb.source_end), to_index(limb.source_toes);

  // The target, in order.
  std::vector<char> has_position(parents.size()), is_above_legs(parents.size()), is_done(parents.size());
  std::vector<char> is_turned(parents.size());
  std::vector<std::int32_t> place_of(parents.size(), -1);
  for (const RetargetTurn& turn : turns) is_turned[static_cast<std::size_t>(turn.joint)] = 1;
  for (const RetargetTwist& twist : twists) is_turned[static_cast<std::size_t>(twist.joint)] = 1;
  mark(has_position, parents, body.hips);
  for (const RetargetLimb& limb : limbs) {
    for (const std::int32_t joint : {limb.upper, limb.lower, limb.end}) {
      mark(has_position, parents, joint);
      if (limb.is_leg) mark(is_above_legs, parents, joint);
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    place_of[static_cast<std::size_t>(places[i].joint)] = static_cast<std::int32_t>(i);
    mark(has_position, parents, places[i].joint);
    mark(has_position, parents, places[i].from);
  }
  for (std::size_t pass = 0; pass < places.size();
       ++pass) {  // legs may hang on joints that are placed by others
    for (const RetargetPlace& place : places)
      if (is_above_legs[static_cast<std::size_t>(place.joint)]) mark(is_above_legs, parents, place.from);
  }
  std::vector<double> mirrors(3 * parents.size(), 1.0);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] < 0) continue;
    const auto parent = static_cast<std::size_t>(parents[i]);
    for (std::size_t k = 0; k < 3; ++k)
      mirrors[3 * i + k] = mirrors[3 * parent + k] * std::copysign(1.0, rest[10 * parent + 7 + k]);
  }
  for (const std::int32_t joint : order) {
    if (!is_own(joint)) return joint_error("order", joint);
    const auto i = static_cast<std::size_t>(joint);
    const auto comes_before = [&](std::int32_t other) {
      return is_done[static_cast<std::size_t>(other)] != 0;
    };
    bool is_in_order = !is_done[i] && (parents[i] < 0 || comes_before(parents[i]));
    if (place_of[i] >= 0) {
      const RetargetPlace& place = places[static_cast<std::size_t>(place_of[i])];
      const bool is_on_goal = place.limb >= 0;
      is_in_order = is_in_order &&
                    comes_before(is_on_goal ? limbs[static_cast<std::size_t>(place.limb)].end : place.from);
    }
    if (!is_in_order) {
      return Error("order must hold each joint once, after those that it depends on, got joint " +
                   std::to_string(joint) + " too early or twice");
    }
    is_done[i] = 1;
    made.joints.push_back({joint,
                           parents[i],
                           place_of[i],
                           is_turned[i] != 0,
                           has_position[i] != 0,
                           is_above_legs[i] != 0,
                           {mirrors[3 * i], mirrors[3 * i + 1], mirrors[3 * i + 2]}});
  }
  plan = std::move(made);
  return {};
}

}  // namespace lissom
