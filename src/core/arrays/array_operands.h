// SPDX-License-Identifier: MIT
#pragma once

// The kinds of operands of formulas over arrays, and their components.
// For *_kernels.cpp files only.

#include "core/math/dual_quat.h"
#include "core/math/mat4.h"
#include "core/math/trs.h"
#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

struct RealOperand {
  static constexpr char kShape[] = "()";
  static constexpr int kSize = 1, kRank = 0, kRow = 1;
  template <class L>
  static LISSOM_INLINE L from(const L* n) {
    return n[0];
  }
  template <class L>
  static LISSOM_INLINE void into(L* n, const L& value) {
    n[0] = value;
  }
};
struct Vec3Operand {
  static constexpr char kShape[] = "(3)";
  static constexpr int kSize = 3, kRank = 1, kRow = 3;
  template <class L>
  static LISSOM_INLINE Vec3<L> from(const L* n) {
    return {n[0], n[1], n[2]};
  }
  template <class L>
  static LISSOM_INLINE void into(L* n, const Vec3<L>& v) {
    n[0] = v.x, n[1] = v.y, n[2] = v.z;
  }
};
struct QuatOperand {
  static constexpr char kShape[] = "(4)";
  static constexpr int kSize = 4, kRank = 1, kRow = 4;
  template <class L>
  static LISSOM_INLINE Quat<L> from(const L* n) {
    return {n[0], n[1], n[2], n[3]};
  }
  template <class L>
  static LISSOM_INLINE void into(L* n, const Quat<L>& q) {
    n[0] = q.x, n[1] = q.y, n[2] = q.z, n[3] = q.w;
  }
};
struct DualQuatOperand {
  static constexpr char kShape[] = "(8)";
  static constexpr int kSize = 8, kRank = 1, kRow = 8;
  template <class L>
  static LISSOM_INLINE DualQuat<L> from(const L* n) {
    return {QuatOperand::from(n), QuatOperand::from(n + 4)};
  }
  template <class L>
  static LISSOM_INLINE void into(L* n, const DualQuat<L>& q) {
    QuatOperand::into(n, q.real), QuatOperand::into(n + 4, q.dual);
  }
};
struct TrsOperand {
  static constexpr char kShape[] = "(10)";
  static constexpr int kSize = 10, kRank = 1, kRow = 10;
  template <class L>
  static LISSOM_INLINE Trs<L> from(const L* n) {
    return {Vec3Operand::from(n), QuatOperand::from(n + 3), Vec3Operand::from(n + 7)};
  }
  template <class L>
  static LISSOM_INLINE void into(L* n, const Trs<L>& trs) {
    Vec3Operand::into(n, trs.translation), QuatOperand::into(n + 3, trs.rotation),
        Vec3Operand::into(n + 7, trs.scale);
  }
};
struct Mat3Operand {
  static constexpr char kShape[] = "(3,3)";
  static constexpr int kSize = 9, kRank = 2, kRow = 3;
  template <class L>
  static LISSOM_INLINE Mat3<L> from(const L* n) {
    return {{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, {n[6], n[7], n[8]}}};
  }
  template <class L>
  static LISSOM_INLINE void into(L* n, const Mat3<L>& a) {
    for (int i = 0; i < 9; ++i) n[i] = a.m[i / 3][i % 3];
  }
};
struct Mat4Operand {
  static constexpr char kShape[] = "(4,4)";
  static constexpr int kSize = 16, kRank = 2, kRow = 4;
  template <class L>
  static LISSOM_INLINE Mat4<L> from(const L* n) {
    return {{{n[0], n[1], n[2], n[3]},
             {n[4], n[5], n[6], n[7]},
             {n[8], n[9], n[10], n[11]},
             {n[12], n[13], n[14], n[15]}}};
  }
  template <class L>
  static LISSOM_INLINE void into(L* n, const Mat4<L>& a) {
    for (int i = 0; i < 16; ++i) n[i] = a.m[i / 4][i % 4];
  }
};
// Outputs only: the result of a comparison.
struct TruthOperand {
  static constexpr char kShape[] = "()";
  static constexpr int kSize = 1, kRank = 0, kRow = 1;
};

using R = RealOperand;
using V = Vec3Operand;
using Q = QuatOperand;
using D = DualQuatOperand;
using S = TrsOperand;
using M3 = Mat3Operand;
using M4 = Mat4Operand;
using B = TruthOperand;

}  // namespace
}  // namespace lissom::LISSOM_ISA
