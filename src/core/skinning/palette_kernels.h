// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lissom {

// Rows that the widest kernel processes at once.
inline constexpr std::size_t kPaletteBlock = 16;

// A skin as the palette's vector kernels read it: float32, all checked.
struct PaletteKernelSkin {
  const std::int32_t* joints;    // (S)
  const float* joint_from_bind;  // (S, 3, 4)
  // By columns, twelve numbers of joint_from_bind and three of the pivot, of all rows in turn, again and again, so that a
  // block may begin at any row.
  const float* columns;  // (15, column_stride)
  // The same of rows that all turn, move and scale alike along all axes, up to rounding; else null. Columns of rotations
  // (x, y, z, w), of halves of pivots, of 1 / scale, scale^2 / 2 and 32 / scale^4.
  const float* similarities;  // (10, column_stride)
  std::size_t column_stride;  // S + kPaletteBlock
  std::size_t row_count;      // S
};

// The model matrices (F, J, 4, 4) of F poses.
struct PaletteFrames {
  const float* model;
  std::size_t count;   // F
  std::size_t stride;  // floats of a pose
  // (S + kPaletteBlock) where the matrices of all rows in turn lie, those of one pose, then of the next.
  const std::ptrdiff_t* places;
};

// The state of a row after a kernel; ordered, so that the largest summarises all.
enum PaletteRowState : std::uint8_t {
  kRowRigid = 0,
  kRowScaled = 1,  // written; |S - 1| reaches kRigidTolerance somewhere
  // Not written: singular, extreme scale, not finite, not affine; use double precision.
  kRowUnknown = 2,
};

struct PaletteKernels {
  // Writes model_from_bind (S, 4, 4) of one pose, of which `model` has the (J, 4, 4) matrices. The result is kRowRigid,
  // or kRowUnknown where something is not finite or not affine.
  PaletteRowState (*matrices)(const PaletteKernelSkin&, const float* model, float* out);
  // Writes the dual quaternions (F, S, 8), and the states (F, S) of rows that are not kRowRigid; returns the largest.
  // The numbers of a row do not depend on its place among the others.
  PaletteRowState (*dual_quats)(const PaletteKernelSkin&, const PaletteFrames&, float* out,
                                std::uint8_t* states);
};

}  // namespace lissom
