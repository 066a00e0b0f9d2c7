// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "core/math/mat4.h"

namespace lissom {

// The inverse bind matrices of a skin, and where its mesh stands at rest, where nothing about them is odd.
struct SkinFrame {
  // Returns false where a matrix is not finite, too large or not affine, where a joint's matrix at rest has no accurate
  // inverse, or where two of them scale differently: what is done then depends on more than these numbers.
  bool run();

  std::span<const float> stored;         // (S, 16) by columns, as files have them
  std::span<const std::int64_t> joints;  // (S)
  std::span<const Mat4<double>> model_from_joint;
  std::span<const std::int64_t> depths;  // of each joint, how many are above it
  double largest = 0;                    // number of a matrix
  double singular = 0;                   // smallest scale of a matrix that has an inverse, of its largest
  double same_factor = 0;                // how far apart scales may be and are one, of the smaller

  std::span<Mat4<double>> source_from_bind;  // (S) by rows
  Mat4<double> model_from_source;            // of the first of the uppermost joints
};

}  // namespace lissom
