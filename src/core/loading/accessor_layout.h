// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lissom {

// Where the elements of accessors are: glTF 2.0, sections 3.6.2 and 5.1. All columns have a number for each accessor, or
// for each buffer view; sums of theirs fit, as none is above 2^53. Owns none of its buffers.
struct AccessorLayout {
  using Column = std::span<const std::int64_t>;
  using Mask = std::span<bool>;

  // Fills the columns below. Returns false where an accessor names a buffer view that does not exist.
  bool run();

  // Buffer views.
  Column view_buffer, view_length, view_offset, view_stride;  // stride 0: none is told
  // Accessors.
  Column component_type, count, type, view, byte_offset;  // type -1: none of glTF's; view -1: none
  std::span<const bool> is_sparse;
  std::int64_t buffer_count = 0;  // of the file: a compressed view is a buffer beyond these

  std::span<std::int64_t> component_size, components, element_size, stride, start, buffer;
  Mask has_view, has_stride, is_compressed, is_plain;

  // The first fault: of the first kind of which there is any, the first row.
  enum class Fault { kNone, kView, kSmallStride, kTooLong, kAlignment };
  Fault fault = Fault::kNone;
  std::size_t row = 0;
  std::int64_t expected = 0, got = 0;

 private:
  // Bytes from the start of an element to the end of its last component, and whether the stride is told.
  std::int64_t lay_out(std::size_t i);
  void find_fault(Fault kind, std::size_t i, std::int64_t last_size);
};

// Whether buffer views name buffers that exist, and end within them.
bool views_fit(AccessorLayout::Column buffer, AccessorLayout::Column offset, AccessorLayout::Column length,
               AccessorLayout::Column buffer_lengths);

// How many components an accessor type has, by its number: SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3, MAT4.
std::int64_t component_count(std::int64_t type);

}  // namespace lissom
