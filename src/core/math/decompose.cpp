// SPDX-License-Identifier: MIT
#include "core/math/decompose.h"

#include <algorithm>
#include <cmath>

#include "core/math/polar.h"

namespace lissom {
namespace {

// The power of two that scales the largest component near one, without rounding.
int exponent_of(const Vec3<double>& v) {
  const double largest = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  return largest > 0 ? std::ilogb(largest) : 0;
}
Vec3<double> times_power(const Vec3<double>& v, int exponent) {
  return {std::ldexp(v.x, exponent), std::ldexp(v.y, exponent), std::ldexp(v.z, exponent)};
}

}  // namespace

bool is_finite_and_affine(const Mat4<double>& matrix) {
  for (const auto& row : matrix.m) {
    for (const double entry : row) {
      if (!std::isfinite(entry)) return false;
    }
  }
  return is_affine(matrix);
}

std::optional<Decomposition<double>> decompose(const Mat4<double>& matrix) {
  if (!is_finite_and_affine(matrix)) return {};
  const Affine<double> affine = affine_from(matrix);
  const Mat3<double> linear = affine.linear();
  // The axes, unit where they are not zero; scaled by powers of two first, so that their squares are finite and not
  // zero.
  Vec3<double> unit[3];
  for (int j = 0; j < 3; ++j) {
    const Vec3<double> axis = linear.column(j);
    const Vec3<double> near_one = times_power(axis, -exponent_of(axis));
    const double size = length(near_one);
    unit[j] = size > 0 ? (1 / size) * near_one : Vec3<double>{0, 0, 0};
  }
  // Without an axis there is no handedness, and the determinant is mere rounding.
  constexpr double kLeastVolume = 1e-6;
  if (determinant(mat3_from_columns(unit[0], unit[1], unit[2])) < -kLeastVolume) unit[0] = -unit[0];
  const Mat3<double> rotation = rotation_of_axes(mat3_from_columns(unit[0], unit[1], unit[2]),
                                                 Mat3<double>::identity(), kRankToleranceDouble);
  return decomposition_from(rotation, linear, affine.translation());
}

}  // namespace lissom
