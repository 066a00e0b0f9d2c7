// SPDX-License-Identifier: MIT
#include "core/simd/rows.h"
#include "core/skinning/kernels.h"

namespace lissom::LISSOM_ISA {
namespace {

using Bytes = std::uint8_t __attribute__((vector_size(LISSOM_WIDTH)));

void find_signs(const float* quats, std::size_t stride, std::size_t row_count, std::uint8_t* signs) {
  for (std::size_t first = 0; first < row_count; first += kWidth) {
    Lanes<float> q[4];
    load_rows<4>(
        [&](int lane) LISSOM_LAMBDA_INLINE {
          const std::size_t row = first + lane;
          return quats + stride * (row < row_count ? row : row_count - 1);
        },
        q);
    const std::size_t count = row_count - first < kWidth ? row_count - first : kWidth;
    for (std::size_t i = 0; i < row_count; ++i) {
      const float* const pivot = quats + stride * i;
      const Lanes<float> dot = pivot[0] * q[0] + pivot[1] * q[1] + pivot[2] * q[2] + pivot[3] * q[3];
      const Bytes bytes = __builtin_convertvector(-(dot < 0.0f).bits, Bytes);
      if (count == kWidth) {
        store(signs + i * row_count + first, bytes);
      } else {
        for (std::size_t j = 0; j < count; ++j) signs[i * row_count + first + j] = bytes[j];
      }
    }
  }
}

}  // namespace

extern const SignKernels sign_kernels;
const SignKernels sign_kernels{find_signs};

}  // namespace lissom::LISSOM_ISA
