// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/skinning/kernels.h"
#include "core/skinning/skinning_job.h"

namespace lissom {

// Floats on a 64-byte boundary, so that a palette row is one cache line. Not initialised.
class AlignedFloats {
 public:
  explicit AlignedFloats(std::size_t count);
  AlignedFloats(const AlignedFloats&) = delete;
  AlignedFloats& operator=(const AlignedFloats&) = delete;
  float* data() { return data_; }
  const float* data() const { return data_; }

 private:
  std::unique_ptr<float[]> memory_;
  float* data_;
};

// One palette of a job as the kernels of its method read it.
class PreparedRows {
 public:
  PreparedRows(const SkinningJob<float>& job, std::size_t batch);
  PaletteRows rows() const;
  // (S) 1 where a row's scale is not the identity; null where that holds for all rows, or for none.
  const std::uint8_t* scaled_rows() const { return scaled_rows_.empty() ? nullptr : scaled_rows_.data(); }

 private:
  std::size_t row_count_;
  bool has_matrices_, has_scales_, has_sides_;
  AlignedFloats matrices_, scales_, sides_;
  std::vector<std::uint8_t> signs_, scaled_rows_;
};

// The palettes of a job, for threads that process parts of its vertices: each is made once, by the first thread that
// needs it, and freed when all of its vertices are done.
class SharedRows {
 public:
  // `count` is the sum of the counts of done() for each palette.
  SharedRows(const SkinningJob<float>& job, std::size_t count)
      : job_(job), count_(count), slots_(job.batch_count) {}
  const PreparedRows& of(std::size_t batch);
  void done(std::size_t batch, std::size_t count);

 private:
  // Not std::call_once, which calls the kernel of the system where no thread waits, either.
  struct Slot {
    std::mutex mutex;  // held while they are made
    std::unique_ptr<PreparedRows> rows;
    std::atomic<const PreparedRows*> made = nullptr;
    std::atomic<std::size_t> done = 0;
  };

  const SkinningJob<float>& job_;
  std::size_t count_;
  std::vector<Slot> slots_;
};

}  // namespace lissom
