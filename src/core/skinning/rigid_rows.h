// SPDX-License-Identifier: MIT
#pragma once

// Palette rows of joints whose model matrices are in lanes, one moment per lane. For *_kernels.cpp files only.

#include "core/simd/flush_subnormals.h"
#include "core/skinning/bound_rows.h"
#include "core/skinning/rigid_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// A joint in model space, and the sign bit where it mirrors.
struct Model {
  Affine<L> from_joint;
  Int sign;
};

// What was seen of rows at all moments.
struct SeenRows {
  L off = 0;  // |M^T M - 1| / 2
  Int sign = {};
  Int magnitude =
      {};  // bits of the largest number of the dual parts, without their sign; those of NaN are above all

  // Whether all are surely rigid, as the kernels of palettes have it, and no number is larger than this.
  LISSOM_INLINE bool are_rigid(float largest) const {
    constexpr float kSurelyRigid = 0.95f * static_cast<float>(kRigidTolerance);
    const Int limit = Int{} + __builtin_bit_cast(std::int32_t, largest);
    return !any((!(off < kSurelyRigid)) | Mask<float>{sign < 0} | Mask<float>{magnitude > limit});
  }
};

LISSOM_INLINE L larger_magnitude(L a, L b) {
#if LISSOM_WIDTH == 16
  return (Float)_mm512_maskz_range_ps(0xffff, (__m512)a.v, (__m512)b.v,
                                      0b1011);  // of magnitudes, without a sign
#else
  return max(abs(a), abs(b));
#endif
}

LISSOM_INLINE void see(const HalfOff<L>& off, SeenRows& seen) {
  const L pairs[3] = {larger_magnitude(off.xx, off.yy), larger_magnitude(off.zz, off.xy),
                      larger_magnitude(off.xz, off.yz)};
  seen.off = larger_magnitude(seen.off, larger_magnitude(pairs[0], larger_magnitude(pairs[1], pairs[2])));
}
LISSOM_INLINE void see(const HalfOff<LanePair<L>>& off, SeenRows& seen) {
  const auto larger = [](const LanePair<L>& x)
                          LISSOM_LAMBDA_INLINE { return larger_magnitude(x.first, x.second); };
  see(HalfOff<L>{larger(off.xx), larger(off.yy), larger(off.zz), larger(off.xy), larger(off.xz),
                 larger(off.yz)},
      seen);
}
LISSOM_INLINE void see(const Quat<L>& dual, SeenRows& seen) {
  const L numbers[4] = {dual.x, dual.y, dual.z, dual.w};
  for (int i = 0; i < 4; ++i) {
    const Int magnitude = bits(numbers[i]) & 0x7fffffff;
    seen.magnitude = magnitude > seen.magnitude ? magnitude : seen.magnitude;
  }
}
LISSOM_INLINE void see(const Quat<LanePair<L>>& dual, SeenRows& seen) {
  see(first_of(dual), seen);
  see(second_of(dual), seen);
}

// Of one row, or of two as pairs. Subnormal numbers are flushed, or dust is (FlushSubnormals).
template <class T>
LISSOM_INLINE DualQuat<T> rigid_row(const Affine<T>& model, const Affine<T>& bind, const Vec3<T>& pivot,
                                    SeenRows& seen) {
  const Affine<T> m = model * bind;
  const Mat3<T> linear = FlushSubnormals::kFlushes ? m.linear() : without_dust(m.linear());
  const HalfOff<T> off = half_off_identity(linear);
  see(off, seen);
  const DualQuat<T> q = rigid_part(linear, m.translation(), straightened(linear, off), pivot);
  see(q.dual, seen);
  return q;
}

LISSOM_INLINE Affine<L> bind_of(const BoundRow& row) {
  Affine<L> bind;
  for (int k = 0; k < 12; ++k) bind.m[k / 4][k % 4] = row.joint_from_bind[k];
  return bind;
}

// Calls write(q, i) with the dual quaternion of each row. Two rows at a time, as each step of one waits for the one before.
template <class Write>
LISSOM_INLINE void for_each_rigid_row(const Model* models, const BoundRow* rows, std::size_t row_count,
                                      SeenRows& seen, const Write& write) {
  using P = LanePair<L>;
  std::size_t i = 0;
  for (; i + 2 <= row_count; i += 2) {
    const BoundRow &a = rows[i], &b = rows[i + 1];
    const Model &of_a = models[a.joint], &of_b = models[b.joint];
    seen.sign |=
        (of_a.sign ^ static_cast<std::int32_t>(a.sign)) | (of_b.sign ^ static_cast<std::int32_t>(b.sign));
    Affine<P> model, bind;
    for (int k = 0; k < 12; ++k) {
      model.m[k / 4][k % 4] = {of_a.from_joint.m[k / 4][k % 4], of_b.from_joint.m[k / 4][k % 4]};
      bind.m[k / 4][k % 4] = {L(a.joint_from_bind[k]), L(b.joint_from_bind[k])};
    }
    const Vec3<P> pivot = {
        {L(a.pivot[0]), L(b.pivot[0])}, {L(a.pivot[1]), L(b.pivot[1])}, {L(a.pivot[2]), L(b.pivot[2])}};
    const DualQuat<P> q = rigid_row(model, bind, pivot, seen);
    write(DualQuat<L>{first_of(q.real), first_of(q.dual)}, i);
    write(DualQuat<L>{second_of(q.real), second_of(q.dual)}, i + 1);
  }
  if (i < row_count) {
    const BoundRow& row = rows[i];
    const Model& of = models[row.joint];
    seen.sign |= of.sign ^ static_cast<std::int32_t>(row.sign);
    const Vec3<L> pivot = {row.pivot[0], row.pivot[1], row.pivot[2]};
    write(rigid_row(of.from_joint, bind_of(row), pivot, seen), i);
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
