// SPDX-License-Identifier: MIT
#include "core/linear_algebra/ordering.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>

namespace lissom {
namespace {

using Pattern = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

std::vector<std::int32_t> order_of(Pattern& pattern) {
  Eigen::AMDOrdering<int>::PermutationType inverse;
  Eigen::internal::minimum_degree_ordering(pattern, inverse);
  return {inverse.indices().data(), inverse.indices().data() + inverse.indices().size()};
}

}  // namespace

Error minimum_degree_order(const SparseMatrix& matrix, const char* stage, const Progress& progress,
                           std::vector<std::int32_t>* order) {
  const auto count = static_cast<int>(matrix.row_count());
  auto pattern = std::make_shared<Pattern>(count, count);
  pattern->resizeNonZeros(static_cast<int>(matrix.columns.size()));
  for (int row = 0; row <= count; ++row) pattern->outerIndexPtr()[row] = static_cast<int>(matrix.starts[row]);
  for (std::size_t i = 0; i < matrix.columns.size(); ++i) {
    pattern->innerIndexPtr()[i] = matrix.columns[i];
    pattern->valuePtr()[i] = 1;
  }
  // It cannot be interrupted, so it owns its input and is abandoned once stopped.
  auto task = std::make_shared<std::packaged_task<std::vector<std::int32_t>()>>(
      [pattern] { return order_of(*pattern); });
  std::future<std::vector<std::int32_t>> result = task->get_future();
  std::thread([task] { (*task)(); }).detach();
  while (result.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    if (progress && progress(stage, 0)) return Error(kStopped);
  }
  *order = result.get();
  return {};
}

}  // namespace lissom
