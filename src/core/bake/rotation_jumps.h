// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"

namespace lissom {

// Finds the rows whose rotation turns far from one frame to the next: |<q[f], q[f + 1]>| is below a limit at some
// frame. A row's quaternion x y z w is the first of its numbers. A dot product that is not a number is no jump.
struct RotationJumpsJob {
  Error validate() const;  // lengths agree
  Error run() const;       // validates, then fills `jumps`; writes nothing on error

  std::size_t frame_count = 0;  // F
  std::size_t row_count = 0;    // R
  std::size_t row_floats = 0;   // N, at least 4
  float limit = 0;
  std::span<const float> rows;    // (F*R*N)
  std::span<std::uint8_t> jumps;  // (R) out, 0 or 1
};

}  // namespace lissom
