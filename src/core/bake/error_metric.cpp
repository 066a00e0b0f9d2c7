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

struct Box {
  float low[3] = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity(),
                  std::numeric_limits<float>::infinity()};
  float high[3] = {-std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                   -std::numeric_limits<float>::infinity()};
};

// Squared distances of `count` vertices, and the box of the second ones.
void measure_block(const float* expected, const float* actual, std::size_t count, float* squared, Box& box) {
  for (std::size_t v = 0; v < count; ++v) {
    const float x = actual[3 * v] - expected[3 * v];
    const float y = actual[3 * v + 1] - expected[3 * v + 1];
    const float z = actual[3 * v + 2] - expected[3 * v + 2];
    squared[v] = x * x + y * y + z * z;
  }
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.low[axis] = std::min(box.low[axis], actual[3 * v + axis]);
      box.high[axis] = std::max(box.high[axis], actual[3 * v + axis]);
    }
  }
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
            measure_block(&expected[offset], &actual[offset], count, squared, box);
            for (std::size_t v = 0; v < count; ++v) {
              sum += static_cast<double>(squared[v]);
              largest = std::max(largest, squared[v]);
              ++bins[distance_bin(squared[v])];
            }
          }
          sums[sample] = sum;
          maxima[sample] = std::isnan(sum) ? std::numeric_limits<float>::quiet_NaN()
                                           : std::sqrt(largest);  // max skips NaN
        }
        const std::lock_guard lock(merging);
        std::transform(counts.begin(), counts.end(), histogram.begin(), histogram.begin(), std::plus<>());
        for (std::size_t axis = 0; axis < 3; ++axis) {
          bounds[axis] = std::min(bounds[axis], box.low[axis]);
          bounds[3 + axis] = std::max(bounds[3 + axis], box.high[axis]);
        }
      });
  return {};
}

}  // namespace lissom
