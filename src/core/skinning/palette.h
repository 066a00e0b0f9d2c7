// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/error.h"
#include "core/math/dual_quat.h"
#include "core/math/mat4.h"
#include "core/skinning/skin_bind.h"

namespace lissom {

// A palette holds one transform model_from_bind = model_from_joint * joint_from_bind per row of a skin.
//
// Its dual quaternion form splits M = model_from_bind into R A. A = [S | c - S c] scales about c, the joint's
// own position in bind space, with S symmetric (up to rounding, and on axes that M loses); R is rigid: R(p) =
// rotation p + (M c - rotation c), so R A = M. See polar.h for the rotation.

// F frames (the batch), J joints, S rows. Every job refuses matrices that are not finite or not affine, by
// index, but may have written rows before it meets one. T is float or double. None owns its buffers.
template <class T>
struct PaletteInput {
  const SkinBind* skin = nullptr;
  std::span<const Mat4<T>> model_from_joint;  // (F * J)
  std::size_t joint_count = 0;                // J, at least skin->joint_limit()
};

template <class T>
struct PaletteMatricesJob {
  Error run() const;
  PaletteInput<T> input;
  std::span<Mat4<T>> out;  // (F * S) model_from_bind
};

template <class T>
struct PaletteDualQuatsJob {
  Error run();
  PaletteInput<T> input;
  std::span<DualQuat<T>> out;  // (F * S) the rigid R, unit, w >= 0
  bool rigid = true;           // whether every |S - 1| < kRigidTolerance: A may be left out
};

// A for rotations already found: S = rotation^-1 M, so that R A = M holds for the very numbers in `dual_quats`. Of
// rigid rows, |S - 1| < kRigidTolerance, A is exactly the identity: skinning skips the scale of their vertices.
template <class T>
struct PaletteScalesJob {
  Error run() const;
  PaletteInput<T> input;
  std::span<const DualQuat<T>> dual_quats;  // (F * S) by PaletteDualQuatsJob
  std::span<Affine<T>> out;                 // (F * S) bind space to bind space
};

// A rigid transform as a rotation and the translation that follows it, padded to two texels.
template <class T>
struct QuatTrans {
  Quat<T> rotation;
  Vec3<T> translation;
  T unused;
};
template <class T>
constexpr QuatTrans<T> quat_trans_from(const DualQuat<T>& unit) {
  return {unit.real, translation(unit), T(0)};
}

template <class T>
struct PaletteQuatTransJob {
  Error run() const;                        // writes nothing on error
  std::span<const DualQuat<T>> dual_quats;  // (F * S) unit
  std::span<QuatTrans<T>> out;              // (F * S)
};

}  // namespace lissom
