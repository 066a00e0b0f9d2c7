// SPDX-License-Identifier: MIT
#include "core/linear_algebra/cholesky_kernels.h"

#include "core/simd/vector.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr int kDoubles = kWidth / 2;  // doubles in a vector
using Double = double __attribute__((vector_size(8 * kDoubles)));

LISSOM_INLINE Double load_lanes(const double* from) { return load_as<Double>(from); }
LISSOM_INLINE Double all(double value) { return Double{} + value; }

// A tile of update(): its sums stay in registers, 2 vectors of rows times 6 columns.
constexpr std::size_t kTileRows = 2 * kDoubles;
constexpr std::size_t kTileColumns = 6;
static_assert(kTileRows <= kFrontPadding && kTileColumns <= kFrontPadding);

std::size_t tiles(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

// ---- fronts ----

bool eliminate(double* front, std::size_t stride, std::size_t count, std::size_t row_count) {
  for (std::size_t j = 0; j < count; ++j) {
    double* column = front + j * stride;
    for (std::size_t k = 0; k < j; ++k) {
      const double* done = front + k * stride;
      const double factor = done[j];
      for (std::size_t i = j; i < count; ++i) column[i] -= factor * done[i];
    }
    if (!(column[j] > 0)) return false;
    const double inverse = 1 / __builtin_sqrt(column[j]);
    for (std::size_t i = j; i < count; ++i) column[i] *= inverse;
  }
  // The rows below in strips that stay in the first cache.
  constexpr std::size_t kStrip = 64;
  for (std::size_t begin = count; begin < row_count; begin += kStrip) {
    const std::size_t end = begin + kStrip < row_count ? begin + kStrip : row_count;
    for (std::size_t j = 0; j < count; ++j) {
      double* column = front + j * stride;
      std::size_t k = 0;
      for (; k + 4 <= j; k += 4) {
        const double* a = front + k * stride;
        const double *b = a + stride, *c = b + stride, *d = c + stride;
        const double fa = a[j], fb = b[j], fc = c[j], fd = d[j];
        for (std::size_t i = begin; i < end; ++i) column[i] -= fa * a[i] + fb * b[i] + fc * c[i] + fd * d[i];
      }
      for (; k < j; ++k) {
        const double* done = front + k * stride;
        const double factor = done[j];
        for (std::size_t i = begin; i < end; ++i) column[i] -= factor * done[i];
      }
      const double inverse = 1 / column[j];
      for (std::size_t i = begin; i < end; ++i) column[i] *= inverse;
    }
  }
  return true;
}

std::size_t packed_length(std::size_t count, std::size_t row_count) {
  return count * (tiles(row_count, kTileRows) * kTileRows + tiles(row_count, kTileColumns) * kTileColumns);
}

// Slivers of `size` rows, column by column; zeros where rows end.
LISSOM_INLINE double* pack_slivers(const double* panel, std::size_t stride, std::size_t count,
                                   std::size_t row_count, std::size_t size, double* packed) {
  for (std::size_t begin = 0; begin < row_count; begin += size) {
    const std::size_t rows = row_count - begin < size ? row_count - begin : size;
    for (std::size_t k = 0; k < count; ++k) {
      const double* column = panel + k * stride + begin;
      for (std::size_t i = 0; i < rows; ++i) packed[i] = column[i];
      for (std::size_t i = rows; i < size; ++i) packed[i] = 0;
      packed += size;
    }
  }
  return packed;
}

void pack(const double* panel, std::size_t stride, std::size_t count, std::size_t row_count, double* packed) {
  packed = pack_slivers(panel, stride, count, row_count, kTileRows, packed);
  pack_slivers(panel, stride, count, row_count, kTileColumns, packed);
}

LISSOM_INLINE void update_tile(double* front, std::size_t stride, std::size_t count, const double* a,
                               const double* b) {
  Double low[kTileColumns], high[kTileColumns];
  for (std::size_t j = 0; j < kTileColumns; ++j) low[j] = high[j] = Double{};
  for (std::size_t k = 0; k < count; ++k) {
    const Double a_low = load_lanes(a), a_high = load_lanes(a + kDoubles);
#pragma GCC unroll 6
    for (std::size_t j = 0; j < kTileColumns; ++j) {
      const Double factor = all(b[j]);
      low[j] += a_low * factor;
      high[j] += a_high * factor;
    }
    a += kTileRows;
    b += kTileColumns;
  }
#pragma GCC unroll 6
  for (std::size_t j = 0; j < kTileColumns; ++j) {
    double* column = front + j * stride;
    store(column, load_lanes(column) - low[j]);
    store(column + kDoubles, load_lanes(column + kDoubles) - high[j]);
  }
}

void update(double* front, std::size_t stride, std::size_t count, std::size_t row_count, const double* packed,
            std::size_t begin, std::size_t end) {
  const double* columns = packed + count * tiles(row_count, kTileRows) * kTileRows;
  for (std::size_t j = begin; j < end; j += kTileColumns) {
    for (std::size_t i = j / kTileRows * kTileRows; i < row_count; i += kTileRows) {
      update_tile(front + j * stride + i, stride, count, packed + i * count, columns + j * count);
    }
  }
}

// ---- solving ----

constexpr std::size_t kParts = kSolveLanes / kDoubles;  // vectors that hold one entry of all right-hand sides

struct Lanes {
  Double part[kParts];
};
LISSOM_INLINE Lanes load_all(const double* from) {
  Lanes lanes;
  for (std::size_t p = 0; p < kParts; ++p) lanes.part[p] = load_lanes(from + p * kDoubles);
  return lanes;
}
LISSOM_INLINE void store_all(double* to, const Lanes& lanes) {
  for (std::size_t p = 0; p < kParts; ++p) store(to + p * kDoubles, lanes.part[p]);
}
LISSOM_INLINE void subtract(Lanes& from, double factor, const Lanes& value) {
  for (std::size_t p = 0; p < kParts; ++p) from.part[p] -= factor * value.part[p];
}

// x[row] -= L[row, :] y for Count rows at once; L's rows are `width` apart.
template <int Count>
LISSOM_INLINE void forward_rows(const double* panel, std::size_t width, const double* y, double* const* x) {
  Lanes sums[Count];
  for (int r = 0; r < Count; ++r) sums[r] = load_all(x[r]);
  for (std::size_t j = 0; j < width; ++j) {
    const Lanes value = load_all(y + j * kSolveLanes);
#pragma GCC unroll 4
    for (int r = 0; r < Count; ++r) subtract(sums[r], panel[static_cast<std::size_t>(r) * width + j], value);
  }
  for (int r = 0; r < Count; ++r) store_all(x[r], sums[r]);
}

void forward(const double* panel, std::size_t width, double* x, const std::int32_t* rows,
             std::size_t row_count, double* all_x) {
  for (std::size_t i = 0; i < width; ++i) {
    Lanes sum = load_all(x + i * kSolveLanes);
    const double* row = panel + i * width;
    for (std::size_t j = 0; j < i; ++j) subtract(sum, row[j], load_all(x + j * kSolveLanes));
    for (std::size_t p = 0; p < kParts; ++p) sum.part[p] *= row[i];
    store_all(x + i * kSolveLanes, sum);
  }
  const double* row = panel + width * width;
  std::size_t i = 0;
  for (; i + 4 <= row_count; i += 4, row += 4 * width) {
    double* targets[4];
    for (std::size_t r = 0; r < 4; ++r)
      targets[r] = all_x + static_cast<std::size_t>(rows[i + r]) * kSolveLanes;
    forward_rows<4>(row, width, x, targets);
  }
  for (; i < row_count; ++i, row += width) {
    double* target = all_x + static_cast<std::size_t>(rows[i]) * kSolveLanes;
    forward_rows<1>(row, width, x, &target);
  }
}

// x[j] -= sum over rows of L[row, j] y[row] for Count columns at once.
template <int Count>
LISSOM_INLINE void backward_columns(const double* panel, std::size_t width, const double* y,
                                    std::size_t row_count, double* x) {
  Lanes sums[Count];
  for (int j = 0; j < Count; ++j) sums[j] = load_all(x + static_cast<std::size_t>(j) * kSolveLanes);
  for (std::size_t i = 0; i < row_count; ++i, panel += width, y += kSolveLanes) {
    const Lanes value = load_all(y);
#pragma GCC unroll 4
    for (int j = 0; j < Count; ++j) subtract(sums[j], panel[j], value);
  }
  for (int j = 0; j < Count; ++j) store_all(x + static_cast<std::size_t>(j) * kSolveLanes, sums[j]);
}

void backward(const double* panel, std::size_t width, double* x, const std::int32_t* rows,
              std::size_t row_count, const double* all_x, double* work) {
  for (std::size_t i = 0; i < row_count; ++i) {
    store_all(work + i * kSolveLanes, load_all(all_x + static_cast<std::size_t>(rows[i]) * kSolveLanes));
  }
  // Rows of the panel in strips, so that a line of it is still in the cache for the next columns.
  constexpr std::size_t kStrip = 64;
  for (std::size_t begin = 0; begin < row_count; begin += kStrip) {
    const std::size_t count = row_count - begin < kStrip ? row_count - begin : kStrip;
    const double* strip = panel + (width + begin) * width;
    const double* y = work + begin * kSolveLanes;
    std::size_t j = 0;
    for (; j + 4 <= width; j += 4) backward_columns<4>(strip + j, width, y, count, x + j * kSolveLanes);
    for (; j < width; ++j) backward_columns<1>(strip + j, width, y, count, x + j * kSolveLanes);
  }
  for (std::size_t i = width; i-- > 0;) {
    const double* row = panel + i * width;
    Lanes value = load_all(x + i * kSolveLanes);
    for (std::size_t p = 0; p < kParts; ++p) value.part[p] *= row[i];
    store_all(x + i * kSolveLanes, value);
    for (std::size_t j = 0; j < i; ++j) {
      Lanes sum = load_all(x + j * kSolveLanes);
      subtract(sum, row[j], value);
      store_all(x + j * kSolveLanes, sum);
    }
  }
}

void solve(const CholeskyLayout& layout, double* x, double* work) {
  for (std::size_t s = 0; s < layout.supernode_count; ++s) {
    const auto first = static_cast<std::size_t>(layout.first_columns[s]);
    const auto width = static_cast<std::size_t>(layout.first_columns[s + 1]) - first;
    forward(layout.panels + layout.panel_starts[s], width, x + first * kSolveLanes,
            layout.rows + layout.row_starts[s], layout.row_starts[s + 1] - layout.row_starts[s], x);
  }
  for (std::size_t s = layout.supernode_count; s-- > 0;) {
    const auto first = static_cast<std::size_t>(layout.first_columns[s]);
    const auto width = static_cast<std::size_t>(layout.first_columns[s + 1]) - first;
    backward(layout.panels + layout.panel_starts[s], width, x + first * kSolveLanes,
             layout.rows + layout.row_starts[s], layout.row_starts[s + 1] - layout.row_starts[s], x, work);
  }
}

}  // namespace

extern const CholeskyKernels cholesky_kernels;
const CholeskyKernels cholesky_kernels = {&eliminate, &packed_length, &pack, &update, kTileColumns, &solve};

}  // namespace lissom::LISSOM_ISA
