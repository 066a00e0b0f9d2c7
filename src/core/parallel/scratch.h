// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "core/cache_line.h"

namespace lissom {

// Memory for the numbers of one job on one thread, aligned to 64 bytes and not initialised. Small ones are the thread's
// own, which are kept: to allocate them, and to write them with zeros, would take as long as the smallest jobs.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) {
    if (bytes <= kKeptBytes && !kept().is_used) {
      if (!kept().lines) kept().lines = std::make_unique_for_overwrite<Line[]>(kKeptBytes / sizeof(Line));
      kept().is_used = is_kept_ = true;
      data_ = kept().lines.get();
    } else {
      own_ = std::make_unique_for_overwrite<Line[]>(bytes / sizeof(Line) + 1);
      data_ = own_.get();
    }
  }
  ~Scratch() {
    if (is_kept_) kept().is_used = false;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  void* data() { return data_; }

 private:
  static constexpr std::size_t kKeptBytes = std::size_t{256} << 10;
  using Line = CacheLine<std::byte>;
  struct Kept {
    std::unique_ptr<Line[]> lines;
    bool is_used = false;
  };
  static Kept& kept() {
    static thread_local Kept memory;
    return memory;
  }

  std::unique_ptr<Line[]> own_;
  Line* data_;
  bool is_kept_ = false;
};

}  // namespace lissom
