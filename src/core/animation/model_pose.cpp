// SPDX-License-Identifier: MIT
#include "core/animation/model_pose.h"

#include <string>

#include "core/math/conventions.h"
#include "core/math/trs.h"
#include "core/parallel/thread_pool.h"

namespace lissom {
namespace {

template <class T>
void compose_pose(std::span<const std::int32_t> parents, const Trs<T>* pose, Mat4<T>* out) {
  for (std::size_t joint = 0; joint < parents.size(); ++joint) {
    const Affine<T> parent_from_joint = affine_from(pose[joint]);
    const std::int32_t parent = parents[joint];
    out[joint] = mat4_from(parent < 0 ? parent_from_joint : affine_from(out[parent]) * parent_from_joint);
  }
}

}  // namespace

Error check_parents(std::span<const std::int32_t> parents) {
  for (std::size_t joint = 0; joint < parents.size(); ++joint) {
    const std::int32_t parent = parents[joint];
    if (parent < kNoParent || parent >= static_cast<std::int64_t>(joint)) {
      return Error("parents[" + std::to_string(joint) + "] must be -1 or a joint before it, got " +
                   std::to_string(parent) + "; sort the joints so that parents come first");
    }
  }
  return {};
}

template <class T>
Error ModelPoseJob<T>::validate() const {
  const std::size_t joint_count = parents.size();
  const std::size_t pose_size = joint_count * kTrsScalars;
  if (pose_size ? poses.size() % pose_size : poses.size()) {
    return Error("poses must hold whole poses of " + std::to_string(joint_count) + " joints");
  }
  if (out.size() != poses.size() / kTrsScalars * kMatrixScalars) {
    return Error("out must hold one 4x4 matrix per joint and pose");
  }
  return check_parents(parents);
}

template <class T>
Error ModelPoseJob<T>::run() const {
  if (Error error = validate()) return error;
  const std::size_t joint_count = parents.size();
  if (!joint_count) return {};
  const auto* pose = reinterpret_cast<const Trs<T>*>(poses.data());
  auto* matrices = reinterpret_cast<Mat4<T>*>(out.data());
  const std::size_t pose_count = poses.size() / (joint_count * kTrsScalars);
  constexpr double kNanosecondsPerJoint = 5.0;
  parallel_for(pose_count, 1, kNanosecondsPerJoint * static_cast<double>(joint_count),
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t i = begin; i < end; ++i) {
                   compose_pose(parents, pose + i * joint_count, matrices + i * joint_count);
                 }
               });
  return {};
}

template struct ModelPoseJob<float>;
template struct ModelPoseJob<double>;

}  // namespace lissom
