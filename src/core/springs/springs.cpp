// SPDX-License-Identifier: MIT
#include "core/springs/springs.h"

#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "core/cache_line.h"
#include "core/ik/ik_job.h"
#include "core/math/conventions.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"
#include "core/springs/spring_kernels.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(SpringKernels, spring_kernels)

namespace {

template <class T>
const SpringLoop<T>& loop() {
  if constexpr (std::is_same_v<T, float>) {
    return spring_kernels().floats;
  } else {
    return spring_kernels(kIsaOfDoubles).doubles;
  }
}

}  // namespace

template <class T>
Error SpringJob<T>::validate() const {
  if (!plan) return Error("plan must be given");
  const std::size_t springs = plan->springs.size(), frame = characters * plan->joint_count * kTrsScalars;
  const std::size_t frames = frame ? poses.size() / frame : 0;
  if (poses.size() != frames * frame) return Error("poses must hold whole poses of all characters");
  if (!moves.empty() && moves.size() != frames * characters * 7) {
    return Error("moves must hold a translation and a rotation for each pose");
  }
  if (!turns.empty() && turns.size() != frames * characters * 4) {
    return Error("turns must hold a rotation for each pose");
  }
  if ((!start.empty() && start.size() != tails.size()) || tails.size() != characters * springs * 6) {
    return Error("tails must hold two points for each spring and character");
  }
  if (rotations.size() != frames * characters * springs * 4) {
    return Error("rotations must hold one rotation for each spring and pose");
  }
  return {};
}

template <class T>
Error SpringJob<T>::run() const {
  if (Error error = validate()) return error;
  if (rotations.empty()) return {};
  const auto given = [](std::span<const T> numbers) { return numbers.empty() ? nullptr : numbers.data(); };
  const std::size_t frames = poses.size() / (characters * plan->joint_count * kTrsScalars);
  const SpringBatch<T> batch = {poses.data(), given(moves),     given(turns), given(start),
                                tails.data(), rotations.data(), characters,   frames};
  const SpringLoop<T>& kernel = loop<T>();
  const std::size_t lines = kernel.scratch_bytes(*plan) / sizeof(CacheLine<char>) + 1;
  SpringFault first;
  std::mutex guard;
  constexpr double kNanosecondsPerJoint = 8, kNanosecondsPerSpring = 20;
  constexpr std::size_t kGrain = 16;  // whole blocks of the widest kernel
  const double cost = kNanosecondsPerJoint * static_cast<double>(plan->joints.size()) +
                      kNanosecondsPerSpring * static_cast<double>(plan->springs.size() + plan->hits.size());
  parallel_for(characters, kGrain, cost * static_cast<double>(frames),
               [&](std::size_t begin, std::size_t end) {
                 std::vector<CacheLine<char>> scratch(lines);
                 const SpringFault fault = kernel.step(*plan, batch, begin, end, scratch.data());
                 if (fault.joint < 0) return;
                 const std::lock_guard lock(guard);
                 if (first.joint < 0 || fault.character < first.character) first = fault;
               });
  if (first.joint < 0) return {};
  return Error("poses must be finite, their rotations unit (quat.normalize makes them), got joint " +
               std::to_string(first.joint) + " of pose " +
               std::to_string(first.frame * characters + first.character) + ", which is not");
}

template struct SpringJob<float>;
template struct SpringJob<double>;

}  // namespace lissom
