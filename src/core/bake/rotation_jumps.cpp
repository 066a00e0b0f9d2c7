// SPDX-License-Identifier: MIT
#include "core/bake/rotation_jumps.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace lissom {

Error RotationJumpsJob::validate() const {
  if (row_floats < 4) return Error("rows must have 4 numbers or more, got " + std::to_string(row_floats));
  if (rows.size() != frame_count * row_count * row_floats) {
    return Error("rows must hold " + std::to_string(frame_count * row_count * row_floats) + " numbers, got " +
                 std::to_string(rows.size()));
  }
  if (jumps.size() != row_count) {
    return Error("jumps must hold " + std::to_string(row_count) + " numbers, got " +
                 std::to_string(jumps.size()));
  }
  return {};
}

Error RotationJumpsJob::run() const {
  if (Error error = validate()) return error;
  std::fill(jumps.begin(), jumps.end(), std::uint8_t{0});
  const std::size_t frame_floats = row_count * row_floats;
  for (std::size_t frame = 1; frame < frame_count; ++frame) {
    const float* before = rows.data() + (frame - 1) * frame_floats;
    const float* here = before + frame_floats;
    for (std::size_t row = 0; row < row_count; ++row, before += row_floats, here += row_floats) {
      const float dot =
          ((here[0] * before[0] + here[1] * before[1]) + here[2] * before[2]) + here[3] * before[3];
      jumps[row] = static_cast<std::uint8_t>(jumps[row] | static_cast<std::uint8_t>(std::abs(dot) < limit));
    }
  }
  return {};
}

}  // namespace lissom
