// SPDX-License-Identifier: MIT
#include "core/skinning/pose_palette_kernels.h"

#include "core/animation/pose_lanes.h"
#include "core/skinning/rigid_rows.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr std::size_t kDualQuat = kDualQuatScalars;

// The models of kWidth poses, one in each lane.
LISSOM_INLINE void compose(const PosePaletteRig& rig, const float* poses, Model* models) {
  const std::size_t pose_size = rig.joint_count * kTrs;
  for (std::size_t joint = 0; joint < rig.joint_count; ++joint) {
    const float* const trs = poses + joint * kTrs;
    L n[kTrs];
    load_rows<kTrs>(
        [&](int lane) LISSOM_LAMBDA_INLINE { return trs + static_cast<std::size_t>(lane) * pose_size; }, n);
    const Affine<L> local =
        affine_from(Trs<L>{{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}});
    const Int sign = bits(n[7]) ^ bits(n[8]) ^ bits(n[9]);
    const std::int32_t parent = rig.parents[joint];
    if (parent < 0) {
      models[joint] = {local, sign};
    } else {
      models[joint] = {models[parent].from_joint * local, models[parent].sign ^ sign};
    }
  }
}

// In the order of sums of the kernel for single rows (palette_kernels.cpp), which adds products with zeros, too.
LISSOM_INLINE Affine<L> matrix_of(const Affine<L>& model, const Affine<L>& bind) {
  Affine<L> m = model * bind;
  if constexpr (kWidth == 4) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) m.m[i][j] += model.m[i][3] * L(0);
    }
  }
  return m;
}

LISSOM_FLATTEN bool matrices(const PosePaletteRig& rig, const float* poses, std::size_t pose_count,
                             float* scratch, float* out) {
  auto* const models = reinterpret_cast<Model*>(scratch);
  const std::size_t palette_size = rig.row_count * kMatrix;
  L sum = 0;  // infinite or NaN where a number is, and where finite ones add up to more than float32 holds
  for (std::size_t pose = 0; pose < pose_count; pose += kWidth) {
    compose(rig, poses + pose * rig.joint_count * kTrs, models);
    for (std::size_t i = 0; i < rig.row_count; ++i) {
      const Affine<L> m = matrix_of(models[rig.rows[i].joint].from_joint, bind_of(rig.rows[i]));
      store_matrices(m, out + pose * palette_size + rig.rows[i].place, palette_size);
      for (int k = 0; k < 12; ++k) sum += m.m[k / 4][k % 4];
    }
  }
  return !any(!(sum * 0 == 0));
}

LISSOM_FLATTEN bool dual_quats(const PosePaletteRig& rig, const float* poses, std::size_t pose_count,
                               float* scratch, float* out) {
  [[maybe_unused]] const FlushSubnormals flush;
  auto* const models = reinterpret_cast<Model*>(scratch);
  const std::size_t palette_size = rig.row_count * kDualQuat;
  SeenRows seen;
  for (std::size_t pose = 0; pose < pose_count; pose += kWidth) {
    compose(rig, poses + pose * rig.joint_count * kTrs, models);
    const auto write = [&](const DualQuat<L>& q, std::size_t i) LISSOM_LAMBDA_INLINE {
      const L columns[8] = {q.real.x, q.real.y, q.real.z, q.real.w, q.dual.x, q.dual.y, q.dual.z, q.dual.w};
      float* const to = out + pose * palette_size + rig.rows[i].place;
      store_rows<8>([&](int lane)
                        LISSOM_LAMBDA_INLINE { return to + static_cast<std::size_t>(lane) * palette_size; },
                    columns);
    };
    for_each_rigid_row(models, rig.rows, rig.row_count, seen, write);
    if (!seen.are_rigid(__FLT_MAX__)) return false;
  }
  return true;
}

}  // namespace

extern const PosePaletteKernels pose_palette_kernels;
const PosePaletteKernels pose_palette_kernels = {matrices, dual_quats, sizeof(Model) / sizeof(float), kWidth};

}  // namespace lissom::LISSOM_ISA
