// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/error.h"
#include "core/finite.h"
#include "core/math/conventions.h"
#include "core/number_text.h"
#include "core/skinning/skinned_mesh.h"

namespace lissom {

inline std::string palette_row_text(std::size_t row, std::size_t row_count, std::size_t batch_count) {
  const std::string text = " in palette row " + std::to_string(row % row_count);
  return batch_count == 1 ? text : text + " of palette " + std::to_string(row / row_count);
}

template <class T>
Error check_palette_finite(const char* argument, std::span<const T> values, std::size_t scalars_per_row,
                           std::size_t row_count, std::size_t batch_count) {
  const std::size_t i = first_not_finite(values);
  if (i == values.size()) return {};
  return Error(std::string(argument) + " must be finite, got " + number_text(values[i]) +
               palette_row_text(i / scalars_per_row, row_count, batch_count) +
               "; a scale of zero or a broken pose upstream is the usual cause");
}

// Squared length below which a real part has no direction.
inline constexpr double kLeastRealSquared = 1e-12;

// Rows of 8 numbers, a quaternion and four more.
template <class T>
Error check_rotations(const char* argument, std::span<const T> rows, std::size_t row_count,
                      std::size_t batch_count) {
  for (std::size_t row = 0; row < batch_count * row_count; ++row) {
    const T* q = rows.data() + row * kDualQuatScalars;
    if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > T(kLeastRealSquared))) {
      return Error(std::string(argument) + " must have rotations that are not zero, got zero" +
                   palette_row_text(row, row_count, batch_count) + "; the identity begins with 0, 0, 0, 1");
    }
  }
  return {};
}

inline Error check_palette_rows(const char* argument, const SkinnedMesh& mesh, std::size_t row_count) {
  if (row_count >= mesh.row_count()) return {};
  return Error(std::string(argument) + " must have at least " + std::to_string(mesh.row_count()) +
               " rows, for the mesh's indices reach " + std::to_string(mesh.row_count() - 1) + ", got " +
               std::to_string(row_count) + "; pass the palette of the skin that the mesh belongs to");
}

}  // namespace lissom
