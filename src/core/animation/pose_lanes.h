// SPDX-License-Identifier: MIT
#pragma once

// Joints of many poses side by side: their numbers from memory, their matrices to it. For *_kernels.cpp files only.

#include "core/math/trs.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;

constexpr int kTrs = kTrsScalars, kMatrix = kMatrixScalars;

constexpr Float4 kLastRow = {0, 0, 0, 1};

// The local matrices of kWidth trs; `trs` returns a pointer for each lane.
template <class TrsOf>
LISSOM_INLINE Affine<L> load_locals(const TrsOf& trs) {
  L n[kTrs];
  load_rows<kTrs>(trs, n);
  return affine_from(Trs<L>{{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}});
}

// The upper three rows.
template <class MatrixOf>
LISSOM_INLINE void store_upper(const Affine<L>& affine, const MatrixOf& matrix) {
  for (int i = 0; i < 3; ++i) {
    store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return matrix(lane) + 4 * i; }, affine.m[i]);
  }
}

// kWidth matrices, last rows included, one every `stride` floats.
LISSOM_INLINE void store_matrices(const Affine<L>& a, float* to, std::size_t stride) {
#if LISSOM_WIDTH == 16
  Float rows[3][4];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) rows[i][j] = a.m[i][j].v;
    transpose_lanes(rows[i]);
  }
  const Float last = join(join(kLastRow, kLastRow), join(kLastRow, kLastRow));
  for (int i = 0; i < 4; ++i) {
    // Row by row each vector holds matrices i, i + 4, i + 8, i + 12: a 4x4 transpose of whole lanes.
    const Float ab_low = lanes<0, 1, 0, 1>(rows[0][i], rows[1][i]),
                ab_high = lanes<2, 3, 2, 3>(rows[0][i], rows[1][i]);
    const Float cd_low = lanes<0, 1, 0, 1>(rows[2][i], last), cd_high = lanes<2, 3, 2, 3>(rows[2][i], last);
    store(to + i * stride, lanes<0, 2, 0, 2>(ab_low, cd_low));
    store(to + (i + 4) * stride, lanes<1, 3, 1, 3>(ab_low, cd_low));
    store(to + (i + 8) * stride, lanes<0, 2, 0, 2>(ab_high, cd_high));
    store(to + (i + 12) * stride, lanes<1, 3, 1, 3>(ab_high, cd_high));
  }
#else
  store_upper(a, [&](int lane) LISSOM_LAMBDA_INLINE { return to + static_cast<std::size_t>(lane) * stride; });
  for (std::size_t lane = 0; lane < kWidth; ++lane) store(to + lane * stride + 12, kLastRow);
#endif
}

// Row kRow of the 4x4 transpose of each 128-bit lane.
template <int kRow>
LISSOM_INLINE Float transposed_row(const L (&rows)[4]) {
  constexpr int kPair = kRow / 2 * 2, kNumber = kRow % 2;
  const Float ab = in_lanes<kPair, kPair + 1, kPair, kPair + 1>(rows[0].v, rows[1].v);
  const Float cd = in_lanes<kPair, kPair + 1, kPair, kPair + 1>(rows[2].v, rows[3].v);
  return in_lanes<kNumber, kNumber + 2, kNumber, kNumber + 2>(ab, cd);
}

// Where matrices lie. Of a store of 64 bytes each half that crosses a line of the cache takes as long as two, and NumPy's large
// arrays begin 16 bytes into one: then a row, two rows and a row are stored.
enum class Lie { kAny, kOddRow };
LISSOM_INLINE Lie lie_of(const float* to) {
  return kWidth == 16 && reinterpret_cast<std::uintptr_t>(to) % 32 == 16 ? Lie::kOddRow : Lie::kAny;
}

// Matrices kPart, kPart + 4, ... of those: fewer at a time.
template <int kPart, Lie kLie>
LISSOM_INLINE void store_fourth(const Affine<L>& a, float* to, std::size_t stride) {
  to += kPart * stride;
  const Float rows[3] = {transposed_row<kPart>(a.m[0]), transposed_row<kPart>(a.m[1]),
                         transposed_row<kPart>(a.m[2])};
#if LISSOM_WIDTH == 16
  if constexpr (kLie == Lie::kOddRow) {
    const Float low = lanes<0, 1, 0, 1>(rows[1], rows[2]), high = lanes<2, 3, 2, 3>(rows[1], rows[2]);
    const Float middles[2] = {lanes<0, 2, 1, 3>(low, low), lanes<0, 2, 1, 3>(high, high)};
    Float4 first[4];
    Float8 middle[4];
    std::memcpy(first, &rows[0], sizeof first);
    std::memcpy(middle, middles, sizeof middle);
    for (std::size_t i = 0; i < 4; ++i) {
      store(to + 4 * i * stride, first[i]);
      store(to + 4 * i * stride + 4, middle[i]);
      store(to + 4 * i * stride + 12, kLastRow);
    }
    return;
  }
  Float matrices[4] = {rows[0], rows[1], rows[2], join(join(kLastRow, kLastRow), join(kLastRow, kLastRow))};
  transpose_quads(matrices);
  for (std::size_t i = 0; i < 4; ++i) store(to + 4 * i * stride, matrices[i]);
#else
  for (int i = 0; i < 3; ++i) {
    Float4 parts[kQuads];
    std::memcpy(parts, &rows[i], sizeof parts);
    for (std::size_t quad = 0; quad < kQuads; ++quad) store(to + 4 * quad * stride + 4 * i, parts[quad]);
  }
  for (std::size_t quad = 0; quad < kQuads; ++quad) store(to + 4 * quad * stride + 12, kLastRow);
#endif
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
