// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace lissom {

// What EllipsoidJob and LoftJob (implicit_shapes.h) say, in plain numbers.
struct Ellipsoid {
  double center[3], radii[3];
};
struct Loft {
  double origin[3], axes[9];
  const double* parameter;  // (knot_count)
  const double* values;     // (knot_count, 4)
  const double* slopes;     // (knot_count, 4)
  std::size_t knot_count;
};

// Distances of `count` points. A point's does not depend on the others.
struct ImplicitShapeKernels {
  void (*ellipsoid)(const Ellipsoid& shape, const double* points, std::size_t count, double* out);
  void (*loft)(const Loft& shape, const double* points, std::size_t count, double* out);
};

}  // namespace lissom
