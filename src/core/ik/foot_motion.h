// SPDX-License-Identifier: MIT
#pragma once

// The first steps of foot placement: the animation in world space, locks of feet, the ground below and ahead, and the
// lean of the body. For *_kernels.cpp files only.

#include "core/ik/foot_ground.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr double kLargest = 1e9;
constexpr double kNear = 0.004, kOff = 0.012;  // of the size
constexpr double kSupport = 0.004;             // of the size
constexpr double kHeld = 0.9, kStill = 0.5, kSliding = 1.0, kRelease = 0.08;
constexpr double kHorizon = 0.2, kStride = 0.6, kUphill = 0.2;
constexpr int kRaysAhead = 4, kPathRays = 9, kSide = 7;
constexpr double kShear = 1e-3;

// The gait of poses (gait.gait_of), and whether feet can turn in them (checks.refuse_distorted).
LISSOM_NOINLINE bool place_gait(const FootPlan& plan, const FootBatch& batch, const FootItems& items,
                                const FootScratch& scratch) {
  FootLanes& f = *scratch.lanes;
  const std::size_t legs = plan.legs.size();
  place_joints(plan, items, batch.poses, scratch, true);
  f.dt = items.load_one(batch.dt, 1);
  f.is_new = items.are_zero(batch.before + FootFields(plan).steps, batch.state_step);
  if (batch.world) {
    L n[7];
    items.load<7>(batch.world, kTrsScalars, n);
    f.world_rotation = {n[3], n[4], n[5], n[6]};
    f.place = {n[0], n[1], n[2]};
  } else {
    f.world_rotation = {L(0), L(0), L(0), L(1)};
    f.place = zero3();
  }
  f.world = mat3_from(f.world_rotation);
  f.floor_normal = f.world.column(1);
  f.up_model = f.world.row(1);
  f.floor_height = f.place.y + plan.options.floor;
  f.floor_point = f.place + L(plan.options.floor) * f.floor_normal;
  M fine = is_finite(f.place.x + f.place.y + f.place.z);
  V center = zero3();
  for (std::size_t leg = 0; leg < legs; ++leg) {
    const FootPlan::Leg& of = plan.legs[leg];
    const V hip = scratch.to_model[of.hip].translation();
    f.ankles_model[leg] = scratch.to_model[of.ankle].translation();
    f.hips[leg] = to_world(f, hip);
    f.ankles[leg] = to_world(f, f.ankles_model[leg]);
    f.toes[leg] = to_world(f, scratch.to_model[of.toe < 0 ? of.ankle : of.toe].translation());
    center = center + hip;
    const std::int32_t checked[2] = {of.ankle, of.toe_parent};
    for (const std::int32_t joint : checked) {
      if (joint < 0) continue;
      const Mat3<L> linear = scratch.to_model[joint].linear();
      const V x = linear.column(0), y = linear.column(1), z = linear.column(2);
      const L a = length(x), b = length(y), c = length(z);
      const L shear = L(kShear);
      fine = fine & (a > L(0)) & (b > L(0)) & (c > L(0)) & (abs(dot(x, y)) <= shear * a * b) &
             (abs(dot(y, z)) <= shear * b * c) & (abs(dot(z, x)) <= shear * c * a);
    }
    f.orientations[leg] = normalized(scratch.orientations[of.ankle]);
    f.toe_parents[leg] = of.toe < 0 ? Q{L(0), L(0), L(0), L(1)} : matrix_rotation(scratch, of.toe_parent);
  }
  f.hip_center_model = L(1.0 / static_cast<double>(legs)) * center;
  place_points(plan, scratch, scratch.points.posed);
  L worst(0);
  for (std::size_t leg = 0; leg < legs; ++leg) {
    const FootPlan::Leg& of = plan.legs[leg];
    L lowest(kInfinity);
    for (std::int32_t p = of.first_point; p < of.first_point + of.point_count; ++p) {
      const V& model = scratch.points.posed[p];
      const L above = model.y - plan.options.floor;
      scratch.points.above[p] = above;
      lowest = min(lowest, above);
      const V world = to_world(f, model);
      scratch.points.world[p] = world;
      worst += world.x + world.y + world.z;
    }
    f.lowest[leg] = lowest;
  }
  return !any(!(fine & is_finite(worst)));
}

LISSOM_NOINLINE void take_contacts(const FootPlan& plan, const FootBatch& batch, const FootItems& items,
                                   FootLanes& f) {
  const std::size_t legs = plan.legs.size();
  for (std::size_t leg = 0; leg < legs; ++leg) {
    if (batch.contacts) {
      const L contact = items.load_one(batch.contacts + leg, legs), square = contact * contact;
      f.contacts[leg] = contact, f.pins[leg] = square * square;
    } else {
      f.contacts[leg] = 1 - smoothstep(f.lowest[leg] / plan.options.size, kNear, kOff);
      f.pins[leg] = L(0);
    }
    items.store_one(batch.used_contacts + leg, legs, f.contacts[leg]);
  }
}

// Share of a slide that stays within a radius and leaves the ankle in reach of its hip (foot_lock._share_within).
LISSOM_INLINE L share_within(const V& slide, const V& leg, L radius, L squared_reach) {
  const L squared = dot(slide, slide);
  const M moves = squared > L(0);
  const L safe = select(moves, squared, L(1));
  const L product = dot(leg, slide), spare = max(squared_reach - dot(leg, leg), L(0));
  const L reach = (product + sqrt(product * product + squared * spare)) / safe;
  return select(moves, min(min(L(1), radius / sqrt(safe)), reach), L(1));
}

// Velocities since the step before, and locks of feet that stand (foot_lock.locked_motion).
LISSOM_NOINLINE void lock_feet(const FootPlan& plan, const FootBatch& batch, const FootItems& items,
                               const FootScratch& scratch) {
  FootLanes& f = *scratch.lanes;
  const FootFields fields(plan);
  const std::size_t step = batch.state_step;
  const auto& options = plan.options;
  const L rate = select(f.dt > L(1 / kLargest), 1 / select(f.dt > L(1 / kLargest), f.dt, L(1)), L(0));
  V center = zero3();
  for (std::size_t leg = 0; leg < plan.legs.size(); ++leg) center = center + f.hips[leg];
  f.hip_center = L(1.0 / static_cast<double>(plan.legs.size())) * center;
  const auto moved = [&](const V& now, std::size_t field) LISSOM_LAMBDA_INLINE {
    const V before = items.load_vector(batch.before + field, step);
    items.store_vector(batch.after + field, step, now);
    return select(f.is_new, zero3(), flat(now - before));
  };
  f.body_velocity = rate * moved(f.hip_center, fields.hip_center);
  // Where the soles were, by their joints in the step before, turned as the character was. Weights sum to 1 in float32
  // alone: the place comes last.
  L n[12];
  items.load<7>(batch.before + fields.place, step, n);
  const Mat3<L> turn = mat3_from(Q{n[3], n[4], n[5], n[6]});
  const V place = {n[0], n[1], n[2]};
  const L own[10] = {f.place.x,
                     f.place.y,
                     f.place.z,
                     f.world_rotation.x,
                     f.world_rotation.y,
                     f.world_rotation.z,
                     f.world_rotation.w,
                     L(1),
                     L(1),
                     L(1)};
  items.store<10>(batch.after + fields.place, step, own);
  for (std::size_t i = 0; i < plan.frames.size(); ++i) {
    const Affine<L>& now = scratch.to_model[plan.frames[i]];
    items.load<12>(batch.before + fields.frames + 12 * i, step, n);
    Affine<L> frame;
    for (int k = 0; k < 12; ++k) frame.m[k / 4][k % 4] = n[k], n[k] = now.m[k / 4][k % 4];
    items.store<12>(batch.after + fields.frames + 12 * i, step, n);
    scratch.frames[i] = affine_from(turn, zero3()) * frame;
  }
  const double per_support = 1 / (kSupport * options.size);
  const auto frame_of = [&](const FootPlan::Influence& one)
                            LISSOM_LAMBDA_INLINE -> const Affine<L>& { return scratch.frames[one.frame]; };
  for (std::size_t leg = 0; leg < plan.legs.size(); ++leg) {
    const FootPlan::Leg& of = plan.legs[leg];
    f.ankle_velocity[leg] = rate * moved(f.ankles[leg], fields.ankles + 3 * leg);
    L weight(0);
    V drift = zero3();
    for (std::int32_t p = of.first_point; p < of.first_point + of.point_count; ++p) {
      const L support = exp((f.lowest[leg] - scratch.points.above[p]) * per_support);
      weight += support;
      const V before = place + point_of(plan, static_cast<std::size_t>(p), frame_of);
      drift = drift + support * (scratch.points.world[p] - before);
    }
    drift = select(f.is_new, zero3(), (1 / weight) * flat(drift));
    const L speed = flat_length(drift) * rate / of.length;
    L held = options.lock * smoothstep(f.contacts[leg], kHeld, 1.0);
    if (!batch.contacts) held = held * (1 - smoothstep(speed, kStill, kSliding));
    const L keep = exp(-(1 - held) * f.dt / kRelease);
    const V along = f.hips[leg] - f.ankles[leg];
    const L longest = max(L(kStraight * of.length), length(along));
    const L squared_reach = max(longest * longest - along.y * along.y, L(0));
    V slide = select(f.is_new, zero3(), items.load_vector(batch.before + fields.slides + 3 * leg, step));
    slide = keep * (slide - held * drift);
    slide = share_within(slide, flat(along), L(options.lock_radius * of.length), squared_reach) * slide;
    items.store_vector(batch.after + fields.slides + 3 * leg, step, slide);
    f.slides[leg] = slide;
  }
}

LISSOM_INLINE V heading_of(const V& velocity, L speed) {
  return (1 / select(speed > L(0), speed, L(1))) * velocity;
}

// The mean of the lowest three numbers that are finite; -inf if none is.
LISSOM_INLINE L mean_of_lowest(L* x) {
  L sum(0), count(0);
  for (int i = 0; i < 3; ++i) {
    for (int j = kPathRays - 1; j > i; --j) {
      const L low = min(x[j - 1], x[j]), high = max(x[j - 1], x[j]);
      x[j - 1] = low, x[j] = high;
    }
    const M finite = is_finite(x[i]);
    sum += select(finite, x[i], L(0)), count += select(finite, L(1), L(0));
  }
  return select(count > L(0), sum / max(count, L(1)), L(-kInfinity));
}

// The ground below feet and ahead of them (ground_probe.probe_ground).
LISSOM_NOINLINE void probe_ground(const FootPlan& plan, const FootBatch& batch, const FootScratch& scratch) {
  FootLanes& f = *scratch.lanes;
  const auto& options = plan.options;
  const L top = f.floor_height + options.ray_height;
  const FieldRays ground(batch.ground), body_ground(batch.body_ground);
  for (std::size_t leg = 0; leg < plan.legs.size(); ++leg) {
    const FootPlan::Leg& of = plan.legs[leg];
    const V velocity = f.ankle_velocity[leg], slide = f.slides[leg];
    const V heading = heading_of(velocity, flat_length(velocity));
    L foremost(-kInfinity);
    for (std::int32_t p = of.first_point; p < of.first_point + of.point_count; ++p) {
      const L x = scratch.points.world[p].x + slide.x, z = scratch.points.world[p].z + slide.z;
      foremost = max(foremost, x * heading.x + z * heading.z);
      const FootHit hit = ground.below(x, z, top);
      scratch.points.heights[p] = hit.height;
      scratch.points.rise_x[p] = hit.rise_x;
      scratch.points.rise_z[p] = hit.rise_z;
      const L up = normal_up(hit.rise_x, hit.rise_z);
      const M is_plane = up > L(kSteepest);
      scratch.points.up[p] = up;
      scratch.points.plane_x[p] = select(is_plane, hit.rise_x, L(0));
      scratch.points.plane_z[p] = select(is_plane, hit.rise_z, L(0));
    }
    const V ankle = f.ankles[leg] + slide;
    const L reach = foremost - (ankle.x * heading.x + ankle.z * heading.z);
    const L x = ankle.x + heading.x * reach, z = ankle.z + heading.z * reach;
    L ahead(-kInfinity);
    for (int i = 1; i <= kRaysAhead; ++i) {
      const double seconds = kHorizon * i / kRaysAhead;
      const L ahead_x = x + velocity.x * seconds, ahead_z = z + velocity.z * seconds;
      const L height = ground.below(ahead_x, ahead_z, top).height;
      ahead = max(ahead, over_floor(f, ahead_x, ahead_z, height));
    }
    f.ahead[leg] = ahead;
  }
  const double lead = options.body_time == 0 ? 0.0 : 2.0 / options.body_rate;
  const double stride = kStride * options.mean_length;
  const double band =
      options.max_step_up > options.max_step_down ? options.max_step_up : options.max_step_down;
  f.middle = f.hip_center + L(lead) * f.body_velocity;
  const V heading = heading_of(f.body_velocity, flat_length(f.body_velocity));
  L heights[kPathRays], low[kPathRays], lowest[kPathRays];
  double steps[kPathRays], none[kPathRays] = {};
  for (int i = 0; i < kPathRays; ++i) {
    steps[i] = stride * (2.0 * i / (kPathRays - 1) - 1);
    const L x = f.middle.x + heading.x * steps[i], z = f.middle.z + heading.z * steps[i];
    heights[i] = over_floor(f, x, z, body_ground.below(x, z, top).height);
  }
  keep_near_median<kPathRays>(heights, band);
  const FittedPlane line = fitted_plane<kPathRays>(heights, steps, none);
  f.rise = line.rise_x;
  for (int i = 0; i < kPathRays; ++i) {
    const M finite = is_finite(heights[i]);
    const L over = heights[i] - line.center;
    low[i] = select(finite, over - f.rise * steps[i], L(kInfinity));
    lowest[i] = select(finite, over - max(f.rise, L(0)) * steps[i], L(kInfinity));
  }
  const L below_line = min(mean_of_lowest(low), L(0)), below = min(mean_of_lowest(lowest), L(0));
  f.path = line.center + below + below_line * smoothstep(f.rise, 0.0, kUphill);
}

// The part of a slope that the body follows (lean._along_body).
LISSOM_NOINLINE V along_body(const FootPlan& plan, const FootLanes& f, const V& rise) {
  const std::size_t legs = plan.legs.size();
  if (plan.options.lean_is_long == 0) {
    const V line = flat(f.hips[0] - f.hip_center);
    const L squared = dot(line, line), share = dot(line, rise) / select(squared > L(0), squared, L(1));
    return rise - share * line;
  }
  // In the horizontal plane, whose axes are x and z: (S + softness) followed = S rise.
  L aa(0), ab(0), bb(0);
  for (std::size_t leg = 0; leg < legs; ++leg) {
    const V hip = flat(f.hips[leg] - f.hip_center);
    aa += hip.x * hip.x, ab += hip.x * hip.z, bb += hip.z * hip.z;
  }
  const double one = 1.0 / static_cast<double>(legs), soft = plan.options.lean_softness;
  aa = aa * one, ab = ab * one, bb = bb * one;
  const L right_a = aa * rise.x + ab * rise.z, right_b = ab * rise.x + bb * rise.z;
  aa = aa + soft, bb = bb + soft;
  const L determinant = aa * bb - ab * ab;
  return {(bb * right_a - ab * right_b) / determinant, L(0), (aa * right_b - ab * right_a) / determinant};
}

// Rotation vectors by which bodies lean (lean.leans_of).
LISSOM_NOINLINE V lean_of(const FootPlan& plan, const FootBatch& batch, const FootLanes& f) {
  const auto& options = plan.options;
  if (options.lean_share == 0) return zero3();
  const L top = f.floor_height + options.ray_height;
  const double band =
      options.max_step_up > options.max_step_down ? options.max_step_up : options.max_step_down;
  V side = flat(f.world.column(0));  // the x axis is the first that is perpendicular to up
  side = (1 / flat_length(side)) * side;
  const V ahead = {side.z, L(0), -side.x};
  const FieldRays body_ground(batch.body_ground);
  constexpr int kRays = kSide * kSide;
  L heights[kRays];
  double x[kRays], z[kRays];
  for (int i = 0; i < kRays; ++i) {
    x[i] = options.lean_reach * (2.0 * (i / kSide) / (kSide - 1) - 1);
    z[i] = options.lean_reach * (2.0 * (i % kSide) / (kSide - 1) - 1);
    const L at_x = f.middle.x + x[i] * side.x + z[i] * ahead.x;
    const L at_z = f.middle.z + x[i] * side.z + z[i] * ahead.z;
    heights[i] = over_floor(f, at_x, at_z, body_ground.below(at_x, at_z, top).height);
  }
  keep_near_median<kRays>(heights, band);
  const FittedPlane plane = fitted_plane<kRays>(heights, x, z);
  const double steepest = options.slope_tangent;
  const M level = plane.rise_x * plane.rise_x + plane.rise_z * plane.rise_z <= L(steepest * steepest);
  V rise = select(level, plane.rise_x, L(0)) * side + select(level, plane.rise_z, L(0)) * ahead;
  rise = L(options.lean_share) * along_body(plan, f, rise);
  const V axis = {-rise.z, L(0), rise.x};  // of the tip towards the normal
  const L tangent = flat_length(axis);
  return (atan2(tangent, L(1)) / select(tangent > L(0), tangent, L(1))) * axis;
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
