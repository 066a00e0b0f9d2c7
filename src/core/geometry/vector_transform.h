// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>

#include "core/error.h"

namespace lissom {

// Moves points and directions by a matrix, in double. Owns none of its buffers.
struct VectorTransformJob {
  Error run() const;

  std::span<const float> vectors;  // (V, 3)
  std::array<double, 9> linear{};  // (3, 3), row after row
  // Of points. Directions are brought to unit length instead; those whose length is zero, or no number, become zero.
  const double* offset = nullptr;
  std::span<float> out;  // (V, 3)
};

}  // namespace lissom
