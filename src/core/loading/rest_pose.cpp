// SPDX-License-Identifier: MIT
#include "core/loading/rest_pose.h"

#include <cmath>

namespace lissom {
namespace {

Mat4<double> local_matrix(const double* trs) {
  const double x = trs[3], y = trs[4], z = trs[5], w = trs[6];
  const double rotation[3][3] = {
      {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
      {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
      {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)},
  };
  Mat4<double> matrix{};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column)
      matrix.m[row][column] = rotation[row][column] * trs[7 + column];
    matrix.m[row][3] = trs[row];
  }
  matrix.m[3][3] = 1;
  return matrix;
}

}  // namespace

bool normalize_rotations(std::span<double> transforms, double largest, RotationTolerance tolerance) {
  for (std::size_t at = 0; at < transforms.size(); at += kNodeNumbers) {
    for (std::size_t i = at; i < at + kNodeNumbers; ++i) {
      if (!(std::abs(transforms[i]) <= largest)) return false;
    }
    double* const q = transforms.data() + at + 3;
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double off = std::abs(length - 1);
    if (off > tolerance.most) return false;
    if (off <= tolerance.rounding) continue;
    for (int i = 0; i < 4; ++i) q[i] /= length;
  }
  return true;
}

template <class T>
bool store_rest(std::span<const T> transforms, RotationTolerance tolerance, std::span<float> rest) {
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = static_cast<float>(transforms[i]);
  for (std::size_t at = 0; at < rest.size(); at += kNodeNumbers) {
    for (std::size_t i = at; i < at + kNodeNumbers; ++i) {
      if (!std::isfinite(rest[i])) return false;
    }
    float* const q = rest.data() + at + 3;
    double squares = 0;
    for (int i = 0; i < 4; ++i) squares += static_cast<double>(q[i]) * static_cast<double>(q[i]);
    const double length = std::sqrt(squares), off = std::abs(length - 1);
    if (off > tolerance.most) return false;
    if (off <= tolerance.rounding) continue;
    for (int i = 0; i < 4; ++i) q[i] = static_cast<float>(static_cast<double>(q[i]) / length);
  }
  return true;
}

template bool store_rest(std::span<const float>, RotationTolerance, std::span<float>);
template bool store_rest(std::span<const double>, RotationTolerance, std::span<float>);

Mat4<double> fused_product(const Mat4<double>& a, const Mat4<double>& b) {
  Mat4<double> product;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      double sum = a.m[row][0] * b.m[0][column];
      for (int k = 1; k < 4; ++k) sum = std::fma(a.m[row][k], b.m[k][column], sum);
      product.m[row][column] = sum;
    }
  }
  return product;
}

void model_matrices_of(std::span<const double> transforms, std::span<const std::int64_t> parents,
                       std::span<Mat4<double>> matrices, std::span<std::int64_t> depths) {
  for (std::size_t joint = 0; joint < parents.size(); ++joint) {
    matrices[joint] = local_matrix(transforms.data() + kNodeNumbers * joint);
    depths[joint] = 0;
    if (parents[joint] < 0) continue;
    const auto parent = static_cast<std::size_t>(parents[joint]);
    matrices[joint] = fused_product(matrices[parent], matrices[joint]);
    depths[joint] = depths[parent] + 1;
  }
}

}  // namespace lissom
