// SPDX-License-Identifier: MIT
// Jobs of ozz-animation behind C functions, for benchmarks/ozz.py. Each runs its job on every pose of a batch, so often as
// it is told: as a C++ program would call them, nothing of Python between. Data are converted to what ozz works on, and
// back, by functions of their own, which are not timed. Poses are local trs: translation, rotation x y z w, scale.
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ozz/animation/offline/animation_builder.h"
#include "ozz/animation/offline/raw_animation.h"
#include "ozz/animation/offline/raw_skeleton.h"
#include "ozz/animation/offline/skeleton_builder.h"
#include "ozz/animation/runtime/animation.h"
#include "ozz/animation/runtime/blending_job.h"
#include "ozz/animation/runtime/ik_two_bone_job.h"
#include "ozz/animation/runtime/local_to_model_job.h"
#include "ozz/animation/runtime/sampling_job.h"
#include "ozz/animation/runtime/skeleton.h"
#include "ozz/base/maths/quaternion.h"
#include "ozz/base/maths/simd_math.h"
#include "ozz/base/maths/simd_quaternion.h"
#include "ozz/base/maths/soa_transform.h"
#include "ozz/geometry/runtime/skinning_job.h"

namespace {

using ozz::math::Float4x4;
using ozz::math::SoaTransform;
namespace math = ozz::math;

constexpr int kSlots = 8;  // batches of poses; the last holds results
constexpr int kFloats = 10;

struct Rig {
  int joints = 0;
  ozz::unique_ptr<ozz::animation::Skeleton> skeleton;
  ozz::unique_ptr<ozz::animation::Animation> animation;
  ozz::animation::SamplingJob::Context context;
  ozz::vector<SoaTransform> poses[kSlots];
  ozz::vector<Float4x4> models;
  ozz::vector<math::SimdFloat4> axes, poles, targets;  // of two-bone chains
  int soa() const { return skeleton->num_soa_joints(); }
};

// Where a component of a joint lies in a SoaTransform: ten vectors of four lanes, in the order of a trs.
float* component(SoaTransform& soa, int which, int lane) {
  return reinterpret_cast<float*>(&soa) + 4 * which + lane;
}
static_assert(sizeof(SoaTransform) == kFloats * 4 * sizeof(float));

math::SimdFloat4 vector3(const float* p) { return math::simd_float4::Load(p[0], p[1], p[2], 0.f); }

void turn(SoaTransform& soa, int lane, const math::SimdQuaternion& by) {
  float q[4];
  math::StorePtrU(by.xyzw, q);
  const math::Quaternion local(*component(soa, 3, lane), *component(soa, 4, lane), *component(soa, 5, lane),
                               *component(soa, 6, lane));
  const math::Quaternion turned = local * math::Quaternion(q[0], q[1], q[2], q[3]);
  *component(soa, 3, lane) = turned.x;
  *component(soa, 4, lane) = turned.y;
  *component(soa, 5, lane) = turned.z;
  *component(soa, 6, lane) = turned.w;
}

using RawJoint = ozz::animation::offline::RawSkeleton::Joint;

void add_children(RawJoint::Children& list, int parent, int joints, const int* parents, const float* rest) {
  for (int j = 0; j < joints; ++j) {
    if (parents[j] != parent) continue;
    RawJoint joint;
    joint.name = std::to_string(j).c_str();
    const float* p = rest + kFloats * j;
    joint.transform = {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}, {p[7], p[8], p[9]}};
    list.push_back(joint);
  }
  for (RawJoint& joint : list)
    add_children(joint.children, std::stoi(joint.name.c_str()), joints, parents, rest);
}

bool local_to_model(Rig& rig, int pose) {
  ozz::animation::LocalToModelJob job;
  job.skeleton = rig.skeleton.get();
  job.input = {rig.poses[0].data() + pose * rig.soa(), static_cast<size_t>(rig.soa())};
  job.output = {rig.models.data() + pose * rig.joints, static_cast<size_t>(rig.joints)};
  return job.Run();
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT const char* ozz_simd() { return math::SimdImplementationName(); }

// Null where ozz would order the joints otherwise than they come: they must be depth first.
EXPORT Rig* ozz_rig(int joints, const int* parents, const float* rest) {
  ozz::animation::offline::RawSkeleton raw;
  add_children(raw.roots, -1, joints, parents, rest);
  auto rig = std::make_unique<Rig>();
  rig->joints = joints;
  rig->skeleton = ozz::animation::offline::SkeletonBuilder()(raw);
  if (!rig->skeleton) return nullptr;
  for (int j = 0; j < joints; ++j) {
    if (std::to_string(j) != rig->skeleton->joint_names()[j]) return nullptr;
  }
  rig->context.Resize(joints);
  return rig.release();
}

EXPORT void ozz_free(Rig* rig) { delete rig; }

EXPORT void ozz_set_poses(Rig* rig, int slot, const float* trs, int count) {
  rig->poses[slot].assign(count * rig->soa(), SoaTransform::identity());
  for (int n = 0; n < count; ++n) {
    for (int j = 0; j < rig->joints; ++j) {
      for (int c = 0; c < kFloats; ++c) {
        *component(rig->poses[slot][n * rig->soa() + j / 4], c, j % 4) =
            trs[(n * rig->joints + j) * kFloats + c];
      }
    }
  }
}

EXPORT void ozz_get_poses(Rig* rig, int slot, float* trs, int count) {
  for (int n = 0; n < count; ++n) {
    for (int j = 0; j < rig->joints; ++j) {
      for (int c = 0; c < kFloats; ++c) {
        trs[(n * rig->joints + j) * kFloats + c] =
            *component(rig->poses[slot][n * rig->soa() + j / 4], c, j % 4);
      }
    }
  }
}

// Keys of all joints at the same times, which begin at 0.
EXPORT int ozz_set_clip(Rig* rig, int keys, const float* times, const float* trs) {
  ozz::animation::offline::RawAnimation raw;
  raw.duration = times[keys - 1];
  raw.tracks.resize(rig->joints);
  for (int j = 0; j < rig->joints; ++j) {
    for (int k = 0; k < keys; ++k) {
      const float* p = trs + (k * rig->joints + j) * kFloats;
      raw.tracks[j].translations.push_back({times[k], {p[0], p[1], p[2]}});
      raw.tracks[j].rotations.push_back({times[k], {p[3], p[4], p[5], p[6]}});
      raw.tracks[j].scales.push_back({times[k], {p[7], p[8], p[9]}});
    }
  }
  rig->animation = ozz::animation::offline::AnimationBuilder()(raw);
  rig->context.Resize(rig->joints);
  return rig->animation != nullptr;
}

// ---- Timed ----

EXPORT int ozz_sample(Rig* rig, const float* seconds, int count, int repeats) {
  bool well = true;
  for (int r = 0; r < repeats; ++r) {
    for (int n = 0; n < count; ++n) {
      ozz::animation::SamplingJob job;
      job.animation = rig->animation.get();
      job.context = &rig->context;
      job.ratio = seconds[n] / rig->animation->duration();
      job.output = {rig->poses[0].data() + n * rig->soa(), static_cast<size_t>(rig->soa())};
      well &= job.Run();
    }
  }
  return well;
}

EXPORT int ozz_models(Rig* rig, int count, int repeats) {
  if (rig->models.size() < static_cast<size_t>(count) * rig->joints) rig->models.resize(count * rig->joints);
  bool well = true;
  for (int r = 0; r < repeats; ++r) {
    for (int n = 0; n < count; ++n) well &= local_to_model(*rig, n);
  }
  return well;
}

EXPORT int ozz_blend(Rig* rig, int layers, const float* weights, int count, int repeats) {
  const size_t soa = rig->soa();
  bool well = true;
  for (int r = 0; r < repeats; ++r) {
    for (int n = 0; n < count; ++n) {
      ozz::animation::BlendingJob::Layer each[kSlots];
      for (int i = 0; i < layers; ++i) {
        each[i].weight = weights[i];
        each[i].transform = {rig->poses[i].data() + n * soa, soa};
      }
      ozz::animation::BlendingJob job;
      job.layers = {each, static_cast<size_t>(layers)};
      job.rest_pose = rig->skeleton->joint_rest_poses();
      job.output = {rig->poses[kSlots - 1].data() + n * soa, soa};
      well &= job.Run();
    }
  }
  return well;
}

EXPORT int ozz_skin(const float* palette, int rows, int vertices, int influences,
                    const unsigned short* indices, const float* weights, const float* positions,
                    const float* normals, float* out, float* out_normals, int repeats) {
  const size_t count = vertices;
  ozz::geometry::SkinningJob job;
  job.vertex_count = vertices;
  job.influences_count = influences;
  job.joint_matrices = {reinterpret_cast<const Float4x4*>(palette), static_cast<size_t>(rows)};
  job.joint_indices = {indices, count * influences};
  job.joint_indices_stride = influences * sizeof(unsigned short);
  job.joint_weights = {weights, count * (influences - 1)};
  job.joint_weights_stride = (influences - 1) * sizeof(float);
  job.in_positions = {positions, 3 * count};
  job.in_normals = {normals, 3 * count};
  job.out_positions = {out, 3 * count};
  job.out_normals = {out_normals, 3 * count};
  job.in_positions_stride = job.in_normals_stride = 3 * sizeof(float);
  job.out_positions_stride = job.out_normals_stride = 3 * sizeof(float);
  bool well = true;
  for (int r = 0; r < repeats; ++r) well &= job.Run();
  return well;
}

// ---- Two bones: joints 0, 1 and 2 of poses in slot 0 ----

// Hinges as the poses have them, and poles where their middle joints point to.
EXPORT void ozz_set_chains(Rig* rig, const float* axes, const float* poles, const float* targets, int count) {
  rig->axes.clear(), rig->poles.clear(), rig->targets.clear();
  for (int n = 0; n < count; ++n) {
    rig->axes.push_back(vector3(axes + 3 * n));
    rig->poles.push_back(vector3(poles + 3 * n));
    rig->targets.push_back(vector3(targets + 3 * n));
  }
}

// Corrections alone from matrices that are there, or all: matrices before, and rotations of slot 0 into the last.
EXPORT int ozz_two_bone(Rig* rig, int count, int whole, int repeats) {
  bool well = true;
  for (int r = 0; r < repeats; ++r) {
    for (int n = 0; n < count; ++n) {
      if (whole) well &= local_to_model(*rig, n);
      const Float4x4* models = rig->models.data() + 3 * n;
      math::SimdQuaternion start, mid;
      ozz::animation::IKTwoBoneJob job;
      job.target = rig->targets[n];
      job.mid_axis = rig->axes[n];
      job.pole_vector = rig->poles[n];
      job.start_joint = models;
      job.mid_joint = models + 1;
      job.end_joint = models + 2;
      job.start_joint_correction = &start;
      job.mid_joint_correction = &mid;
      well &= job.Run();
      SoaTransform& out = rig->poses[kSlots - 1][n];
      if (whole) {
        out = rig->poses[0][n];
        turn(out, 0, start);
        turn(out, 1, mid);
      } else {
        out.rotation.x = start.xyzw;  // used, so that none is left out
        out.rotation.y = mid.xyzw;
      }
    }
  }
  return well;
}

EXPORT void ozz_get_models(Rig* rig, float* matrices, int count) {
  std::memcpy(matrices, rig->models.data(),
              sizeof(Float4x4) * count * rig->joints);  // columns one after another
}
