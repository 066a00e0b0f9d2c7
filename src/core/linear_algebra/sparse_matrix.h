// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lissom {

// Rows of a sparse matrix, one after the other; columns ascend within a row.
struct SparseMatrix {
  std::size_t row_count() const { return starts.empty() ? 0 : starts.size() - 1; }

  std::vector<std::size_t> starts;    // (rows + 1) the first entry of each row
  std::vector<std::int32_t> columns;  // (entries)
  std::vector<double> values;         // (entries)
};

}  // namespace lissom
