// SPDX-License-Identifier: MIT
#include "core/animation/model_pose.h"

#include <string>
#include <vector>

#include "core/animation/model_pose_kernels.h"
#include "core/cache_line.h"
#include "core/math/conventions.h"
#include "core/math/trs.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(ModelPoseKernels, model_pose_kernels)

namespace {

// float32 uses the kernels.
void compose_poses(std::span<const std::int32_t> parents, const float* poses, std::size_t pose_count,
                   float* out, bool past_caches) {
  const ModelPoseKernels& kernels = model_pose_kernels();
  std::vector<CacheLine<float>> scratch;
  if (pose_count >= kernels.width) scratch.resize((parents.size() * kernels.scratch_per_joint + 15) / 16);
  kernels.compose(parents.data(), parents.size(), poses, pose_count, out,
                  scratch.empty() ? nullptr : scratch[0].numbers, past_caches);
}

template <class T>
void compose_poses(std::span<const std::int32_t> parents, const T* poses, std::size_t pose_count, T* out,
                   bool /*past_caches*/) {
  const auto* local = reinterpret_cast<const Trs<T>*>(poses);
  auto* model = reinterpret_cast<Mat4<T>*>(out);
  for (; pose_count; --pose_count, local += parents.size(), model += parents.size()) {
    for (std::size_t joint = 0; joint < parents.size(); ++joint) {
      const Affine<T> parent_from_joint = affine_from(local[joint]);
      const std::int32_t parent = parents[joint];
      model[joint] =
          mat4_from(parent < 0 ? parent_from_joint : affine_from(model[parent]) * parent_from_joint);
    }
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
  return are_parents_checked ? Error() : check_parents(parents);
}

template <class T>
Error ModelPoseJob<T>::run() const {
  if (Error error = validate()) return error;
  const std::size_t joint_count = parents.size();
  if (!joint_count) return {};
  const std::size_t pose_count = poses.size() / (joint_count * kTrsScalars);
  constexpr double kNanosecondsPerJoint = 4.0;
  // Whole blocks of the widest kernel: which poses are computed side by side must not depend on threads.
  constexpr std::size_t kGrain = 16;
  // Stores to a cache read the line first, which is a third of the time. Above this size, half of a common third-level
  // cache, little of the output would remain cached for its reader.
  constexpr std::size_t kCachedBytes = std::size_t{8} << 20;
  const bool past_caches = out.size_bytes() > kCachedBytes;
  parallel_for(pose_count, kGrain, kNanosecondsPerJoint * static_cast<double>(joint_count),
               [&](std::size_t begin, std::size_t end) {
                 compose_poses(parents, poses.data() + begin * joint_count * kTrsScalars, end - begin,
                               out.data() + begin * joint_count * kMatrixScalars, past_caches);
               });
  return {};
}

template struct ModelPoseJob<float>;
template struct ModelPoseJob<double>;

}  // namespace lissom
