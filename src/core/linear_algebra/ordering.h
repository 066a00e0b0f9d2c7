// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/error.h"
#include "core/linear_algebra/sparse_matrix.h"
#include "core/progress.h"

namespace lissom {

// An elimination order of the rows of a symmetric matrix that keeps its factor sparse: approximate minimum degree. Runs
// in another thread while the calling one polls `progress`; where that stops it, the other thread ends by itself a
// little later.
Error minimum_degree_order(const SparseMatrix& pattern, const char* stage, const Progress& progress,
                           std::vector<std::int32_t>* order);

}  // namespace lissom
