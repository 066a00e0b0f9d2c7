// SPDX-License-Identifier: MIT
#pragma once

// Joints of as many poses as a vector has lanes, and mirrors. For *_kernels.cpp files only.

#include <cstddef>

#include "core/math/trs.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

// Scales of one joint may differ by this much, relative to the largest, where joints below it rotate.
constexpr double kUniform = 1e-4;

// G q G of a mirror G, three signs: a rotation about (x, y, z) becomes one about (gy gz x, gz gx y, gx gy z). Its own
// inverse.
template <class L>
LISSOM_INLINE Quat<L> mirrored(const Vec3<L>& g, const Quat<L>& q) {
  return {g.y * g.z * q.x, g.z * g.x * q.y, g.x * g.y * q.z, q.w};
}

template <class T>
LISSOM_INLINE Trs<Lanes<T>> load_joint(const T* const* poses, std::size_t joint) {
  Lanes<T> n[kTrsScalars];
  load_rows<kTrsScalars>([&](int lane) LISSOM_LAMBDA_INLINE { return poses[lane] + joint * kTrsScalars; }, n);
  return {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}};
}
// Translation and rotation alone.
template <class T>
LISSOM_INLINE Trs<Lanes<T>> load_rigid_joint(const T* const* poses, std::size_t joint) {
  Lanes<T> n[8];  // with one scale, as whole groups come fastest
  load_rows<8>([&](int lane) LISSOM_LAMBDA_INLINE { return poses[lane] + joint * kTrsScalars; }, n);
  const Lanes<T> one(1);
  return {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {one, one, one}};
}
template <class T>
LISSOM_INLINE Quat<Lanes<T>> load_rotation(const T* const* poses, std::size_t joint) {
  Lanes<T> n[4];
  load_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return poses[lane] + joint * kTrsScalars + 3; }, n);
  return {n[0], n[1], n[2], n[3]};
}

// The signs of a scale.
template <class T>
LISSOM_INLINE Vec3<Lanes<T>> mirror_of(const Vec3<Lanes<T>>& scale) {
  using L = Lanes<T>;
  return {copysign(L(1), scale.x), copysign(L(1), scale.y), copysign(L(1), scale.z)};
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
