// SPDX-License-Identifier: MIT
#include "core/ik/least_squares.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

#include "core/cache_line.h"
#include "core/ik/least_squares_kernels.h"
#include "core/number_text.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(LeastSquaresKernels, least_squares_kernels)

namespace {

constexpr double kNanoseconds = 2000;

template <class T>
const LeastSquaresLoop<T>& loop() {
  if constexpr (std::is_same_v<T, float>) {
    return least_squares_kernels().floats;
  } else {
    return least_squares_kernels(kIsaOfDoubles).doubles;
  }
}

}  // namespace

template <class T>
Error LeastSquaresJob<T>::validate() const {
  if (Error error = IkJob<T>::validate(kNanoseconds)) return error;
  if (!stiffness.empty() && stiffness.size() != this->tree->joint_count()) {
    return Error("stiffness must have one number for each joint");
  }
  const auto is_share = [](double x) { return x >= 0 && x <= 1; };
  for (std::size_t i = 0; i < stiffness.size(); ++i) {
    if (is_share(stiffness[i])) continue;
    return Error("stiffness of joint '" + this->tree->name(static_cast<std::int32_t>(i)) +
                 "' must lie in [0, 1], got " + number_text(stiffness[i]));
  }
  if (!(damping >= 0) || !std::isfinite(damping)) {
    return Error("damping must be at least 0 and finite, got " + number_text(damping));
  }
  if (!is_share(rest_attraction)) {
    return Error("rest_attraction must lie in [0, 1], got " + number_text(rest_attraction));
  }
  return {};
}

template <class T>
Error LeastSquaresJob<T>::run() const {
  if (Error error = validate()) return error;
  const LeastSquaresSettings settings = {stiffness.empty() ? nullptr : stiffness.data(), damping,
                                         rest_attraction, is_selective};
  const LeastSquaresLoop<T>& solver = loop<T>();
  this->solve([&](const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin, std::size_t end,
                  void* scratch) { solver.solve(plan, batch, settings, begin, end, scratch); },
              solver.scratch_bytes(this->tree->plan()), kNanoseconds);
  return {};
}

template struct LeastSquaresJob<float>;
template struct LeastSquaresJob<double>;

JacobianOfPose jacobian_of(const LeastSquaresJob<double>& job) {
  JacobianOfPose result;
  const IkPlan plan = job.tree->plan();
  using Line = CacheLine<std::byte>;
  std::vector<Line> scratch(least_squares_kernels(kIsaOfDoubles).doubles.scratch_bytes(plan) / sizeof(Line) +
                            1);
  const std::size_t rows = 6 * plan.effector_count;
  result.jacobian.resize(rows * plan.node_count * 3);
  result.gram.resize(rows * rows);
  IkBatch<double> batch{};
  batch.poses = job.poses.data();
  batch.targets = job.targets.data();
  batch.orientations = job.orientations.empty() ? nullptr : job.orientations.data();
  batch.frames = 1;
  result.row_count = least_squares_kernels(kIsaOfDoubles)
                         .jacobian(plan, batch, job.stiffness.empty() ? nullptr : job.stiffness.data(),
                                   scratch.data(), result.jacobian.data(), result.gram.data());
  result.jacobian.resize(result.row_count * plan.node_count * 3);
  result.gram.resize(result.row_count * result.row_count);
  return result;
}

}  // namespace lissom
