// SPDX-License-Identifier: MIT
#include "core/bake/error_metric.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "core/parallel/thread_pool.h"

namespace lissom {
namespace {

constexpr int kDroppedBits = 17;     // of a float32, sign bit apart: 31 - 14
constexpr std::size_t kBlock = 256;  // vertices whose squared distances lie in the first cache
constexpr std::size_t kLanes = 8;    // sums and maxima side by side, added in one fixed order

// Lowest and highest corner. Lane k holds axis k % 3: runs of whole vertices are compared lane by lane.
struct Box {
  static constexpr std::size_t kBoxLanes = 12;
  float low[kBoxLanes];
  float high[kBoxLanes];

  Box() {
    std::fill_n(low, kBoxLanes, std::numeric_limits<float>::infinity());
    std::fill_n(high, kBoxLanes, -std::numeric_limits<float>::infinity());
  }

  void widen(const float* positions, std::size_t count) {
    const std::size_t whole = count * 3 / kBoxLanes * kBoxLanes;
    for (std::size_t i = 0; i < whole; i += kBoxLanes) {
      for (std::size_t k = 0; k < kBoxLanes; ++k) low[k] = std::min(low[k], positions[i + k]);
      for (std::size_t k = 0; k < kBoxLanes; ++k) high[k] = std::max(high[k], positions[i + k]);
    }
    for (std::size_t i = whole; i < count * 3; ++i) {
      low[i % 3] = std::min(low[i % 3], positions[i]);
      high[i % 3] = std::max(high[i % 3], positions[i]);
    }
  }
};

// Squared distances of `count` vertices.
void measure_block(const float* expected, const float* actual, std::size_t count, float* squared) {
  float squares[3 * kBlock];
  for (std::size_t i = 0; i < 3 * count; ++i)
    squares[i] = (actual[i] - expected[i]) * (actual[i] - expected[i]);
  for (std::size_t v = 0; v < count; ++v)
    squared[v] = squares[3 * v] + squares[3 * v + 1] + squares[3 * v + 2];
}

// Sum over a block, in float32 within it: 32 numbers a lane lose less than the distances' own rounding.
double sum_of(const float* squared) {
  float lanes[kLanes] = {};
  for (std::size_t v = 0; v < kBlock; v += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += squared[v + lane];
  }
  double sum = 0.0;
  for (const float lane : lanes) sum += static_cast<double>(lane);
  return sum;
}

float largest_of(const float* squared) {
  float lanes[kLanes] = {};
  for (std::size_t v = 0; v < kBlock; v += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = squared[v + lane] > lanes[lane] ? squared[v + lane] : lanes[lane];
    }
  }
  return *std::max_element(lanes, lanes + kLanes);
}

}  // namespace

std::size_t distance_bin(float squared_distance) {
  return std::bit_cast<std::uint32_t>(squared_distance) >> kDroppedBits & (kDistanceBinCount - 1);
}

double distance_bin_end(std::size_t bin) {
  const auto bits = static_cast<std::uint32_t>((bin + 1) << kDroppedBits);
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
  if (Error error = check("sums", sample_count, sums.size())) return error;
  if (Error error = check("maxima", sample_count, maxima.size())) return error;
  if (Error error = check("bounds", 6, bounds.size())) return error;
  const std::size_t group_count = histogram.size() / kDistanceBinCount;
  if (Error error = check("histogram", group_count * kDistanceBinCount, histogram.size())) return error;
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
  std::mutex merging;
  parallel_for(
      sample_count, 1, 2.0 * static_cast<double>(vertex_count), [&](std::size_t begin, std::size_t end) {
        std::vector<std::int64_t> counts(histogram.size());
        Box box;
        float squared[kBlock];
        for (std::size_t sample = begin; sample < end; ++sample) {
          std::int64_t* bins = counts.data() + static_cast<std::size_t>(groups[sample]) * kDistanceBinCount;
          double sum = 0.0;
          float largest = 0.0f;
          for (std::size_t first = 0; first < vertex_count; first += kBlock) {
            const std::size_t count = std::min(kBlock, vertex_count - first);
            const std::size_t offset = (sample * vertex_count + first) * 3;
            measure_block(&expected[offset], &actual[offset], count, squared);
            box.widen(&actual[offset], count);
            std::fill(squared + count, squared + kBlock, 0.0f);
            sum += sum_of(squared);
            largest = std::max(largest, largest_of(squared));  // skips NaN, which the sum keeps
            for (std::size_t v = 0; v < count; ++v) ++bins[distance_bin(squared[v])];
          }
          sums[sample] = sum;
          maxima[sample] = std::isnan(sum) ? std::numeric_limits<float>::quiet_NaN() : std::sqrt(largest);
        }
        const std::lock_guard lock(merging);
        std::transform(counts.begin(), counts.end(), histogram.begin(), histogram.begin(), std::plus<>());
        for (std::size_t lane = 0; lane < Box::kBoxLanes; ++lane) {
          // Plus zero: of 0 and -0 the one that came first would stay, and threads merge in any order.
          bounds[lane % 3] = std::min(bounds[lane % 3], box.low[lane]) + 0.0f;
          bounds[3 + lane % 3] = std::max(bounds[3 + lane % 3], box.high[lane]) + 0.0f;
        }
      });
  return {};
}

}  // namespace lissom
