// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "core/error.h"
#include "core/skinning/skinned_mesh.h"

namespace lissom {

// Whether no value has the exponent of infinities and NaNs. On integers and without a branch, so that the
// compiler may take many at a time.
template <class T>
bool all_finite(std::span<const T> values) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kExponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  Bits broken = 0;
  for (const T value : values) broken |= Bits((std::bit_cast<Bits>(value) & kExponent) == kExponent);
  return broken == 0;
}

inline std::string palette_row_text(std::size_t row, std::size_t row_count, std::size_t batch_count) {
  const std::string text = " in palette row " + std::to_string(row % row_count);
  return batch_count == 1 ? text : text + " of palette " + std::to_string(row / row_count);
}

template <class T>
Error check_palette_finite(const char* argument, std::span<const T> values, std::size_t scalars_per_row,
                           std::size_t row_count, std::size_t batch_count) {
  if (all_finite(values)) return {};
  std::size_t i = 0;
  while (std::isfinite(values[i])) ++i;
  return Error(std::string(argument) + " must be finite, got " + std::to_string(values[i]) +
               palette_row_text(i / scalars_per_row, row_count, batch_count) +
               "; a scale of zero or a broken pose upstream is the usual cause");
}

inline Error check_palette_rows(const char* argument, const SkinnedMesh& mesh, std::size_t row_count) {
  if (row_count >= mesh.row_count()) return {};
  return Error(std::string(argument) + " must have at least " + std::to_string(mesh.row_count()) +
               " rows, for the mesh's indices reach " + std::to_string(mesh.row_count() - 1) + ", got " +
               std::to_string(row_count) + "; pass the palette of the skin that the mesh belongs to");
}

}  // namespace lissom
