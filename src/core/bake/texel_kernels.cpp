// SPDX-License-Identifier: MIT
#include "core/bake/texel_kernels.h"

#include <bit>

namespace lissom::LISSOM_ISA {
namespace {

// Plain loops over contiguous numbers: compilers vectorise them as wide as the instruction set is.
void half_from_float_all(const float* in, std::size_t count, Half* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = half_from_float(in[i]);
}

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
const TexelKernels texel_kernels = {half_from_float_all, float_from_half_all, largest_magnitude};

}  // namespace lissom::LISSOM_ISA
