// SPDX-License-Identifier: MIT
#include "core/ik/ik_job.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "core/animation/pose_checks.h"
#include "core/number_text.h"
#include "core/parallel/scratch.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(IkCheckKernels, ik_check_kernels)

namespace {

// Of checking poses: a joint of one, roughly, and how many whole vectors hold.
constexpr double kCheckNanoseconds = 2;
constexpr std::size_t kCheckGrain = 16;

template <class T>
IkCheck<T> check() {
  if constexpr (std::is_same_v<T, float>) {
    return ik_check_kernels().floats;
  } else {
    return ik_check_kernels().doubles;
  }
}

const char* rule(IkFault fault) {
  switch (fault) {
    case IkFault::kNotFinite:
      return "must be finite";
    case IkFault::kNotUnit:
      return "must have a unit rotation (trs.rotation(poses) normalised by quat.normalize)";
    case IkFault::kNotUniform:
      return "must be scaled equally along all axes: bones that rotate below it would change their length";
    case IkFault::kSingular:
      return "must not be scaled to zero: its descendants cannot be moved";
    case IkFault::kNone:
      break;
  }
  return "";
}

Error positive(const char* name, double value) {
  if (value > 0 && std::isfinite(value)) return {};
  return Error(std::string(name) + " must be above 0 and finite, got " + number_text(value));
}

// All of them, without a branch for each and several side by side: what is not finite times 0 is not 0.
template <class T>
bool are_finite(std::span<const T> numbers) {
  constexpr std::size_t kSome = 8;
  T sums[kSome] = {};
  std::size_t i = 0;
  for (; i + kSome <= numbers.size(); i += kSome) {
    for (std::size_t k = 0; k < kSome; ++k) sums[k] += numbers[i + k] * T(0);
  }
  for (; i < numbers.size(); ++i) sums[0] += numbers[i] * T(0);
  T sum = 0;
  for (const T some : sums) sum += some;
  return sum == T(0);
}

std::string place(std::size_t i, std::size_t size, std::size_t chains) {
  const std::size_t row = i / size;
  std::string text;
  if (chains > 1) text += " for chain " + std::to_string(row % chains);
  return text + (row / chains ? " at item " + std::to_string(row / chains) : "");
}

}  // namespace

template <class T>
IkBatch<T> IkJob<T>::batch() const {
  const std::size_t pose_size = tree->joint_count() * kTrsScalars, count = iterations.size();
  const std::size_t chains = tree->chain_count();
  return {poses.data(),
          step_of(poses, count, pose_size),
          start.empty() ? nullptr : start.data(),
          step_of(start, count, pose_size),
          targets.data(),
          step_of(targets, count, chains * 3),
          orientations.empty() ? nullptr : orientations.data(),
          step_of(orientations, count, chains * 4),
          weights.data(),
          step_of(weights, count, 1),
          frames,
          static_cast<T>(tolerance),
          static_cast<T>(angle_tolerance),
          max_iterations,
          is_unscaled_,
          out.data(),
          residuals.data(),
          angles.empty() ? nullptr : angles.data(),
          iterations.data(),
          reached.data(),
          limited.data()};
}

template <class T>
Error IkJob<T>::validate(double nanoseconds) const {
  if (!tree) return Error("tree must be given");
  const std::size_t joints = tree->joint_count(), chains = tree->chain_count(), count = iterations.size();
  const std::size_t pose_size = joints * kTrsScalars;
  if (!serves(poses, count, pose_size)) return Error("poses must hold one pose, or as many as out");
  if (!start.empty() && !serves(start, count, pose_size)) {
    return Error("start must hold one pose, or as many as out");
  }
  if (!serves(targets, count, chains * 3)) return Error("targets must hold three numbers for each chain");
  if (!orientations.empty() && !serves(orientations, count, chains * 4)) {
    return Error("orientations must hold four numbers for each chain");
  }
  if (!serves(weights, count, 1)) return Error("weight must hold one number, or one for each pose");
  if (out.size() != count * pose_size || residuals.size() != count * chains ||
      reached.size() != count * chains || limited.size() != count * joints ||
      angles.size() != (orientations.empty() ? 0 : count * chains)) {
    return Error("outputs must have one entry for each pose");
  }
  if (!frames || count % frames) return Error("there must be whole sequences of frames");
  if (Error error = positive("tolerance", tolerance)) return error;
  if (Error error = positive("angle_tolerance", angle_tolerance)) return error;
  if (max_iterations < 0) {
    return Error("max_iterations must be at least 0, got " + std::to_string(max_iterations));
  }
  if (max_iterations > kMostIterations) {
    return Error("max_iterations must be at most " + std::to_string(kMostIterations) + ", got " +
                 std::to_string(max_iterations));
  }
  const auto is_share = [](T x) { return (x >= T(0)) & (x <= T(1)); };
  if (Error error = check_numbers<T>("weight", "must lie in [0, 1]", weights, 1, is_share)) return error;
  const bool has_finite_targets = are_finite(targets);
  for (std::size_t i = 0; !has_finite_targets && i < targets.size(); ++i) {
    if (std::isfinite(targets[i])) continue;
    return Error("targets must be finite, got " + number_text(targets[i]) + place(i, 3, chains));
  }
  for (std::size_t i = 0; i < orientations.size(); i += 4) {
    const T* q = &orientations[i];
    const T square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const bool asks_none = std::isnan(q[0]) && std::isnan(q[1]) && std::isnan(q[2]) && std::isnan(q[3]);
    if (asks_none || std::abs(square - T(1)) <= T(2e-3)) continue;
    return Error(
        "orientations must be unit quaternions (quat.normalize makes them), or NaN where none is asked, "
        "got length " +
        number_text(std::sqrt(square)) + place(i, 4, chains));
  }
  if (!count) return {};
  const IkPlan plan = tree->plan();
  const auto check_all = [&](const char* name, std::span<const T> array, std::size_t items) -> Error {
    IkBatch<T> one = batch();
    one.poses = array.data();
    one.pose_step = step_of(array, items, pose_size);
    std::atomic<bool> is_sound{true}, has_scales{false};
    const double to_check = kCheckNanoseconds * static_cast<double>(plan.ancestor_count + plan.node_count);
    parallel_for(items, kCheckGrain, to_check + nanoseconds, [&](std::size_t begin, std::size_t end) {
      const IkFaultPlace found = check<T>()(plan, one, begin, end);
      if (found.fault != IkFault::kNone) is_sound.store(false, std::memory_order_relaxed);
      if (found.has_scales) has_scales.store(true, std::memory_order_relaxed);
    });
    if (array.data() == poses.data()) is_unscaled_ = !has_scales.load();
    if (is_sound.load()) return {};
    const IkFaultPlace found = check<T>()(plan, one, 0, items);  // the first, whatever thread met one
    return Error(std::string(name) + ": joint '" + tree->name(found.joint) + "'" +
                 (items > 1 ? " of pose " + std::to_string(found.item) : "") + " " + rule(found.fault));
  };
  if (Error error = check_all("poses", poses, poses.size() / pose_size)) return error;
  return start.empty() ? Error() : check_all("start", start, start.size() / pose_size);
}

template <class T>
Error IkJob<T>::run(const IkLoop<T>& solver, double nanoseconds) const {
  if (Error error = validate(nanoseconds)) return error;
  solve(solver.solve, solver.scratch_bytes(tree->plan()), nanoseconds);
  return {};
}

template <class T>
void IkJob<T>::solve(const Solve& solver, std::size_t scratch_bytes, double nanoseconds) const {
  if (iterations.empty()) return;
  const IkPlan plan = tree->plan();
  const IkBatch<T> items = batch();
  parallel_for(iterations.size() / frames, 1, nanoseconds * static_cast<double>(frames),
               [&](std::size_t begin, std::size_t end) {
                 Scratch scratch(scratch_bytes);
                 solver(plan, items, begin * frames, end * frames, scratch.data());
               });
}

template struct IkJob<float>;
template struct IkJob<double>;

}  // namespace lissom
