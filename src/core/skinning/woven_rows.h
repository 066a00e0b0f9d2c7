// SPDX-License-Identifier: MIT
#pragma once

// Dual quaternions of palette rows whose joint_from_bind turns, moves and scales alike along all axes, where model_from_bind is
// rigid. The model matrix alone then has the rotation that is sought, and moves the pivot as R does (palette.h): nothing is
// multiplied by joint_from_bind but a quaternion. For *_kernels.cpp files only, and not for the 128-bit kernels, whose bits are
// those of the general way.
//
// Rows come as arrays of structs. To part their numbers into lanes, and to join them again, takes as many shuffles as the
// formulas have products, on other units of the processor; but those work side by side only where both kinds of
// instruction are near each other. So the shuffles of the block ahead and of the one behind stand between the products of a
// block.

#include "core/skinning/palette_blocks.h"
#include "core/skinning/rigid_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// The shuffles, in steps of eight: load_quads() before load_lanes(), store_lanes() before store_quads().
struct Shuffles {
  const Block* ahead;   // whose matrices become columns
  Float* matrices;      // (12)
  const Float* behind;  // (8) columns that become rows
  float* rows;
  Int off_last;
  Float low[4], high[4];

  LISSOM_INLINE Shuffles(const Block* next, Float* into, const Float* from, float* to)
      : ahead(next), matrices(into), behind(from), rows(to), off_last{} {}

  LISSOM_INLINE void load_quads(int k) {
    Float quads[4];
    load_quads16([&](int lane) LISSOM_LAMBDA_INLINE { return ahead->matrix(lane); }, k, quads);
    for (int g = 0; g < 3; ++g) matrices[4 * g + k] = quads[g];
    off_last |= off_last_row(quads[3]);
  }
  LISSOM_INLINE void load_lanes(int g) {
    Float group[4];
    for (int k = 0; k < 4; ++k) group[k] = matrices[4 * g + k];
    transpose_lanes(group);
    for (int k = 0; k < 4; ++k) matrices[4 * g + k] = group[k];
  }
  LISSOM_INLINE void load_all() {
    for (int k = 0; k < 4; ++k) load_quads(k);
    for (int g = 0; g < 3; ++g) load_lanes(g);
  }
  LISSOM_INLINE void store_lanes(int half) {
    Float(&group)[4] = half ? high : low;
    for (int k = 0; k < 4; ++k) group[k] = behind[4 * half + k];
    transpose_lanes(group);
  }
  LISSOM_INLINE void store_quads(int k) { store_two_quads8(rows, k, low, high); }
  LISSOM_INLINE void store_all() {
    for (int half = 0; half < 2; ++half) store_lanes(half);
    for (int k = 0; k < 4; k += 2) store_quads(k);
  }
};

// The lanes that are surely rigid, with what rows differ from similarities by, and columns of dual quaternions, w >= 0. While
// FlushSubnormals lives.
LISSOM_INLINE Mask<float> woven_rows(const PaletteKernelSkin& skin, std::size_t phase, const Float* matrices,
                                     Float* columns, Shuffles& shuffles) {
  const auto column = [&](std::size_t k) LISSOM_LAMBDA_INLINE {
    return L(load(skin.similarities + k * skin.column_stride + phase));
  };
  L m[3][4];
  for (int k = 0; k < 12; ++k) m[k / 4][k % 4] = matrices[k];
  const L unit = column(7), half = column(8), least_square = column(9);

  // Davenport's matrix, whose vector of the largest value is the quaternion of the polar rotation. Of a rotation it is 4 q q^T,
  // and any row a multiple of q. A row times the matrix leaves the square of what scale and shear have changed.
  const L xx = unit + m[0][0] - m[1][1] - m[2][2], yy = unit - m[0][0] + m[1][1] - m[2][2];
  const L zz = unit - m[0][0] - m[1][1] + m[2][2], ww = unit + m[0][0] + m[1][1] + m[2][2];
  shuffles.store_lanes(0);
  // S^2 = M^T M. Half of what it differs by from the identity is about S - 1.
  const Vec3<L> x = {m[0][0], m[1][0], m[2][0]}, y = {m[0][1], m[1][1], m[2][1]},
                z = {m[0][2], m[1][2], m[2][2]};
  const L off_x = 0.5f - half * dot(x, x), off_y = 0.5f - half * dot(y, y), off_z = 0.5f - half * dot(z, z);
  shuffles.store_lanes(1);
  const L off_xy = dot(x, y), off_xz = dot(x, z), off_yz = dot(y, z);
  shuffles.store_quads(0);
  const L off = (off_x * off_x + off_y * off_y + off_z * off_z) +
                (half * half) * (2.0f * (off_xy * off_xy + off_xz * off_xz + off_yz * off_yz));
  const L xy = m[0][1] + m[1][0], xz = m[0][2] + m[2][0], yz = m[1][2] + m[2][1];
  const L xw = m[2][1] - m[1][2], yw = m[0][2] - m[2][0], zw = m[1][0] - m[0][1];
  // A row whose number on the diagonal is at least `unit`.
  const Quat<L> row =
      select(m[2][2] < 0, select(m[0][0] > m[1][1], Quat<L>{xx, xy, xz, xw}, Quat<L>{xy, yy, yz, yw}),
             select(m[0][0] + m[1][1] < 0, Quat<L>{xz, yz, zz, zw}, Quat<L>{xw, yw, zw, ww}));
  shuffles.store_quads(2);
  const Quat<L> turn = {
      xx * row.x + xy * row.y + xz * row.z + xw * row.w, xy * row.x + yy * row.y + yz * row.z + yw * row.w,
      xz * row.x + yz * row.y + zz * row.z + zw * row.w, xw * row.x + yw * row.y + zw * row.z + ww * row.w};
  shuffles.load_quads(0);
  // At least 64 unit^4 of rotations, but 16 where the matrix mirrors. NaN is neither below nor above.
  const L square = dot(turn, turn);
  const Vec3<L> t = {m[0][3], m[1][3], m[2][3]};
  constexpr float kMost = 0.7f * static_cast<float>(kRigidTolerance);
  const Mask<float> rigid = (off + 0 * (t.x + t.y + t.z) < kMost * kMost) & (square > least_square);
  const Quat<L> multiple = turn * Quat<L>{column(0), column(1), column(2), column(3)};
  shuffles.load_quads(1);
  // What remains of zeros (rigid_lanes.h) becomes so small that it is flushed.
  const L inverse = 0x1p-85f * inverse_root(square);
  shuffles.load_quads(2);
  const Quat<L> q = L(0x1p85f) * (select(multiple.w < 0, -inverse, inverse) * multiple);
  shuffles.load_quads(3);
  // p' = R p + (t - R c), the terms of which are large and nearly equal: their difference first.
  const Vec3<L> c = {column(4), column(5), column(6)}, d = L(0.5f) * t - c, s = L(0.5f) * t + c,
                v = q.vector();
  shuffles.load_lanes(0);
  const Quat<L> dual = quat_from(q.w * d + cross(s, v), -dot(d, v));
  shuffles.load_lanes(1);
  const L numbers[8] = {q.x, q.y, q.z, q.w, dual.x, dual.y, dual.z, dual.w};
  for (int k = 0; k < 8; ++k) columns[k] = numbers[k].v;
  shuffles.load_lanes(2);
  return rigid;
}

// Writes the rows of all blocks, and calls rest(block, rigid, row) for those of which some lanes are not surely rigid.
template <class Rest>
LISSOM_INLINE void for_each_woven_block(const PaletteKernelSkin& skin, const PaletteFrames& frames,
                                        float* out, const Rest& rest) {
  struct Stage {
    Block block;
    std::size_t row;
    Mask<float> rigid;  // before it is known: affine
    Float matrices[12], columns[8];
  };
  // By turns one has the block at work, and the other what is left of that behind, then what is known of that ahead.
  Stage stages[2];
  float nowhere[8 * kWidth];
  BlockWalk walk(skin, frames);
  const auto begin = [&](Stage& stage, const Int& off_last) LISSOM_LAMBDA_INLINE {
    stage.block = walk.block();
    stage.row = walk.row();
    stage.rigid = __builtin_expect(any(Mask<float>{off_last != 0}), false) ? are_affine(stage.block)
                                                                           : Mask<float>{~Int{}};
  };
  const auto finish = [&](const Stage& stage) LISSOM_LAMBDA_INLINE {
    if (__builtin_expect(any(!stage.rigid), false)) rest(stage.block, stage.rigid, stage.row);
  };
  Shuffles first(&walk.block(), stages[0].matrices, nullptr, nullptr);
  first.load_all();
  begin(stages[0], first.off_last);
  begin(stages[1], Int{});  // nothing: all of it is finished
  for (Float& column : stages[1].columns) column = Float{};
  float* rows_behind = nowhere;
  for (int i = 0;; i ^= 1) {
    Stage &stage = stages[i], &other = stages[i ^ 1];
    const bool is_last = !walk.advance();
    Shuffles shuffles(&walk.block(), other.matrices, other.columns, rows_behind);
    stage.rigid = stage.rigid & woven_rows(skin, stage.block.phase, stage.matrices, stage.columns, shuffles);
    finish(other);
    rows_behind = out + 8 * stage.row;
    if (is_last) {
      Shuffles last(nullptr, nullptr, stage.columns, rows_behind);
      last.store_all();
      finish(stage);
      return;
    }
    begin(other, shuffles.off_last);
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
