// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lissom {

// A row of a skin, as kernels read it that have the poses of its joint in lanes.
struct BoundRow {
  float joint_from_bind[12];  // (3, 4)
  float pivot[3];
  std::uint32_t sign;  // the sign bit where joint_from_bind mirrors
  std::size_t joint;   // among those that the kernel composes
  std::size_t place;   // of its first number among those of all rows
};

}  // namespace lissom
