// SPDX-License-Identifier: MIT
#include "core/loading/skin_frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/loading/rest_pose.h"

namespace lissom {
namespace {

constexpr double kAffine = 1e-6;  // what the last row may be off from 0 0 0 1
// Those that ask again go by limits of their own: what is near one of them is theirs to judge.
constexpr double kMargin = 0.99;

bool take(const float* stored, double largest, Mat4<double>& matrix) {
  for (int column = 0; column < 4; ++column) {
    for (int row = 0; row < 4; ++row) {
      const auto number = static_cast<double>(stored[4 * column + row]);
      if (!(std::abs(number) <= largest)) return false;
      matrix.m[row][column] = number;
    }
  }
  const auto& last = matrix.m[3];
  return std::max({std::abs(last[0]), std::abs(last[1]), std::abs(last[2]), std::abs(last[3] - 1)}) <=
         kAffine;
}

// The determinant of the linear part where its inverse is accurate beyond doubt; else NaN. The smallest scale is the
// determinant by the two others, and none is larger than the norm.
double regular_determinant(const Mat4<double>& matrix, double singular) {
  const auto& m = matrix.m;
  const double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                             m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  double squares = 0;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) squares += m[row][column] * m[row][column];
  }
  const double norm = std::sqrt(squares);
  const bool is_regular = std::isfinite(determinant) && std::isfinite(norm) &&
                          kMargin * std::abs(determinant) > 1e3 * singular * (norm * norm * norm);
  return is_regular ? std::abs(determinant) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

bool SkinFrame::run() {
  if (joints.empty()) return false;
  std::size_t uppermost = 0;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t row = 0; row < joints.size(); ++row) {
    if (!take(stored.data() + 16 * row, largest, source_from_bind[row])) return false;
    const auto joint = static_cast<std::size_t>(joints[row]);
    const Mat4<double> candidate = fused_product(model_from_joint[joint], source_from_bind[row]);
    for (int i = 0; i < 3; ++i) {
      if (!std::isfinite(candidate.m[i][3])) return false;
    }
    const double determinant = regular_determinant(candidate, singular);
    if (std::isnan(determinant)) return false;
    least = std::min(least, determinant), most = std::max(most, determinant);
    const bool is_first = row == 0 || depths[joint] < depths[static_cast<std::size_t>(joints[uppermost])];
    if (!is_first) continue;
    uppermost = row;
    model_from_source = candidate;
  }
  return std::cbrt(most) - std::cbrt(least) <= kMargin * same_factor * std::cbrt(least);
}

}  // namespace lissom
