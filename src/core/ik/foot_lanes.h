// SPDX-License-Identifier: MIT
#pragma once

// What the steps of foot placement share: as many characters as a vector of doubles has lanes. For *_kernels.cpp files
// only. Names, numbers and their reasons are those of python/lissom/ik/_feet, which has the same steps in NumPy.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/ik/foot_kernels.h"
#include "core/math/mat4.h"
#include "core/math/trs.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<double>;
using V = Vec3<L>;
using Q = Quat<L>;
using M = Mask<double>;

constexpr double kInfinity = __builtin_inf();
constexpr double kStraight = 0.999;
constexpr double kSteepest = 0.2;  // least up component of a normal whose plane is extrapolated

LISSOM_INLINE V zero3() { return {L(0), L(0), L(0)}; }
LISSOM_INLINE M everywhere() { return L(0) == L(0); }
LISSOM_INLINE M is_finite(L x) { return x - x == L(0); }
LISSOM_INLINE L clip(L x, L low, L high) { return min(max(x, low), high); }
LISSOM_INLINE L smoothstep(L x, double begin, double end) {
  const L t = clip((x - begin) / (end - begin), L(0), L(1));
  return t * t * (3.0 - 2.0 * t);
}
LISSOM_INLINE L flat_length(const V& v) { return sqrt(v.x * v.x + v.z * v.z); }
LISSOM_INLINE V flat(const V& v) { return {v.x, L(0), v.z}; }
LISSOM_INLINE V upwards(L height) { return {L(0), height, L(0)}; }

// What is kept of a character's group of lanes from one step to the next. Arrays of points are apart.
struct FootLanes {
  // Gait.
  Mat3<L> world;  // rotation of world_from_model
  V place;
  Q world_rotation;
  V floor_normal, floor_point, up_model;
  L floor_height;
  V hips[kMostLegs], ankles[kMostLegs], toes[kMostLegs];  // world space
  V ankles_model[kMostLegs];
  L lowest[kMostLegs], contacts[kMostLegs], pins[kMostLegs];
  V hip_center_model;
  // Motion.
  L dt;
  M is_new;
  V slides[kMostLegs], ankle_velocity[kMostLegs], body_velocity, hip_center;
  // Ground.
  L ahead[kMostLegs], path, rise;
  V middle;
  // Goals.
  V lean, lean_model;
  V leaned_hips[kMostLegs];
  V tilts[kMostLegs][2], normals[kMostLegs], smooth_tilts[kMostLegs][2];
  M steep[kMostLegs], missing[kMostLegs];
  L lifts[kMostLegs], offsets[kMostLegs], blends[kMostLegs], body;
  V balls[kMostLegs], heel_axis;
  L heel_most[kMostLegs], trailing[kMostLegs], heel_length[kMostLegs];
  Q blended[kMostLegs][2];
  V raised_hips[kMostLegs];
  Q orientations[kMostLegs], toe_parents[kMostLegs];
  Q toe_turns[kMostLegs];  // in the frame of the toes' parent
  M again;
};

// Arrays of the points of all soles.
struct FootPoints {
  V* world;                      // gait
  V* posed;                      // aligned, or as solved legs have them
  L* above;                      // over the animation's ground
  L* heights;                    // of the ground below: -inf where there is none
  L *rise_x, *rise_z, *up;       // of its triangles, and the up components of their normals
  L *plane, *plane_x, *plane_z;  // their planes, from the origin, where they are not too steep
  L *x, *z;                      // between which edges are searched
};

class FootScratch {
 public:
  static std::size_t bytes(const FootPlan& plan) {
    const std::size_t points = plan.point_count();
    return sizeof(FootLanes) + plan.joints.size() * (sizeof(Affine<L>) + sizeof(Q) + sizeof(V)) +
           plan.frames.size() * sizeof(Affine<L>) + points * (2 * sizeof(V) + 10 * sizeof(L));
  }

  FootScratch(const FootPlan& plan, void* memory, std::size_t group) {
    char* at = static_cast<char*>(memory) + group * bytes(plan);
    const auto take = [&](auto*& array, std::size_t count) {
      array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(at);
      at += count * sizeof *array;
    };
    take(lanes, 1);
    take(to_model, plan.joints.size());
    take(orientations, plan.joints.size());
    take(signs, plan.joints.size());
    take(frames, plan.frames.size());
    const std::size_t count = plan.point_count();
    take(points.world, count);
    take(points.posed, count);
    L** const arrays[] = {&points.above, &points.heights, &points.rise_x,  &points.rise_z, &points.up,
                          &points.plane, &points.plane_x, &points.plane_z, &points.x,      &points.z};
    for (L** const array : arrays) take(*array, count);
  }

  FootLanes* lanes;
  Affine<L>* to_model;
  Q* orientations;
  V* signs;
  Affine<L>* frames;  // of the step before
  FootPoints points;
};

// The characters of a group: idle lanes repeat the last.
struct FootItems {
  std::size_t items[L::kCount];
  int used;

  FootItems(std::size_t first, std::size_t count) {
    used = static_cast<int>(count - first < static_cast<std::size_t>(L::kCount) ? count - first : L::kCount);
    for (int lane = 0; lane < L::kCount; ++lane)
      items[lane] = first + static_cast<std::size_t>(lane < used ? lane : used - 1);
  }
  template <int kSize>
  LISSOM_INLINE void load(const double* array, std::size_t step, L* columns) const {
    load_rows<kSize>([&](int lane) LISSOM_LAMBDA_INLINE { return array + items[lane] * step; }, columns);
  }
  LISSOM_INLINE L load_one(const double* array, std::size_t step) const {
    L value(0);
    for (int lane = 0; lane < L::kCount; ++lane) value.v[lane] = array[items[lane] * step];
    return value;
  }
  // Whether whole numbers of eight bytes are 0. Read as doubles, small ones are denormal: 0 where a process has such
  // flushed.
  LISSOM_INLINE M are_zero(const double* array, std::size_t step) const {
    L value(0);
    for (int lane = 0; lane < L::kCount; ++lane) {
      std::int64_t number;
      std::memcpy(&number, array + items[lane] * step, sizeof number);
      value.v[lane] = number == 0 ? 0.0 : 1.0;
    }
    return value == L(0);
  }
  LISSOM_INLINE void store_one(double* array, std::size_t step, L value) const {
    for (int lane = 0; lane < used; ++lane) array[items[lane] * step] = value.v[lane];
  }
  template <int kSize>
  LISSOM_INLINE void store(double* array, std::size_t step, const L* columns) const {
    store_rows<kSize>([&](int lane) LISSOM_LAMBDA_INLINE { return array + items[lane] * step; }, columns);
  }
  LISSOM_INLINE V load_vector(const double* array, std::size_t step) const {
    L n[3];
    load<3>(array, step, n);
    return {n[0], n[1], n[2]};
  }
  LISSOM_INLINE void store_vector(double* array, std::size_t step, const V& v) const {
    const L n[3] = {v.x, v.y, v.z};
    store<3>(array, step, n);
  }
  LISSOM_INLINE void store_flags(std::uint8_t* array, std::size_t step, M mask) const {
    for (int lane = 0; lane < used; ++lane) array[items[lane] * step] = mask.bits[lane] != 0;
  }
};

// Where the fields of a state's row begin, in doubles.
struct FootFields {
  std::size_t steps = 1, place = 2, frames = 12, ankles, hip_center, slides, lean, tilts, height, blend,
              offset, body;

  explicit FootFields(const FootPlan& plan) {
    const std::size_t legs = plan.legs.size();
    ankles = frames + 12 * plan.frames.size();
    hip_center = ankles + 3 * legs;
    slides = hip_center + 3;
    lean = slides + 3 * legs;
    tilts = lean + 6;
    height = tilts + 12 * legs;
    blend = height + 2 * legs;
    offset = blend + 2 * legs;
    body = offset + legs;
  }
};

// Steps of all needed joints: model matrices, and orientations without scales (joint_frames.orientation_of).
LISSOM_NOINLINE void place_joints(const FootPlan& plan, const FootItems& items, const double* poses,
                                  const FootScratch& scratch, bool with_orientations) {
  const std::size_t step = plan.joint_count * kTrsScalars;
  for (std::size_t i = 0; i < plan.joints.size(); ++i) {
    const FootPlan::Joint& joint = plan.joints[i];
    L n[kTrsScalars];
    items.load<kTrsScalars>(poses + static_cast<std::size_t>(joint.joint) * kTrsScalars, step, n);
    const Trs<L> local = {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}};
    const Affine<L> own = affine_from(local);
    scratch.to_model[i] = joint.parent < 0 ? own : scratch.to_model[joint.parent] * own;
    if (!with_orientations) continue;
    const V sign = {copysign(L(1), local.scale.x), copysign(L(1), local.scale.y),
                    copysign(L(1), local.scale.z)};
    if (joint.parent < 0) {
      scratch.orientations[i] = local.rotation, scratch.signs[i] = sign;
      continue;
    }
    const V g = scratch.signs[joint.parent];
    const Q& r = local.rotation;
    scratch.orientations[i] =
        scratch.orientations[joint.parent] * Q{g.y * g.z * r.x, g.z * g.x * r.y, g.x * g.y * r.z, r.w};
    scratch.signs[i] = g * sign;
  }
}

// A point, moved by matrices of its joints: `matrix(influence)` returns three rows of four.
template <class MatrixOf>
LISSOM_INLINE V point_of(const FootPlan& plan, std::size_t p, const MatrixOf& matrix) {
  V total = zero3();
  for (std::int32_t k = plan.first_influences[p]; k < plan.first_influences[p + 1]; ++k) {
    const FootPlan::Influence& one = plan.influences[static_cast<std::size_t>(k)];
    const auto& m = matrix(one).m;
    const L x = one.offset[0], y = one.offset[1], z = one.offset[2], w = one.weight;
    total = total + V{m[0][0] * x + m[0][1] * y + m[0][2] * z + m[0][3] * w,
                      m[1][0] * x + m[1][1] * y + m[1][2] * z + m[1][3] * w,
                      m[2][0] * x + m[2][1] * y + m[2][2] * z + m[2][3] * w};
  }
  return total;
}

// The points of the soles in model space.
LISSOM_NOINLINE void place_points(const FootPlan& plan, const FootScratch& scratch, V* points) {
  for (std::size_t p = 0; p < plan.point_count(); ++p) {
    points[p] =
        point_of(plan, p, [&](const FootPlan::Influence& one) LISSOM_LAMBDA_INLINE -> const Affine<L>& {
          return scratch.to_model[one.joint];
        });
  }
}

// The rotation of a joint's matrix without scale (joint_frames.matrix_rotation); -1 is model space.
LISSOM_NOINLINE Q matrix_rotation(const FootScratch& scratch, std::int32_t joint) {
  if (joint < 0) return {L(0), L(0), L(0), L(1)};
  const Mat3<L> linear = scratch.to_model[joint].linear();
  const V x = linear.column(0), y = linear.column(1), z = linear.column(2);
  const Mat3<L> rotation = mat3_from_columns((1 / length(x)) * x, (1 / length(y)) * y, (1 / length(z)) * z);
  return quat_from(select(determinant(rotation) < L(0), L(-1), L(1)) * rotation);
}

LISSOM_INLINE V to_world(const FootLanes& f, const V& p) { return f.world * p + f.place; }

}  // namespace
}  // namespace lissom::LISSOM_ISA
