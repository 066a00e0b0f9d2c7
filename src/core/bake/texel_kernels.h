// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bake/half.h"

namespace lissom {

// The inner loops over texels, with the same bits on every
// instruction set: nothing in them rounds but the conversion.
struct TexelKernels {
  void (*half_from_float)(const float* in, std::size_t count, Half* out);
  void (*float_from_half)(const Half* in, std::size_t count, float* out);
  // Largest magnitude as the bits of a float without its sign; those of NaN are above infinity's.
  std::uint32_t (*largest_magnitude)(const float* in, std::size_t count);
};

}  // namespace lissom
