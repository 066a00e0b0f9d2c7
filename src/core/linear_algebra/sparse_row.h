// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/linear_algebra/sparse_matrix.h"

namespace lissom {

// A sum of rows of sparse matrices, which becomes a row of a product.
class SparseRow {
 public:
  explicit SparseRow(std::size_t column_count) : sums_(column_count, 0.0), is_met_(column_count, 0) {}

  void add(std::int32_t column, double value) {
    if (!is_met_[column]) {
      is_met_[column] = 1;
      met_.push_back(column);
    }
    sums_[column] += value;
  }
  // Adds `factor` times row `row` of a matrix.
  void add(double factor, const SparseMatrix& matrix, std::int32_t row) {
    for (std::size_t e = matrix.starts[row]; e < matrix.starts[row + 1]; ++e)
      add(matrix.columns[e], factor * matrix.values[e]);
  }

  // The sum becomes the next row of a matrix, with ascending columns, those whose terms cancel, too; then it is 0.
  void append_to(SparseMatrix* matrix) {
    std::sort(met_.begin(), met_.end());
    for (const std::int32_t column : met_) {
      matrix->columns.push_back(column);
      matrix->values.push_back(sums_[column]);
      sums_[column] = 0;
      is_met_[column] = 0;
    }
    matrix->starts.push_back(matrix->columns.size());
    met_.clear();
  }

 private:
  std::vector<double> sums_;
  std::vector<char> is_met_;
  std::vector<std::int32_t> met_;  // columns with a term, in order of their first
};

}  // namespace lissom
