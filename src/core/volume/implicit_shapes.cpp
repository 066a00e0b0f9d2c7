// SPDX-License-Identifier: MIT
#include "core/volume/implicit_shapes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/simd/isa.h"
#include "core/volume/implicit_shape_kernels.h"

namespace lissom {
LISSOM_EQUAL_KERNEL_TABLE(ImplicitShapeKernels, implicit_shape_kernels)
namespace {

// y last: as NumPy sums three numbers, by which the samples were made first.
double length(double x, double y, double z) { return std::sqrt((x * x + z * z) + y * y); }

Error check(std::span<const double> points, std::span<double> out) {
  return points.size() == 3 * out.size() ? Error() : Error("out must hold one distance per point");
}

}  // namespace

Error EllipsoidJob::run() const {
  if (Error error = check(points, out)) return error;
  const Ellipsoid shape = {{center[0], center[1], center[2]}, {radii[0], radii[1], radii[2]}};
  implicit_shape_kernels().ellipsoid(shape, points.data(), out.size(), out.data());
  return {};
}

Error CapsuleJob::run() const {
  if (Error error = check(points, out)) return error;
  const double axis[] = {tail[0] - head[0], tail[1] - head[1], tail[2] - head[2]};
  const double squared = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
  const double* p = points.data();
  double* to = out.data();
  const std::size_t count = out.size();
  for (std::size_t i = 0; i < count; ++i) {
    const double x = p[3 * i] - head[0];
    const double y = p[3 * i + 1] - head[1];
    const double z = p[3 * i + 2] - head[2];
    const double along = std::clamp((x * axis[0] + y * axis[1] + z * axis[2]) / squared, 0.0, 1.0);
    const double away = length(x - along * axis[0], y - along * axis[1], z - along * axis[2]);
    to[i] = away - (head_radius + (tail_radius - head_radius) * along);
  }
  return {};
}

Error LoftJob::run() const {
  if (Error error = check(points, out)) return error;
  if (parameter.size() < 2) return Error("parameter must hold at least 2 knots");
  if (values.size() != 4 * parameter.size()) return Error("values must have a row per knot");
  if (slopes.size() != values.size()) return Error("slopes must be as many as values");
  Loft shape{{}, {}, parameter.data(), values.data(), slopes.data(), parameter.size()};
  std::copy(origin.begin(), origin.end(), shape.origin);
  std::copy(axes.begin(), axes.end(), shape.axes);
  implicit_shape_kernels().loft(shape, points.data(), out.size(), out.data());
  return {};
}

Error SmoothUnionJob::run() const {
  if (first.size() != second.size() || first.size() != out.size()) {
    return Error("first, second and out must be equally long");
  }
  const double* a = first.data();
  const double* b = second.data();
  double* to = out.data();
  const std::size_t count = out.size();
  for (std::size_t i = 0; i < count; ++i) {
    const double one = sign * a[i];
    const double other = sign * b[i];
    const double overlap = std::max(radius - std::abs(one - other), 0.0) / radius;
    to[i] = sign * (std::min(one, other) - 0.25 * radius * overlap * overlap);
  }
  return {};
}

}  // namespace lissom
