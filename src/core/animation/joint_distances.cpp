// SPDX-License-Identifier: MIT
#include "core/animation/joint_distances.h"

#include <string>
#include <type_traits>
#include <vector>

#include "core/animation/joint_distance_kernels.h"
#include "core/animation/model_pose.h"
#include "core/cache_line.h"
#include "core/math/conventions.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(JointDistanceKernels, joint_distance_kernels)

template <class T>
Error JointDistanceJob<T>::validate() const {
  const std::size_t joint_count = parents.size();
  if (offsets.size() != 3 * joint_count) return Error("offsets must hold three numbers per joint");
  const std::size_t pose_size = joint_count * kTrsScalars;
  if (pose_size ? before.size() % pose_size : before.size()) {
    return Error("before must hold whole poses of " + std::to_string(joint_count) + " joints");
  }
  if (after.size() != before.size()) return Error("after must hold as many poses as before");
  if (out.size() != before.size() / kTrsScalars) return Error("out must hold one number per joint and pose");
  return check_parents(parents);
}

template <class T>
Error JointDistanceJob<T>::run() const {
  if (Error error = validate()) return error;
  const std::size_t joint_count = parents.size(), pose_size = joint_count * kTrsScalars;
  if (!joint_count) return {};
  const JointDistanceKernels& kernels = joint_distance_kernels();
  constexpr double kNanosecondsPerJoint = 10.0;
  // Whole blocks of the widest kernel: which poses are computed side by side must not depend on threads.
  constexpr std::size_t kGrain = 16;
  parallel_for(before.size() / pose_size, kGrain, kNanosecondsPerJoint * static_cast<double>(joint_count),
               [&](std::size_t begin, std::size_t end) {
                 std::vector<CacheLine<double>> scratch((joint_count * kernels.scratch_per_joint + 7) / 8);
                 const JointDistanceArgs<T> args{parents.data(),
                                                 offsets.data(),
                                                 joint_count,
                                                 before.data() + begin * pose_size,
                                                 after.data() + begin * pose_size,
                                                 end - begin,
                                                 out.data() + begin * joint_count,
                                                 scratch[0].numbers};
                 if constexpr (std::is_same_v<T, float>) {
                   kernels.measure_float(args);
                 } else {
                   kernels.measure_double(args);
                 }
               });
  return {};
}

template struct JointDistanceJob<float>;
template struct JointDistanceJob<double>;

}  // namespace lissom
