// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace lissom {

// Points are padded with zeros to a multiple of this, so many sums are kept apart, and added in one order: the same bits
// on every instruction set.
inline constexpr std::size_t kFitBlock = 8;

// Weighted points. `count` is a multiple of kFitBlock; what pads has no weight.
struct FitPoints {
  double *x, *y, *z;  // (count) z is null for points of a plane
  double* weights;    // (count)
  double* off;        // (count) distances from an axis; null for points of a plane
  std::size_t count;
};

// Sums of products of points, each times its weight.
struct FitSums {
  double total;  // of the weights
  double xx, yy, zz, xy, xz, yz;
};

// The inner loops of limits fitted to poses, in double precision.
struct LimitFitKernels {
  // Writes the distances of points from the line through 0 along a unit vector; returns the largest.
  double (*measure_off)(const FitPoints&, const double* axis);
  // Multiplies each weight by `scale` (off + `added`); returns the largest. `sums` are those with the new weights.
  double (*weigh_by_off)(const FitPoints&, double added, double scale, FitSums* sums);
  // Multiplies each weight of points of a plane by xx x^2 + xy x y + yy y^2; returns the largest of these.
  double (*weigh_by_form)(const FitPoints&, double xx, double xy, double yy, FitSums* sums);
};

}  // namespace lissom
