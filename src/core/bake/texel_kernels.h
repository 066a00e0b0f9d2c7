// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bake/half.h"

namespace lissom {

// The rows (F, R, N) of a clip, and which of their numbers change sign with a quaternion.
struct TexelRows {
  const float* rows;
  std::size_t frame_count, row_count, row_floats;  // F, R, N
  std::size_t quat,
      flipped_end;  // the quaternion begins at the first number, and what flips with it ends before the other
  std::size_t signed_rows;  // rows that have one; the others are written as they are
};

// The inner loops over texels, with the same bits on every instruction set: built without contraction.
struct TexelKernels {
  // All frames of the rows [begin, end), with coherent signs in time: see WriteTexelsJob. `out` is (F, R, N).
  void (*write_halves)(const TexelRows&, std::size_t begin, std::size_t end, Half* out);
  void (*write_floats)(const TexelRows&, std::size_t begin, std::size_t end, float* out);
  void (*float_from_half)(const Half* in, std::size_t count, float* out);
  // Largest magnitude as the bits of a float without its sign; those of NaN are above infinity's.
  std::uint32_t (*largest_magnitude)(const float* in, std::size_t count);
};

}  // namespace lissom
