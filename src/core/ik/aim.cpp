// SPDX-License-Identifier: MIT
#include "core/ik/aim.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/animation/pose_checks.h"
#include "core/ik/aim_kernels.h"
#include "core/number_text.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(AimKernels, aim_kernels)

namespace {

constexpr double kNanoseconds = 100;  // of a joint

template <class T>
const AimLoop<T>& loop() {
  if constexpr (std::is_same_v<T, float>) {
    return aim_kernels().floats;
  } else {
    return aim_kernels(kIsaOfDoubles).doubles;
  }
}

constexpr double kPi = 3.14159265358979323846;

// Of the rotation that is left at each node: its share of the sum of its own and those after it. The last takes all.
std::vector<double> fractions_of(std::vector<double> shares, std::size_t count) {
  if (shares.empty()) shares.assign(count, 1);
  double left = 0;
  for (std::size_t i = count; i-- > 0;) {
    left += shares[i];
    shares[i] = left > 0 ? shares[i] / left : 0;
  }
  return shares;
}

AimStop stop_of(std::uint8_t signs, bool is_reached, bool is_limited, bool is_weighted) {
  if (is_reached) {
    if (signs & kNoUpThere) return AimStop::kNoUp;
    return signs & kAimedBefore ? AimStop::kBefore : AimStop::kReached;
  }
  if (signs & kTargetTooNear) return AimStop::kNear;
  if (signs & kTargetBehind) return AimStop::kBehind;
  if (is_limited) return AimStop::kLimit;
  return is_weighted ? AimStop::kWeight : AimStop::kIterations;
}

}  // namespace

template <class T>
Error AimJob<T>::validate() const {
  if (Error error = IkJob<T>::validate(kNanoseconds)) return error;
  const std::size_t count = this->iterations.size(), nodes = this->tree->plan().node_count;
  if (this->tree->chain_count() != 1) return Error("chain must be one, not several");
  const auto square = [](const std::array<double, 3>& v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; };
  const bool has_up = square(up) != 0;
  if (!(std::abs(square(axis) - 1) <= 1e-6)) return Error("axis must be a unit vector");
  if (has_up && !(std::abs(square(up) - 1) <= 1e-6))
    return Error("up must be a unit vector, or zero for none");
  if (!std::isfinite(square(offset))) return Error("offset must be finite");
  if (!shares.empty() && shares.size() != nodes) {
    return Error("shares must have " + std::to_string(nodes) + " numbers, got " +
                 std::to_string(shares.size()));
  }
  const auto is_share = [](double x) { return x >= 0 && std::isfinite(x); };
  if (Error error = check_numbers<double>("shares", "must be at least 0 and finite", shares, 1, is_share)) {
    return error;
  }
  if (!shares.empty() && *std::max_element(shares.begin(), shares.end()) <= 0) {
    return Error("shares must not all be 0");
  }
  if (stops.size() != count) return Error("stops must have one entry for each pose");
  if (!(behind >= 0 && behind <= kPi)) {
    return Error("behind must lie in [0, pi] radians, got " + number_text(behind));
  }
  if (has_up && !serves(poles, count, 3)) return Error("pole must hold three numbers");
  for (std::size_t i = 0; i < poles.size(); i += 3) {
    for (int k = 0; k < 3; ++k) {
      if (!std::isfinite(poles[i + k])) return Error("pole must be finite, got " + number_text(poles[i + k]));
    }
    if (poles[i] == 0 && poles[i + 1] == 0 && poles[i + 2] == 0) {
      return Error("pole must not be zero: it has no direction");
    }
  }
  return {};
}

template <class T>
Error AimJob<T>::run() const {
  if (Error error = validate()) return error;
  const IkPlan tree_plan = this->tree->plan();
  // The effector rotates, too.
  std::vector<IkNode> nodes(tree_plan.nodes, tree_plan.nodes + tree_plan.node_count);
  nodes.back().rotates = 1;
  const std::vector<double> fractions = fractions_of(shares, nodes.size());
  AimOptions<T> options{};
  std::copy(axis.begin(), axis.end(), options.axis);
  std::copy(offset.begin(), offset.end(), options.offset);
  std::copy(up.begin(), up.end(), options.up);
  options.poles = poles.empty() ? nullptr : poles.data();
  options.pole_step = step_of(poles, this->iterations.size(), 3);
  options.fractions = fractions.data();
  options.behind = 1 - std::cos(behind);
  options.signs = stops.data();
  this->solve(
      [&](IkPlan plan, const IkBatch<T>& batch, std::size_t begin, std::size_t end, void* scratch) {
        plan.nodes = nodes.data();
        loop<T>().solve(plan, batch, options, begin, end, scratch);
      },
      loop<T>().scratch_bytes(tree_plan), kNanoseconds * static_cast<double>(nodes.size()));
  const std::size_t joints = this->tree->joint_count(), weight_step = step_of(this->weights, stops.size(), 1);
  for (std::size_t i = 0; i < stops.size(); ++i) {
    const std::uint8_t* const at_limit = this->limited.data() + i * joints;
    const bool is_limited = std::any_of(nodes.begin(), nodes.end(),
                                        [&](const IkNode& node) { return at_limit[node.joint] != 0; });
    stops[i] = static_cast<std::uint8_t>(
        stop_of(stops[i], this->reached[i] != 0, is_limited, this->weights[i * weight_step] < T(1)));
  }
  return {};
}

template struct AimJob<float>;
template struct AimJob<double>;

}  // namespace lissom
