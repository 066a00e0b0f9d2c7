// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <mutex>
#include <utility>

#include "core/error.h"

namespace lissom {

// The error of the lowest row, whatever the order of threads.
class FirstError {
 public:
  void keep(std::size_t row, Error error) {
    const std::scoped_lock lock(mutex_);
    if (row < row_) row_ = row, error_ = std::move(error);
  }
  Error take() { return std::move(error_); }

 private:
  std::mutex mutex_;
  std::size_t row_ = std::numeric_limits<std::size_t>::max();
  Error error_;
};

}  // namespace lissom
