// SPDX-License-Identifier: MIT
#include "core/retarget/retarget.h"

#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "core/cache_line.h"
#include "core/ik/ik_job.h"
#include "core/math/conventions.h"
#include "core/parallel/thread_pool.h"
#include "core/retarget/retarget_kernels.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(RetargetKernels, retarget_kernels)

namespace {

template <class T>
const RetargetLoop<T>& loop() {
  if constexpr (std::is_same_v<T, float>) {
    return retarget_kernels().floats;
  } else {
    return retarget_kernels(kIsaOfDoubles).doubles;
  }
}

}  // namespace

template <class T>
Error RetargetJob<T>::validate() const {
  if (!plan) return Error("plan must be given");
  const std::size_t source_size = plan->source_joint_count * kTrsScalars,
                    size = plan->joint_count() * kTrsScalars;
  const std::size_t count = poses.size() / source_size, limbs = plan->limbs.size();
  if (poses.size() != count * source_size) return Error("poses must hold whole poses of the source");
  if (out.size() != count * size) return Error("out must hold one pose for each of poses");
  if (!offsets.empty() && offsets.size() != count * limbs * 3) {
    return Error("offsets must hold three numbers for each limb and pose");
  }
  const std::size_t of_goals = has_goals ? count : 0;
  if (goals.size() != of_goals * limbs * 3 || orientations.size() != of_goals * limbs * 4 ||
      beyond.size() != of_goals * limbs || headings.size() != of_goals * 4) {
    return Error("outputs of goals must have one entry for each pose, or be empty without goals");
  }
  return {};
}

template <class T>
Error RetargetJob<T>::run() const {
  if (Error error = validate()) return error;
  if (out.empty()) return {};
  const std::size_t count = poses.size() / (plan->source_joint_count * kTrsScalars);
  const RetargetLoop<T>& kernel = loop<T>();
  const std::vector<T> rest(plan->rest.begin(), plan->rest.end());
  const RetargetBatch<T> batch = {poses.data(),        offsets.empty() ? nullptr : offsets.data(),
                                  out.data(),          has_goals ? goals.data() : nullptr,
                                  orientations.data(), beyond.data(),
                                  headings.data()};
  const std::size_t lines = kernel.scratch_bytes(*plan) / sizeof(CacheLine<char>) + 1;
  RetargetFault first;
  std::mutex guard;
  constexpr double kNanosecondsPerJoint = 12;
  constexpr std::size_t kGrain = 16;  // whole blocks of the widest kernel
  parallel_for(
      count, kGrain, kNanosecondsPerJoint * static_cast<double>(plan->source.size() + plan->joints.size()),
      [&](std::size_t begin, std::size_t end) {
        std::vector<CacheLine<char>> scratch(lines);
        const RetargetFault fault = kernel.carry(*plan, batch, rest.data(), begin, end, scratch.data());
        if (fault.joint < 0) return;
        const std::lock_guard lock(guard);
        if (fault.item < first.item) first = fault;
      });
  if (first.joint < 0) return {};
  return Error("poses must be finite, their rotations unit (quat.normalize makes them), got joint " +
               std::to_string(first.joint) + " of pose " + std::to_string(first.item) + ", which is not");
}

template struct RetargetJob<float>;
template struct RetargetJob<double>;

}  // namespace lissom
