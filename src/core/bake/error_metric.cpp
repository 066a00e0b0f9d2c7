// SPDX-License-Identifier: MIT
#include "core/bake/error_metric.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "core/bake/error_kernels.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(ErrorKernels, error_kernels)

namespace {

constexpr double kNanoseconds = 2;  // rough cost of a vertex, for the choice of threads alone
constexpr std::uint32_t kAboveAll = std::numeric_limits<std::uint32_t>::max();

// The results of one thread for its blocks of vertices.
struct Found {
  explicit Found(std::size_t sample_count) : sample_peaks(sample_count) {}

  std::vector<std::uint32_t> sample_peaks;
  std::uint32_t least = kAboveAll;
  float low[3] = {kInfinity, kInfinity, kInfinity};
  float high[3] = {-kInfinity, -kInfinity, -kInfinity};

 private:
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
};

// Counts of distances, kept by each thread and always left at zero: clearing and summing all bins would cost more
// than the measurement, and few are in use.
std::vector<std::uint32_t>& counts_of_this_thread(std::size_t count) {
  thread_local std::vector<std::uint32_t> counts;
  if (counts.size() < count) counts.resize(count);
  return counts;
}

void move_counts(std::uint32_t* from, std::size_t first, std::size_t last, std::int64_t* to) {
  for (std::size_t bin = first; bin <= last; ++bin) to[bin] += from[bin];
  std::fill(from + first, from + last + 1, 0u);
}

float distance_of(std::uint32_t square) { return std::sqrt(std::bit_cast<float>(square)); }

}  // namespace

std::size_t distance_bin(float squared_distance) {
  return std::bit_cast<std::uint32_t>(squared_distance) >> kDistanceBinShift & (kDistanceBinCount - 1);
}

double distance_bin_end(std::size_t bin) {
  const auto bits = static_cast<std::uint32_t>((bin + 1) << kDistanceBinShift);
  return std::sqrt(static_cast<double>(std::bit_cast<float>(bits)));
}

Error ErrorMetricJob::validate() const {
  const auto check = [](const char* name, std::size_t expected_length, std::size_t got) {
    return expected_length == got
               ? Error()
               : Error(std::string(name) + " must hold " + std::to_string(expected_length) +
                       " numbers, got " + std::to_string(got));
  };
  const std::size_t numbers = sample_count * vertex_count * 3;
  if (Error error = check("expected", numbers, expected.size())) return error;
  if (Error error = check("actual", numbers, actual.size())) return error;
  if (Error error = check("groups", sample_count, groups.size())) return error;
  if (Error error = check("copies", vertex_count, copies.size())) return error;
  if (Error error = check("maxima", sample_count, maxima.size())) return error;
  if (Error error = check("bounds", 6, bounds.size())) return error;
  const std::size_t group_count = histogram.size() / kDistanceBinCount;
  if (Error error = check("histogram", group_count * kDistanceBinCount, histogram.size())) return error;
  const std::size_t per_vertex = group_count * vertex_count;
  if (Error error = check("vertex_sums", per_vertex, vertex_sums.size())) return error;
  if (Error error = check("vertex_squares", per_vertex, vertex_squares.size())) return error;
  for (const std::int32_t group : groups) {
    if (group < 0 || static_cast<std::size_t>(group) >= group_count) {
      return Error("groups must be at least 0 and below " + std::to_string(group_count) + ", got " +
                   std::to_string(group));
    }
  }
  return {};
}

Error ErrorMetricJob::run() const {
  if (Error error = validate()) return error;
  const std::size_t group_count = histogram.size() / kDistanceBinCount;
  std::vector<std::uint32_t> peaks(sample_count);
  std::mutex merging;
  parallel_for(
      vertex_count, kErrorBlock, kNanoseconds * static_cast<double>(sample_count),
      [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t>& counts = counts_of_this_thread(2 * histogram.size());
        Found found(sample_count);
        for (std::size_t first = begin; first < end; first += kErrorBlock) {
          error_kernels().measure({expected.data() + 3 * first, actual.data() + 3 * first, 3 * vertex_count,
                                   sample_count, std::min(kErrorBlock, end - first), groups.data(),
                                   copies.data() + first, vertex_sums.data() + first,
                                   vertex_squares.data() + first, vertex_count, found.sample_peaks.data(),
                                   counts.data(), &found.least, found.low, found.high});
        }
        const std::lock_guard lock(merging);
        std::uint32_t most = 0;
        for (std::size_t sample = 0; sample < sample_count; ++sample) {
          most = std::max(most, found.sample_peaks[sample]);
          peaks[sample] = std::max(peaks[sample], found.sample_peaks[sample]);
        }
        for (std::size_t group = 0; group < group_count; ++group) {
          std::int64_t* const to = &histogram[group * kDistanceBinCount];
          for (std::size_t table = 0; table < 2; ++table) {
            std::uint32_t* const from = counts.data() + (2 * group + table) * kDistanceBinCount;
            move_counts(from, 0, 0, to);
            if (most > 0) move_counts(from, found.least >> kDistanceBinShift, most >> kDistanceBinShift, to);
          }
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
          // Plus zero: of 0 and -0 the first would stay, and threads merge in any order.
          bounds[axis] = std::min(bounds[axis], found.low[axis]) + 0.0f;
          bounds[3 + axis] = std::max(bounds[3 + axis], found.high[axis]) + 0.0f;
        }
      });
  std::transform(peaks.begin(), peaks.end(), maxima.begin(), distance_of);
  return {};
}

}  // namespace lissom
