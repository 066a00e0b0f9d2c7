// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/error.h"
#include "core/math/mat3.h"

namespace lissom {

// The rotation R of each M = R S (math/polar.h); of a singular M the one nearest to the identity. N matrices.
struct PolarRotationsJob {
  Error run() const;  // writes nothing on error

  std::span<const Mat3<double>> matrices;  // (N) finite
  std::span<Mat3<double>> rotations;       // (N); may be the matrices
};

}  // namespace lissom
