// SPDX-License-Identifier: MIT
#include "core/volume/implicit_shapes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lissom {
namespace {

constexpr double kTiny = 1e-9;  // keeps quotients finite at the centres of ellipses

// y last: as NumPy sums three numbers, by which the samples were made first.
double length(double x, double y, double z) { return std::sqrt((x * x + z * z) + y * y); }

Error check(std::span<const double> points, std::span<double> out) {
  return points.size() == 3 * out.size() ? Error() : Error("out must hold one distance per point");
}

// One place along a loft: between which knots, and how much of each.
struct Place {
  std::size_t knot;
  double begin, end;              // shares of the values of the knot and of the next one
  double begin_slope, end_slope;  // and of their slopes
};

Place place_at(std::span<const double> parameter, double at) {
  const double clamped = std::clamp(at, parameter.front(), parameter.back());
  std::size_t knot = 0;
  for (std::size_t i = 1; i + 1 < parameter.size(); ++i) knot += clamped >= parameter[i] ? 1 : 0;
  const double step = parameter[knot + 1] - parameter[knot];
  const double u = (clamped - parameter[knot]) / step;
  const double u2 = u * u;
  const double u3 = u2 * u;
  return {knot, 2 * u3 - 3 * u2 + 1, 3 * u2 - 2 * u3, (u3 - 2 * u2 + u) * step, (u3 - u2) * step};
}

}  // namespace

Error EllipsoidJob::run() const {
  if (Error error = check(points, out)) return error;
  const double inside = -std::min({radii[0], radii[1], radii[2]});
  const double* p = points.data();
  double* to = out.data();
  const std::size_t count = out.size();
  for (std::size_t i = 0; i < count; ++i) {
    const double x = (p[3 * i] - center[0]) / radii[0];
    const double y = (p[3 * i + 1] - center[1]) / radii[1];
    const double z = (p[3 * i + 2] - center[2]) / radii[2];
    const double norm = length(x, y, z);
    const double slope = length(x / radii[0], y / radii[1], z / radii[2]);
    const double distance = norm * (norm - 1.0) / std::max(slope, kTiny);
    to[i] = norm < kTiny ? inside : distance;
  }
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
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double x = points[3 * i] - origin[0];
    const double y = points[3 * i + 1] - origin[1];
    const double z = points[3 * i + 2] - origin[2];
    double local[3];
    for (std::size_t k = 0; k < 3; ++k)
      local[k] = x * axes[3 * k] + y * axes[3 * k + 1] + z * axes[3 * k + 2];
    const Place place = place_at(parameter, local[0]);
    const double* value = values.data() + 4 * place.knot;
    const double* slope = slopes.data() + 4 * place.knot;
    double curve[4];
    for (std::size_t c = 0; c < 4; ++c) {
      curve[c] = ((place.begin * value[c] + place.begin_slope * slope[c]) + place.end * value[c + 4]) +
                 place.end_slope * slope[c + 4];
    }
    const double across = (local[1] - curve[2]) / curve[0];
    const double through = (local[2] - curve[3]) / curve[1];
    const double norm = std::sqrt(across * across + through * through);
    const double slope_across = across / curve[0];
    const double slope_through = through / curve[1];
    const double steepness = std::sqrt(slope_across * slope_across + slope_through * slope_through);
    const double distance = norm * (norm - 1.0) / std::max(steepness, kTiny);
    out[i] = norm < kTiny ? -std::min(curve[0], curve[1]) : distance;
  }
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
