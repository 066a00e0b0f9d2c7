// SPDX-License-Identifier: MIT
#include "core/arrays/polar_rotations.h"

#include <string>

#include "core/math/polar.h"

namespace lissom {

Error PolarRotationsJob::run() const {
  if (rotations.size() != matrices.size()) {
    return Error("rotations must hold " + std::to_string(matrices.size()) + " matrices, got " +
                 std::to_string(rotations.size()));
  }
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    rotations[i] = polar_rotation(matrices[i], Mat3<double>::identity(), kRankToleranceDouble);
  }
  return {};
}

}  // namespace lissom
