// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/error.h"
#include "core/math/vec.h"

namespace lissom {

// The axis through 0 whose largest distance from points is least, found by iteratively reweighted least squares: the
// weights of far points grow (C. Lawson, 1961). The best axis of all steps counts. Either of its directions.
struct NearestAxisJob {
  Error validate() const;  // at least one point, all finite, not all 0
  Error run();             // validates, then fills `axis`

  std::span<const double> points;  // (N * 3) at most 1 in size
  Vec3<double> axis{};             // out: unit
};

// The weights of points by which the ellipse about 0 of the smallest area around them is p^T M^-1 p = 2, with
// M = sum w p p^T: multiplied by p^T M^-1 p / 2 until none of these is above 1 (D. Titterington, 1976). Of points in a
// line the area is 0: others must be added.
struct EnclosingEllipseJob {
  Error validate() const;  // at least one point, all finite
  Error run();             // validates, then fills `moment`

  std::span<const double> points;  // (N * 2)
  double moment[3] = {};           // out: xx, xy, yy of M
};

}  // namespace lissom
