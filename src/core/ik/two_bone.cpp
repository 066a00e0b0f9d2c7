// SPDX-License-Identifier: MIT
#include "core/ik/two_bone.h"

#include <cmath>
#include <type_traits>

#include "core/animation/pose_checks.h"
#include "core/ik/two_bone_kernels.h"
#include "core/number_text.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(TwoBoneKernels, two_bone_kernels)

namespace {

constexpr double kNanoseconds = 30;  // of a limb

template <class T>
const TwoBoneLoop<T>& loop() {
  if constexpr (std::is_same_v<T, float>) {
    return two_bone_kernels().floats;
  } else {
    return two_bone_kernels().doubles;  // also feet of live characters: as wide as there is
  }
}

std::string quoted(const std::string& name) { return "'" + name + "'"; }

// Each chain is a limb of its own: two nodes that rotate, and the effector.
Error check_limbs(const IkTree& tree) {
  const IkPlan plan = tree.plan();
  for (std::size_t e = 0; e < plan.effector_count; ++e) {
    const std::string effector = quoted(tree.name(plan.nodes[plan.effectors[e]].joint));
    int rotating = 0;
    for (std::int32_t i = plan.nodes[plan.effectors[e]].parent; i >= 0; i = plan.nodes[i].parent) {
      rotating += plan.nodes[i].rotates;
      if (plan.nodes[i].below_end - plan.nodes[i].below_begin != 1) {
        return Error("chains must not share joints or hang on one another, as the one to " + effector +
                     " does; ccd and fabrik solve such chains");
      }
    }
    if (rotating != 2) {
      return Error("the chain to " + effector + " must have exactly two joints that turn above it, got " +
                   std::to_string(rotating) +
                   (rotating > 2 ? "; name those in line in fixed=, or use ccd" : ""));
    }
  }
  return {};
}

}  // namespace

template <class T>
Error TwoBoneJob<T>::validate() const {
  const auto limbs = static_cast<double>(this->tree ? this->tree->chain_count() : 0);
  if (Error error = IkJob<T>::validate(kNanoseconds * limbs)) return error;
  const std::size_t count = this->iterations.size(), chains = this->tree->chain_count();
  if (Error error = check_limbs(*this->tree)) return error;
  if (!poles.empty() && !serves(poles, count, chains * 3)) {
    return Error("pole must hold three numbers for each chain");
  }
  if (!twists.empty() && !serves(twists, count, chains)) {
    return Error("twist must hold one number for each chain");
  }
  if (!(soften >= 0 && soften <= 1)) {
    return Error("soften must lie in [0, 1], got " + number_text(soften));
  }
  for (std::size_t i = 0; i < poles.size(); i += 3) {
    const T* p = &poles[i];
    const bool asks_none = std::isnan(p[0]) && std::isnan(p[1]) && std::isnan(p[2]);
    for (int k = 0; k < 3; ++k) {
      if (!asks_none && !std::isfinite(p[k])) {
        return Error("pole must be finite, or NaN where none is asked for, got " + number_text(p[k]));
      }
    }
  }
  for (const T angle : twists) {
    if (!std::isfinite(angle)) return Error("twist must be finite, got " + number_text(angle));
  }
  return {};
}

template <class T>
Error TwoBoneJob<T>::run() const {
  if (Error error = validate()) return error;
  const std::size_t count = this->iterations.size(), chains = this->tree->chain_count();
  const TwoBoneOptions<T> options = {
      poles.empty() ? nullptr : poles.data(), step_of(poles, count, chains * 3),
      twists.empty() ? nullptr : twists.data(), step_of(twists, count, chains), static_cast<T>(soften)};
  this->solve([&](const IkPlan& plan, const IkBatch<T>& batch, std::size_t begin, std::size_t end,
                  void* scratch) { loop<T>().solve(plan, batch, options, begin, end, scratch); },
              loop<T>().scratch_bytes(this->tree->plan()), kNanoseconds * static_cast<double>(chains));
  return {};
}

template struct TwoBoneJob<float>;
template struct TwoBoneJob<double>;

}  // namespace lissom
