// SPDX-License-Identifier: MIT
#pragma once

// The later steps of foot placement: tilts and lifts, their smoothing over time, heels, and what legs are solved for. For
// *_kernels.cpp files only.

#include "core/ik/foot_lifts.h"
#include "core/ik/foot_motion.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr double kGap = 0.01;  // of the size
constexpr double kFolded = 0.35, kClimb = 0.6, kStanding = 0.1, kTravelling = 0.4;
constexpr double kHeelMost = 0.87266462599716477, kHeelSteepest = 1.5358897417550099;  // 50 and 88 degrees
constexpr double kBehind = 0.2, kStretched = 0.985, kFront = 0.01;

// A number that follows a target by a critically damped spring (springs.Spring); new ones rest at it.
LISSOM_INLINE L stepped(const FootBatch& batch, const FootItems& items, std::size_t field, M is_new, L target,
                        double rate, L seconds, L velocity, L* speed = nullptr) {
  L n[2];
  items.load<2>(batch.before + field, batch.state_step, n);
  L x = target, v = L(0);
  if (rate < kInfinity) {
    const L difference = n[0] - (target - velocity * seconds), relative = n[1] - velocity;
    const L change = (relative + rate * difference) * seconds, decay = exp(-rate * seconds);
    x = select(is_new, target, target + (difference + change) * decay);
    v = select(is_new, L(0), (relative - rate * change) * decay + velocity);
  }
  n[0] = x, n[1] = v;
  items.store<2>(batch.after + field, batch.state_step, n);
  if (speed) *speed = v;
  return x;
}

LISSOM_INLINE V tilt_towards(const FootLanes& f, const V& normal, double most) {
  const V axis = cross(f.floor_normal, normal);
  const L sine = length(axis), angle = min(atan2(sine, dot(normal, f.floor_normal)), L(most));
  return (angle / select(sine > L(0), sine, L(1))) * axis;
}

// Tilts by which feet lie on the ground that supports them (tilts.tilts_of).
LISSOM_NOINLINE void tilt_feet(const FootPlan& plan, const FootScratch& scratch) {
  FootLanes& f = *scratch.lanes;
  const FootPoints& points = scratch.points;
  for (std::size_t leg = 0; leg < plan.legs.size(); ++leg) {
    const FootPlan::Leg& of = plan.legs[leg];
    const std::int32_t begin = of.first_point, end = begin + of.point_count;
    L highest(-kInfinity);
    for (std::int32_t p = begin; p < end; ++p) highest = max(highest, points.heights[p] - points.world[p].y);
    const M missing = !is_finite(highest);
    const L known = select(missing, L(0), highest);
    const double per_gap = 1 / (kGap * plan.options.size);
    L foot(0), toes(0);
    V foot_normal = zero3(), toe_normal = zero3();
    for (std::int32_t p = begin; p < end; ++p) {
      const L up = points.up[p];
      const M flat_enough = is_finite(points.heights[p]) & (up >= L(plan.options.slope_cosine));
      const L gap = known - (points.heights[p] - points.world[p].y);
      const L weight = select(flat_enough, exp(-select(flat_enough, gap, L(0)) * per_gap), L(0));
      const V normal = {-points.rise_x[p] * up, up, -points.rise_z[p] * up};
      const double share = plan.shares[static_cast<std::size_t>(p)];
      if (share < 1) {
        const L part = weight * (1 - share);
        foot += part, foot_normal = foot_normal + part * normal;
      }
      if (share > 0) {
        const L part = weight * share;
        toes += part, toe_normal = toe_normal + part * normal;
      }
    }
    const auto mean = [](const V& total) LISSOM_LAMBDA_INLINE {
      const L size = length(total);
      return select(size > L(0), (1 / select(size > L(0), size, L(1))) * total, upwards(L(1)));
    };
    foot_normal = mean(foot_normal), toe_normal = mean(toe_normal);
    f.missing[leg] = missing;
    f.steep[leg] = !(missing | (foot + toes > L(0)));
    const M foot_stands = foot > L(0), toes_stand = toes > L(0);
    V foot_tilt = tilt_towards(f, foot_normal, plan.options.max_angle);
    V toe_tilt = tilt_towards(f, toe_normal, plan.options.max_angle);
    if (of.toe < 0) toe_tilt = foot_tilt;
    toe_tilt = select(toes_stand, toe_tilt, foot_tilt);
    foot_tilt = select(foot_stands, foot_tilt, toe_tilt);
    f.tilts[leg][0] = of.turns ? foot_tilt : zero3();
    f.tilts[leg][1] = of.turns ? toe_tilt : zero3();
    f.normals[leg] = select(foot_stands, foot_normal, toe_normal);
  }
}

// Leans and tilts that follow theirs, and hips that lean.
LISSOM_NOINLINE void smooth_turns(const FootPlan& plan, const FootBatch& batch, const FootItems& items,
                                  FootLanes& f) {
  const FootFields fields(plan);
  const auto followed = [&](const V& target, std::size_t field, double rate) LISSOM_LAMBDA_INLINE {
    return V{stepped(batch, items, field, f.is_new, target.x, rate, f.dt, L(0)),
             stepped(batch, items, field + 2, f.is_new, target.y, rate, f.dt, L(0)),
             stepped(batch, items, field + 4, f.is_new, target.z, rate, f.dt, L(0))};
  };
  f.lean = followed(lean_of(plan, batch, f), fields.lean, plan.options.body_rate);
  f.lean_model = rotate(conjugate(f.world_rotation), f.lean);
  const Q turn = quat_from_rotation_vector(f.lean);
  for (std::size_t leg = 0; leg < plan.legs.size(); ++leg) {
    f.leaned_hips[leg] = f.hip_center + rotate(turn, f.hips[leg] - f.hip_center);
    for (std::size_t part = 0; part < 2; ++part) {
      f.smooth_tilts[leg][part] = followed(f.contacts[leg] * f.tilts[leg][part],
                                           fields.tilts + 12 * leg + 6 * part, plan.options.tilt_rate);
    }
  }
}

// Points of soles with foot and toes turned (foot_lift.rotated_soles).
LISSOM_NOINLINE void turn_soles(const FootPlan& plan, const FootScratch& scratch) {
  FootLanes& f = *scratch.lanes;
  for (std::size_t leg = 0; leg < plan.legs.size(); ++leg) {
    const FootPlan::Leg& of = plan.legs[leg];
    const Mat3<L> foot = mat3_from(quat_from_rotation_vector(f.smooth_tilts[leg][0]));
    const Mat3<L> toes = mat3_from(quat_from_rotation_vector(f.smooth_tilts[leg][1]));
    const V foot_place = f.ankles[leg] - foot * f.ankles[leg];
    const V toe_place = f.ankles[leg] + foot * (f.toes[leg] - f.ankles[leg]) - toes * f.toes[leg];
    for (std::int32_t p = of.first_point; p < of.first_point + of.point_count; ++p) {
      const V& point = scratch.points.world[p];
      const double share = plan.shares[static_cast<std::size_t>(p)];
      V turned = zero3();
      if (share < 1) turned = L(1 - share) * (foot * point + foot_place);
      if (share > 0) turned = turned + L(share) * (toes * point + toe_place);
      scratch.points.posed[p] = turned;
    }
  }
}

// Heels of trailing feet (heels.heels_of).
LISSOM_NOINLINE void prepare_heels(const FootPlan& plan, const FootScratch& scratch, L travel) {
  FootLanes& f = *scratch.lanes;
  const V heading = heading_of(f.body_velocity, flat_length(f.body_velocity));
  f.heel_axis = {heading.z, L(0), -heading.x};  // cross(up, heading)
  for (std::size_t leg = 0; leg < plan.legs.size(); ++leg) {
    const FootPlan::Leg& of = plan.legs[leg];
    V ball;
    if (of.toe >= 0) {
      ball = rotate(quat_from_rotation_vector(f.smooth_tilts[leg][0]), f.toes[leg] - f.ankles[leg]);
    } else {
      L first(-kInfinity), total(0);
      for (std::int32_t p = of.first_point; p < of.first_point + of.point_count; ++p)
        first = max(first, dot(scratch.points.posed[p], heading));
      V sum = zero3();
      for (std::int32_t p = of.first_point; p < of.first_point + of.point_count; ++p) {
        const V& point = scratch.points.posed[p];
        const L weight = exp((dot(point, heading) - first) / (kFront * plan.options.size));
        total += weight, sum = sum + weight * point;
      }
      ball = (1 / total) * sum - f.ankles[leg];
    }
    const V along = f.leaned_hips[leg] - f.ankles[leg];
    f.heel_length[leg] = max(L(kStretched * of.length), length(along));
    const L behind = dot(along, heading) / of.length;
    f.trailing[leg] = L(of.turns) * smoothstep(behind, 0.0, kBehind) * travel;
    const L steep = atan2(-ball.y, flat_length(ball));
    f.heel_most[leg] = clip(kHeelSteepest - steep, L(0), L(kHeelMost)) * f.trailing[leg];
    f.balls[leg] = ball;
  }
}

LISSOM_INLINE L arc_cosine(L x) { return atan2(sqrt(max(1 - x * x, L(0))), x); }

// The least angle that brings an ankle near enough to its hip (heels.Heels.angles).
LISSOM_NOINLINE L heel_angle(const FootLanes& f, std::size_t leg, const V& hip, const V& ankle) {
  const V arm = -f.balls[leg], reach = hip - ankle - f.balls[leg], axis = f.heel_axis;
  const L along = dot(arm, axis) * dot(reach, axis);
  const L cosine = dot(arm, reach) - along, sine = dot(cross(axis, arm), reach);
  const L size = f.heel_length[leg];
  const L needed = 0.5 * (dot(arm, arm) + dot(reach, reach) - size * size) - along;
  const L most = sqrt(cosine * cosine + sine * sine);
  const L share = max(min(needed / select(most > L(0), most, L(1)), L(1)), L(-1));
  const L angle = atan2(sine, cosine) - arc_cosine(share);
  const M is_near = (needed <= cosine) | (most == L(0));
  return select(is_near, L(0), clip(angle, L(0), f.heel_most[leg]));
}

// Lifts of feet and body that follow the ground (smoothing.smoothed_lifts).
LISSOM_NOINLINE void smooth_lifts(const FootPlan& plan, const FootBatch& batch, const FootItems& items,
                                  FootLanes& f, L climb, L travel) {
  const FootFields fields(plan);
  const auto& options = plan.options;
  const std::size_t legs = plan.legs.size(), step = batch.state_step;
  const double lead = options.body_time == 0 ? 0.0 : 2.0 / options.body_rate;
  L grounds[kMostLegs], highest[kMostLegs], lowest_body[kMostLegs], shares[kMostLegs], reach[kMostLegs],
      rises[kMostLegs];
  M over[kMostLegs], stands[kMostLegs];
  L lowest(kInfinity);
  for (std::size_t leg = 0; leg < legs; ++leg) {
    const double size = plan.legs[leg].length;
    over[leg] = is_finite(f.lifts[leg]);
    const L height = f.lowest[leg] * (1 - f.pins[leg]);
    grounds[leg] = select(over[leg], f.lifts[leg], L(0)) + max(height, L(-options.sink));
    lowest = select(over[leg], min(lowest, grounds[leg]), lowest);
    const V along = f.leaned_hips[leg] - f.ankles[leg], level = flat(along - f.slides[leg]);
    const L beside = dot(level, level), far = length(along);
    const L longest = max(L(kStraight * size), far), shortest = min(L(kFolded * size), far);
    highest[leg] = sqrt(max(longest * longest - beside, L(0))) - along.y;
    lowest_body[leg] = sqrt(max(shortest * shortest - beside, L(0))) - along.y;
    reach[leg] = 1 - f.trailing[leg] * (1 - f.contacts[leg]);
    rises[leg] = f.leaned_hips[leg].y - f.hips[leg].y;
  }
  const L body_before = items.load_one(batch.before + fields.body, step);
  const L base = select(f.is_new, select(is_finite(lowest), lowest, L(0)), body_before);
  L weight(0), total(0);
  for (std::size_t leg = 0; leg < legs; ++leg) {
    const L rise = grounds[leg] - base;
    stands[leg] =
        over[leg] & !f.steep[leg] & (rise >= L(-options.max_step_down)) & (rise <= L(options.max_step_up));
    const L target = select(stands[leg], L(1), L(0));
    f.blends[leg] =
        clip(stepped(batch, items, fields.blend + 2 * leg, f.is_new, target, options.blend_rate, f.dt, L(0)),
             L(0), L(1));
    shares[leg] = select(stands[leg], f.contacts[leg] * f.blends[leg], L(0));
    weight += shares[leg], total += (grounds[leg] - rises[leg]) * shares[leg];
  }
  const M is_on = weight > L(1e-6);
  L target = total / select(is_on, weight, L(1));
  const L path = f.path - climb * lead;
  const M is_near = abs(path - base) <= L(options.max_step_down);
  target = select(is_near, target + (select(is_near, path, L(0)) - target) * travel, target);
  for (std::size_t leg = 0; leg < legs; ++leg) {
    const L fall = min(grounds[leg] + highest[leg] - target, L(0)) * reach[leg];
    target = select(stands[leg], target + fall, target);
  }
  for (std::size_t leg = 0; leg < legs; ++leg) {
    const L rise = max(grounds[leg] + lowest_body[leg] - target, L(0)) * shares[leg];
    target = select(stands[leg], target + rise, target);
  }
  target = select(is_on, target, base);
  f.body = stepped(batch, items, fields.body, f.is_new, target, options.body_rate, f.dt, climb);
  const L most = options.foot_speed * f.dt;
  for (std::size_t leg = 0; leg < legs; ++leg) {
    const L before = items.load_one(batch.before + fields.offset + leg, step);
    const L ahead = select(f.ahead[leg] - f.body > L(options.max_step_up), L(-kInfinity), f.ahead[leg]);
    L speed;
    L height = stepped(batch, items, fields.height + 2 * leg, f.is_new, max(grounds[leg], ahead),
                       options.swing_rate, f.dt, L(0), &speed);
    height = select(f.is_new, grounds[leg], height);
    const M below = height < grounds[leg];
    height = select(below, grounds[leg], height);
    speed = select(below, max(speed, L(0)), speed);
    L lift = grounds[leg] + (height - grounds[leg]) * (1 - f.contacts[leg]);
    lift = lift + max(f.body - highest[leg] - lift, L(0)) * (1 - reach[leg]);
    const L left = select(f.is_new, f.body, before);
    const L spring[2] = {select(stands[leg], height, left), select(stands[leg], speed, L(0))};
    items.store<2>(batch.after + fields.height + 2 * leg, step, spring);
    lift = select(stands[leg], lift, left);
    const L offset = f.body + (lift - f.body) * f.blends[leg];
    f.offsets[leg] = select(f.is_new, offset, clip(offset, before - most, before + most));
    items.store_one(batch.after + fields.offset + leg, step, f.offsets[leg]);
    items.store_flags(batch.airborne + leg, legs, !over[leg]);
    items.store_flags(batch.too_far + leg, legs, over[leg] & (!stands[leg]));
    items.store_one(batch.offsets + leg, legs, f.offsets[leg]);
    items.store_one(batch.weights + leg, legs, f.blends[leg]);
  }
  items.store_one(batch.body_offset, 1, f.body);
}

// What the legs are solved for, of feet that are raised by `offsets` (pipeline.place_feet, solved).
LISSOM_NOINLINE void set_goals(const FootPlan& plan, const FootBatch& batch, const FootItems& items,
                               FootLanes& f, const L* offsets) {
  const std::size_t legs = plan.legs.size();
  const Q to_model = conjugate(f.world_rotation);
  f.again = plan.options.is_soft != 0 ? everywhere() : !everywhere();
  for (std::size_t leg = 0; leg < legs; ++leg) {
    V moved = f.blends[leg] * f.slides[leg] + upwards(offsets[leg]);
    L angle = heel_angle(f, leg, f.raised_hips[leg], f.ankles[leg] + moved);
    angle = min(angle, f.heel_most[leg] * f.blends[leg]);
    const Q heel = quat_from_rotation_vector(angle * f.heel_axis);
    const M rises = angle > L(0);
    moved = moved + select(rises, f.balls[leg] - rotate(heel, f.balls[leg]), zero3());
    f.again = f.again | rises;
    const Q foot = to_model * (heel * f.blended[leg][0] * f.world_rotation);
    const Q toes = to_model * (f.blended[leg][1] * f.world_rotation);
    items.store_vector(batch.targets + 3 * leg, 3 * legs, f.ankles[leg] + moved);
    items.store_vector(batch.targets_model + 3 * leg, 3 * legs,
                       f.ankles_model[leg] + rotate(to_model, moved));
    const Q goal = normalized(foot * f.orientations[leg]);
    const L columns[4] = {goal.x, goal.y, goal.z, goal.w};
    items.store<4>(batch.rotations_model + 4 * leg, 4 * legs, columns);
    // The foot carries its toes: they turn by what they differ from it.
    const Q& parent = f.toe_parents[leg];
    f.toe_turns[leg] = conjugate(parent) * (conjugate(foot) * toes * parent);
  }
}

// Raises bodies, and leans them about the middle of the hips (pose._move_bodies).
LISSOM_NOINLINE void move_bodies(const FootPlan& plan, const FootBatch& batch, const FootItems& items,
                                 const FootScratch& scratch) {
  const FootLanes& f = *scratch.lanes;
  const M leans = (f.lean_model.x != L(0)) | (f.lean_model.y != L(0)) | (f.lean_model.z != L(0));
  const Q turn = quat_from_rotation_vector(f.lean_model);
  const std::size_t step = plan.joint_count * kTrsScalars;
  for (const std::int32_t body : plan.bodies) {
    const FootPlan::Joint& joint = plan.joints[static_cast<std::size_t>(body)];
    const V arm = scratch.to_model[body].translation() - f.hip_center_model;
    V moved = f.body * f.up_model + select(leans, rotate(turn, arm) - arm, zero3());
    if (joint.parent >= 0) moved = inverse(scratch.to_model[joint.parent].linear()) * moved;
    double* const row = batch.poses + static_cast<std::size_t>(joint.joint) * kTrsScalars;
    L n[7];
    items.load<7>(row, step, n);
    const Q parent = matrix_rotation(scratch, joint.parent), local = {n[3], n[4], n[5], n[6]};
    const Q turned = select(leans, normalized(conjugate(parent) * (turn * parent) * local), local);
    const L columns[7] = {n[0] + moved.x, n[1] + moved.y, n[2] + moved.z, turned.x,
                          turned.y,       turned.z,       turned.w};
    items.store<7>(row, step, columns);
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
