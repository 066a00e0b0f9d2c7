// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lissom {

// Right-hand sides that are solved together, interleaved: entry i of all of them lies in [8 i, 8 i + 8).
inline constexpr std::size_t kSolveLanes = 8;

// Columns that are eliminated at once within a front.
inline constexpr std::size_t kFrontBlock = 64;
// Tiles overhang the end of a front by less than this many rows and columns.
inline constexpr std::size_t kFrontPadding = 16;

// A finished factor, as the solver reads it. Supernode s has the columns [first_columns[s], first_columns[s + 1]), and
// rows: these columns, then rows[row_starts[s] .. row_starts[s + 1]), ascending. Its panel of L lies at
// panels + panel_starts[s], row by row; on the diagonal are reciprocals.
struct CholeskyLayout {
  std::size_t supernode_count;
  const std::int32_t* first_columns;
  const std::size_t* row_starts;
  const std::int32_t* rows;
  const std::size_t* panel_starts;
  const double* panels;
};

// The dense part of sparse Cholesky factorisation. A front is a lower triangle, column by column, with `stride` from a
// column to the next; it has memory for kFrontPadding more rows and columns.
struct CholeskyKernels {
  // L L^T = the leading `count` x `count` block (count <= kFrontBlock), in place, then the rows below, to `row_count`,
  // times L^-T. False where the block is not positive definite.
  bool (*eliminate)(double* front, std::size_t stride, std::size_t count, std::size_t row_count);
  // Doubles that pack() writes for so many rows.
  std::size_t (*packed_length)(std::size_t count, std::size_t row_count);
  // Copies rows [0, row_count) of `count` columns at `panel`, in the two orders that update() reads.
  void (*pack)(const double* panel, std::size_t stride, std::size_t count, std::size_t row_count,
               double* packed);
  // front -= P P^T for its columns [begin, end), of row_count; begin is a multiple of update_grain.
  void (*update)(double* front, std::size_t stride, std::size_t count, std::size_t row_count,
                 const double* packed, std::size_t begin, std::size_t end);
  std::size_t update_grain;
  // x = (L L^T)^-1 x for kSolveLanes interleaved right-hand sides. `work` has kSolveLanes doubles for each row of the
  // largest front.
  void (*solve)(const CholeskyLayout& layout, double* x, double* work);
};

}  // namespace lissom
