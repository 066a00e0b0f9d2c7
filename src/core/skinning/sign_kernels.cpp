// SPDX-License-Identifier: MIT
#include "core/simd/vector.h"
#include "core/skinning/kernels.h"

namespace lissom::LISSOM_ISA {
namespace {

void find_signs(const float* quats, std::size_t stride, std::size_t row_count, std::uint8_t* signs) {
  for (std::size_t i = 0; i < row_count; ++i) {
    const Float4 pivot = load_as<Float4>(quats + stride * i);
    for (std::size_t j = 0; j < row_count; ++j) {
      const Float4 products = pivot * load_as<Float4>(quats + stride * j);
      signs[i * row_count + j] = products[0] + products[1] + products[2] + products[3] < 0;
    }
  }
}

}  // namespace

extern const SignKernels sign_kernels;
const SignKernels sign_kernels{find_signs};

}  // namespace lissom::LISSOM_ISA
