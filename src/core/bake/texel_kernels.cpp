// SPDX-License-Identifier: MIT
#include "core/bake/texel_kernels.h"

#include <bit>

#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;
using Bits4 = std::int32_t __attribute__((vector_size(16)));
using Bits8 = std::int32_t __attribute__((vector_size(32)));

LISSOM_INLINE void write(Float4 value, float* out) { store(out, value); }
LISSOM_INLINE void write(Float8 value, float* out) { store(out, value); }
LISSOM_INLINE void write(Float4 value, Half* out) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH > 4
  // What half_from_float() does, by one instruction of these sets.
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_cvtps_ph((__m128)value, _MM_FROUND_TO_NEAREST_INT));
#else
  for (int i = 0; i < 4; ++i) out[i] = half_from_float(value[i]);
#endif
}
LISSOM_INLINE void write(Float8 value, Half* out) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH > 4
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                   _mm256_cvtps_ph((__m256)value, _MM_FROUND_TO_NEAREST_INT));
#else
  for (int i = 0; i < 8; ++i) out[i] = half_from_float(value[i]);
#endif
}

// Up to kWidth rows through all frames: the quaternions of the frame before stay in registers.
template <class Texel>
LISSOM_INLINE void write_block(const TexelRows& texels, std::size_t begin, std::size_t count, Texel* out) {
  const std::size_t size = texels.row_floats, frame_floats = texels.row_count * size;
  const bool is_signed = begin < texels.signed_rows;
  const bool is_pair = size == 8 && texels.quat == 0 && texels.flipped_end == 8;
  std::int32_t row_signs[kWidth] = {};  // the sign bit of rows that are written with the other sign
  L before[4];
  const float* in = texels.rows + begin * size;
  out += begin * size;
  for (std::size_t frame = 0; frame < texels.frame_count; ++frame, in += frame_floats, out += frame_floats) {
    if (is_signed) {
      L q[4];
      load_rows<4>(
          [&](int lane) LISSOM_LAMBDA_INLINE {
            const auto row = static_cast<std::size_t>(lane);
            return in + (row < count ? row : count - 1) * size + texels.quat;
          },
          q);
      const Int flipped = load_as<Int>(row_signs);
      // The sign of the product with what was written before; of the first frame, of w.
      const L cosine =
          frame == 0 ? q[3] : (q[0] * before[0] + q[1] * before[1]) + (q[2] * before[2] + q[3] * before[3]);
      const L written = from_bits<float>(bits(cosine) ^ flipped);
      store(row_signs, (Int)((written < 0).bits & (std::int32_t)0x80000000));
      for (std::size_t lane = texels.signed_rows - begin; lane < kWidth; ++lane) row_signs[lane] = 0;
      for (int i = 0; i < 4; ++i) before[i] = q[i];
    }
    for (std::size_t row = 0; row < count; ++row) {
      const float* const from = in + row * size;
      Texel* const to = out + row * size;
      if (is_pair) {
        write((Float8)(load_as<Bits8>(from) ^ row_signs[row]), to);
        continue;
      }
      for (std::size_t i = 0; i < size; i += 4) {
        const std::int32_t sign = i >= texels.quat && i < texels.flipped_end ? row_signs[row] : 0;
        write((Float4)(load_as<Bits4>(from + i) ^ sign), to + i);
      }
    }
  }
}

template <class Texel>
void write_rows(const TexelRows& texels, std::size_t begin, std::size_t end, Texel* out) {
  for (; begin < end; begin += kWidth)
    write_block(texels, begin, end - begin < kWidth ? end - begin : kWidth, out);
}

// Plain loops over contiguous numbers: compilers vectorise them as wide as the instruction set is.
void float_from_half_all(const Half* in, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = float_from_half(in[i]);
}

std::uint32_t largest_magnitude(const float* in, std::size_t count) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(in[i]) & 0x7FFFFFFFu;
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

}  // namespace

extern const TexelKernels texel_kernels;
const TexelKernels texel_kernels = {write_rows<Half>, write_rows<float>, float_from_half_all,
                                    largest_magnitude};

}  // namespace lissom::LISSOM_ISA
