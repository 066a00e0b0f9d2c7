// SPDX-License-Identifier: MIT
#include "core/ik/foot_kernels.h"

#include "core/ik/foot_goals.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr std::size_t kLanes = L::kCount;

LISSOM_NOINLINE bool begin_group(const FootPlan& plan, const FootBatch& batch, const FootItems& items,
                                 const FootScratch& scratch) {
  if (!place_gait(plan, batch, items, scratch)) return false;
  FootLanes& f = *scratch.lanes;
  const std::size_t legs = plan.legs.size();
  take_contacts(plan, batch, items, f);
  lock_feet(plan, batch, items, scratch);
  probe_ground(plan, batch, scratch);
  tilt_feet(plan, scratch);
  smooth_turns(plan, batch, items, f);
  turn_soles(plan, scratch);
  ContactLifts{plan, batch, scratch, false}.run(f.lifts);
  const L speed = flat_length(f.body_velocity);
  const L climb = kClimb * max(f.rise, L(0)) * speed;
  const L travel = smoothstep(speed / plan.options.mean_length, kStanding, kTravelling);
  prepare_heels(plan, scratch, travel);
  smooth_lifts(plan, batch, items, f, climb, travel);
  for (std::size_t leg = 0; leg < legs; ++leg) {
    f.raised_hips[leg] = f.leaned_hips[leg] + upwards(f.body);
    for (std::size_t part = 0; part < 2; ++part)
      f.blended[leg][part] = quat_from_rotation_vector(f.blends[leg] * f.smooth_tilts[leg][part]);
    const FootPlan::Leg& of = plan.legs[leg];
    L lowest(kInfinity);
    for (std::int32_t p = of.first_point; p < of.first_point + of.point_count; ++p)
      lowest = min(lowest, scratch.points.world[p].y);
    const L ground = select(f.missing[leg], L(__builtin_nan("")), f.lifts[leg] + lowest);
    items.store_one(batch.ground_heights + leg, legs, ground);
    items.store_vector(batch.normals + 3 * leg, 3 * legs, f.normals[leg]);
  }
  set_goals(plan, batch, items, f, f.offsets);
  move_bodies(plan, batch, items, scratch);
  // The number of steps is a whole one, as bits.
  const std::size_t steps = FootFields(plan).steps;
  for (int lane = 0; lane < items.used; ++lane) {
    std::int64_t count;
    const std::size_t at = items.items[lane] * batch.state_step;
    std::memcpy(&count, batch.before + at + steps, sizeof count);
    ++count;
    std::memcpy(batch.after + at, batch.before + at, sizeof(double));  // the id
    std::memcpy(batch.after + at + steps, &count, sizeof count);
  }
  return true;
}

bool begin(const FootPlan& plan, const FootBatch& batch, void* memory) {
  for (std::size_t first = 0, group = 0; first < batch.count; first += kLanes, ++group) {
    const FootScratch scratch(plan, memory, group);
    if (!begin_group(plan, batch, FootItems(first, batch.count), scratch)) return false;
  }
  return true;
}

LISSOM_NOINLINE void correct_group(const FootPlan& plan, const FootBatch& batch, const FootItems& items,
                                   const double* solved, const FootScratch& scratch) {
  FootLanes& f = *scratch.lanes;
  const M again = f.again;
  place_joints(plan, items, solved, scratch, false);
  place_points(plan, scratch, scratch.points.posed);
  for (std::size_t p = 0; p < plan.point_count(); ++p)
    scratch.points.posed[p] = to_world(f, scratch.points.posed[p]);
  L remaining[kMostLegs], offsets[kMostLegs];
  ContactLifts{plan, batch, scratch, true}.run(remaining);
  for (std::size_t leg = 0; leg < plan.legs.size(); ++leg) {
    const L error = remaining[leg] - (f.lifts[leg] - f.offsets[leg]);
    const M counts = again & is_finite(remaining[leg]) & is_finite(error);
    offsets[leg] = f.offsets[leg] + select(counts, error, L(0)) * f.blends[leg];
  }
  set_goals(plan, batch, items, f, offsets);
}

bool correct(const FootPlan& plan, const FootBatch& batch, const double* solved, void* memory) {
  bool is_any = false;
  for (std::size_t first = 0, group = 0; first < batch.count; first += kLanes, ++group) {
    const FootScratch scratch(plan, memory, group);
    if (!any(scratch.lanes->again)) continue;
    correct_group(plan, batch, FootItems(first, batch.count), solved, scratch);
    is_any = true;
  }
  return is_any;
}

void finish(const FootPlan& plan, const FootBatch& batch, double* solved, void* memory) {
  const std::size_t step = plan.joint_count * kTrsScalars;
  for (std::size_t first = 0, group = 0; first < batch.count; first += kLanes, ++group) {
    const FootScratch scratch(plan, memory, group);
    const FootItems items(first, batch.count);
    for (std::size_t leg = 0; leg < plan.legs.size(); ++leg) {
      if (plan.legs[leg].toe < 0) continue;
      const FootPlan::Joint& toe = plan.joints[static_cast<std::size_t>(plan.legs[leg].toe)];
      double* const row = solved + static_cast<std::size_t>(toe.joint) * kTrsScalars + 3;
      L n[4];
      items.load<4>(row, step, n);
      const Q turned = normalized(scratch.lanes->toe_turns[leg] * Q{n[0], n[1], n[2], n[3]});
      const L columns[4] = {turned.x, turned.y, turned.z, turned.w};
      items.store<4>(row, step, columns);
    }
  }
}

std::size_t scratch_bytes(const FootPlan& plan, std::size_t count) {
  return (count + kLanes - 1) / kLanes * FootScratch::bytes(plan);
}

void widen(const float* from, double* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(from[i]);
}
void narrow(const double* from, float* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace

extern const FootKernels foot_kernels;
const FootKernels foot_kernels = {&begin, &finish, &correct, &scratch_bytes, &widen, &narrow};

}  // namespace lissom::LISSOM_ISA
