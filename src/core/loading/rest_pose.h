// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/math/mat4.h"

namespace lissom {

// Local transforms of nodes in double: translation 3, rotation xyzw 4, scale 3.
inline constexpr std::size_t kNodeNumbers = 10;

// What rotations of nodes may be: far from unit by `most` where that is no fault; as they are within `rounding`.
struct RotationTolerance {
  double most, rounding;
};

// Normalises the rotations of transforms (N, 10). Returns false where there is a fault: a number beyond `largest`, or a
// rotation further from unit than it may be. Transforms before it may be normalised by then, which does no harm.
bool normalize_rotations(std::span<double> transforms, double largest, RotationTolerance tolerance);

// Stores local transforms (N, 10) as float32, with rotations further from unit than `rounding` normalised. Returns false
// where a number is not finite then, or a rotation further from unit than it may be.
template <class T>
bool store_rest(std::span<const T> transforms, RotationTolerance tolerance, std::span<float> rest);

// The matrices of transforms (N, 10), each after those above it, and how many are above. Parents come first; -1 at roots.
// Products are fused with their sums, as BLAS has them: one that is identity up to rounding stays as near to it.
void model_matrices_of(std::span<const double> transforms, std::span<const std::int64_t> parents,
                       std::span<Mat4<double>> matrices, std::span<std::int64_t> depths);

// The product, fused alike.
Mat4<double> fused_product(const Mat4<double>& a, const Mat4<double>& b);

}  // namespace lissom
