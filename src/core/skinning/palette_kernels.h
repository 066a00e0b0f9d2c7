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
  const float* pivots;           // x of all rows, then y, then z, each padded to pivot_stride
  std::size_t pivot_stride;      // S, rounded up to whole blocks of kPaletteBlock
  std::size_t row_count;         // S
};

// The state of a row after a kernel; ordered, so that the largest summarises all.
enum PaletteRowState : std::uint8_t {
  kRowRigid = 0,
  kRowScaled = 1,  // written; |S - 1| reaches kRigidTolerance somewhere
  // Not written: singular, extreme scale, not finite, not affine; use double precision.
  kRowUnknown = 2,
};

// Both take the (J, 4, 4) matrices of one pose and return the largest state of its rows.
struct PaletteKernels {
  // Writes model_from_bind (S, 4, 4). The result is kRowRigid,
  // or kRowUnknown where something is not finite or not affine.
  PaletteRowState (*matrices)(const PaletteKernelSkin&, const float* model, float* out);
  // Writes the dual quaternions (S, 8), and the states (S) of rows that are not kRowRigid.
  PaletteRowState (*dual_quats)(const PaletteKernelSkin&, const float* model, float* out,
                                std::uint8_t* states);
};

}  // namespace lissom
