// SPDX-License-Identifier: MIT
#include "core/geometry/vector_transform.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace lissom {
namespace {

// Divided by the largest component first, so that squares neither over- nor underflow.
std::array<double, 3> unit(const std::array<double, 3>& v) {
  const double largest = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
  const bool is_number = std::abs(v[0]) <= largest && std::abs(v[1]) <= largest && std::abs(v[2]) <= largest;
  if (!is_number || !(largest > 0) || !(largest < std::numeric_limits<double>::infinity())) return {};
  const double x = v[0] / largest, y = v[1] / largest, z = v[2] / largest;
  const double length = std::sqrt(x * x + y * y + z * z);
  return {x / length, y / length, z / length};
}

}  // namespace

Error VectorTransformJob::run() const {
  if (out.size() != vectors.size() || vectors.size() % 3 != 0) {
    return Error("out must have as many rows of three as vectors");
  }
  const std::array<double, 9>& m = linear;
  for (std::size_t i = 0; i < vectors.size(); i += 3) {
    const double x = vectors[i], y = vectors[i + 1], z = vectors[i + 2];
    std::array<double, 3> v;
    for (std::size_t row = 0; row < 3; ++row) {
      // No zero is negative.
      v[row] = m[3 * row] * x + m[3 * row + 1] * y + m[3 * row + 2] * z + 0.0;
    }
    if (offset != nullptr) {
      for (std::size_t row = 0; row < 3; ++row) v[row] += offset[row];
    } else {
      v = unit(v);
    }
    for (std::size_t row = 0; row < 3; ++row) out[i + row] = static_cast<float>(v[row]);
  }
  return {};
}

}  // namespace lissom
