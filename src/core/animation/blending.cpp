// SPDX-License-Identifier: MIT
#include "core/animation/blending.h"

#include <string>
#include <type_traits>
#include <vector>

#include "core/animation/blending_kernels.h"
#include "core/animation/pose_checks.h"
#include "core/math/conventions.h"
#include "core/number_text.h"
#include "core/parallel/scratch.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_KERNEL_TABLE(BlendingKernels, blending_kernels)

namespace {

template <class T>
const BlendLoops<T>& loops() {
  if constexpr (std::is_same_v<T, float>) {
    return blending_kernels().floats;
  } else {
    return blending_kernels().doubles;
  }
}

// The layers of a job as kernel arguments; a few of them take no memory of the heap.
template <class T>
class WeightedLayers {
 public:
  WeightedLayers(const BlendLayersJob<T>& job, std::size_t count)
      : size_(job.layers.size()), many_(size_ > kFew ? size_ : 0) {
    WeightedPoses<T>* next = many_.empty() ? few_ : many_.data();
    for (const BlendLayer<T>& layer : job.layers) {
      *next++ = weighted_poses(count, job.joint_count, layer.poses, layer.weights, layer.mask);
    }
  }
  const WeightedPoses<T>* data() const { return many_.empty() ? few_ : many_.data(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kFew = 8;
  std::size_t size_;
  WeightedPoses<T> few_[kFew];
  std::vector<WeightedPoses<T>> many_;
};

}  // namespace

template <class T>
Error BlendJob<T>::validate() const {
  if (!joint_count) return {};  // then the number of poses is unknown, and nothing is to be written
  const std::size_t pose_size = joint_count * kTrsScalars, count = out.size() / pose_size;
  if (out.size() != count * pose_size) return Error("out must hold whole poses");
  if (!serves(a, count, pose_size) || !serves(b, count, pose_size)) {
    return Error("a and b must hold one pose, or as many as out");
  }
  if (!serves(weights, count, 1)) return Error("weight must hold one number, or one for each pose of out");
  if (!mask.empty() && !serves(mask, count, joint_count)) {
    return Error("mask must hold one number per joint, or as many for each pose of out");
  }
  const auto is_share = [](T x) { return (x >= T(0)) & (x <= T(1)); };
  if (Error error = check_numbers<T>("weight", "must lie in [0, 1]", weights, 1, is_share)) return error;
  return check_numbers<T>("mask", "must lie in [0, 1]", mask, joint_count, is_share);
}

template <class T>
Error BlendJob<T>::run() const {
  if (Error error = validate()) return error;
  if (out.empty()) return {};
  const std::size_t pose_size = joint_count * kTrsScalars, count = out.size() / pose_size;
  const WeightedPoses<T> from_b = weighted_poses(count, joint_count, b, weights, mask);
  const std::size_t a_step = step_of(a, count, pose_size);
  const BlendLoops<T>& kernels = loops<T>();
  constexpr double kNanosecondsPerJoint = 2.0;
  parallel_for(count, 1, kNanosecondsPerJoint * static_cast<double>(joint_count),
               [&](std::size_t begin, std::size_t end) {
                 kernels.two(a.data(), a_step, from_b, joint_count, begin, end, out.data());
               });
  return {};
}

template <class T>
Error BlendLayersJob<T>::validate() const {
  if (!joint_count) return {};  // then the number of poses is unknown, and nothing is to be written
  const std::size_t pose_size = joint_count * kTrsScalars, count = out.size() / pose_size;
  if (out.size() != count * pose_size) return Error("out must hold whole poses");
  if (layers.empty() && rest.empty()) return Error("poses must hold at least one layer, or rest a pose");
  if (!rest.empty() && rest.size() != pose_size) return Error("rest must hold one pose");
  if (!rest.empty() && !(is_weight(threshold) && threshold > T(0))) {
    return Error("threshold must be above 0 and finite, got " + number_text(threshold));
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto named = [&](const char* name) { return name + ("[" + std::to_string(i) + "]"); };
    const BlendLayer<T>& layer = layers[i];
    if (!serves(layer.poses, count, pose_size)) {
      return Error(named("poses") + " must hold one pose, or as many as out");
    }
    if (!serves(layer.weights, count, 1)) {
      return Error(named("weights") + " must hold one number, or one for each pose of out");
    }
    if (!layer.mask.empty() && !serves(layer.mask, count, joint_count)) {
      return Error(named("masks") + " must hold one number per joint, or as many for each pose of out");
    }
    const char* rule = "must be at least 0 and finite";
    if (!all_of(layer.weights, is_weight<T>)) {
      return check_numbers<T>(named("weights"), rule, layer.weights, 1, is_weight<T>);
    }
    if (!all_of(layer.mask, is_weight<T>)) {
      return check_numbers<T>(named("masks"), rule, layer.mask, joint_count, is_weight<T>);
    }
  }
  if (out.empty()) return {};
  const WeightedLayers<T> inputs(*this, count);
  const WrongSum<T> wrong =
      loops<T>().first_wrong_sum(inputs.data(), inputs.size(), !rest.empty(), joint_count, 0, count);
  if (!wrong.is_found) return {};
  const std::string place = " for joint " + std::to_string(wrong.joint % joint_count) +
                            (count > 1 ? " of pose " + std::to_string(wrong.joint / joint_count) : "");
  if (wrong.sum == T(0)) {
    return Error("the weights of a joint must sum to a finite number above 0, got none" + place +
                 "; pass rest to have it filled in");
  }
  return Error("the weights of a joint must sum to a finite number, got " + number_text(wrong.sum) + place +
               "; only their proportions count, so make them smaller");
}

template <class T>
Error BlendLayersJob<T>::run() const {
  if (Error error = validate()) return error;
  if (out.empty()) return {};
  const std::size_t count = out.size() / (joint_count * kTrsScalars);
  const WeightedLayers<T> inputs(*this, count);
  const BlendLoops<T>& kernels = loops<T>();
  constexpr double kNanosecondsPerJoint = 1.0;  // and layer
  const double nanoseconds = kNanosecondsPerJoint * static_cast<double>(joint_count * (1 + inputs.size()));
  parallel_for(count, 1, nanoseconds, [&](std::size_t begin, std::size_t end) {
    Scratch scratch(kernels.scratch_bytes(inputs.size(), joint_count, end - begin));
    kernels.layers(inputs.data(), inputs.size(), rest.empty() ? nullptr : rest.data(), threshold, joint_count,
                   begin, end, scratch.data(), out.data());
  });
  return {};
}

template struct BlendJob<float>;
template struct BlendJob<double>;
template struct BlendLayersJob<float>;
template struct BlendLayersJob<double>;

}  // namespace lissom
