// SPDX-License-Identifier: MIT
#include "core/animation/joint_distance_kernels.h"

#include "core/math/trs.h"
#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

using D = Lanes<double>;
constexpr std::size_t kLanes = D::kCount;

// A joint of one pose before and after, as many poses side by side as a vector has lanes.
struct Pair {
  Affine<D> before, after;
};

// The same joint of poses `stride` numbers apart; the last of `count` is repeated.
template <class T>
LISSOM_INLINE Affine<D> load_local(const T* joint, std::size_t stride, std::size_t count) {
  alignas(64) double rows[kTrsScalars][kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const T* trs = joint + (lane < count ? lane : count - 1) * stride;
    for (std::size_t i = 0; i < kTrsScalars; ++i) rows[i][lane] = static_cast<double>(trs[i]);
  }
  const auto number = [&](std::size_t i) LISSOM_LAMBDA_INLINE { return D(load_as<Double>(rows[i])); };
  return affine_from(Trs<D>{{number(0), number(1), number(2)},
                            {number(3), number(4), number(5), number(6)},
                            {number(7), number(8), number(9)}});
}

LISSOM_INLINE D largest_distance(const Pair& pair, const double* offsets) {
  const auto& a = pair.before.m;
  const auto& b = pair.after.m;
  const Vec3<D> origin = {a[0][3] - b[0][3], a[1][3] - b[1][3], a[2][3] - b[2][3]};
  D largest = dot(origin, origin);
  for (int axis = 0; axis < 3; ++axis) {
    const D offset = offsets[axis];
    const Vec3<D> tip = {origin.x + offset * (a[0][axis] - b[0][axis]),
                         origin.y + offset * (a[1][axis] - b[1][axis]),
                         origin.z + offset * (a[2][axis] - b[2][axis])};
    largest = max(dot(tip, tip), largest);
  }
  return sqrt(largest);
}

template <class T>
void measure(const JointDistanceArgs<T>& args) {
  auto* models = reinterpret_cast<Pair*>(args.scratch);
  const std::size_t joint_count = args.joint_count, stride = joint_count * kTrsScalars;
  for (std::size_t pose = 0; pose < args.count; pose += kLanes) {
    const std::size_t count = args.count - pose < kLanes ? args.count - pose : kLanes;
    for (std::size_t joint = 0; joint < joint_count; ++joint) {
      const std::size_t at = pose * stride + joint * kTrsScalars;
      Pair model = {load_local(args.before + at, stride, count), load_local(args.after + at, stride, count)};
      if (const std::int32_t parent = args.parents[joint]; parent >= 0)
        model = {models[parent].before * model.before, models[parent].after * model.after};
      models[joint] = model;
      const D distances = largest_distance(model, args.offsets + 3 * joint);
      double* out = args.distances + pose * joint_count + joint;
      for (std::size_t lane = 0; lane < count; ++lane) out[lane * joint_count] = distances.v[lane];
    }
  }
}

}  // namespace

extern const JointDistanceKernels joint_distance_kernels;
const JointDistanceKernels joint_distance_kernels = {&measure<float>, &measure<double>,
                                                     sizeof(Pair) / sizeof(double)};

}  // namespace lissom::LISSOM_ISA
