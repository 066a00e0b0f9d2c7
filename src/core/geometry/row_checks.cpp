// SPDX-License-Identifier: MIT
#include "core/geometry/row_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/finite.h"

namespace lissom {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// `kInfluences` 0: of `influences` columns.
template <std::size_t kInfluences>
double largest_error(std::span<const float> weights, std::size_t influences) {
  const std::size_t columns = kInfluences == 0 ? influences : kInfluences;
  double largest = 0;
  bool is_good = true;
  for (std::size_t start = 0; start < weights.size(); start += columns) {
    double sum = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      const float weight = weights[start + i];
      is_good &= weight >= 0;  // not so of a NaN
      sum += static_cast<double>(weight);
    }
    largest = std::max(largest, std::abs(sum - 1));
  }
  return is_good ? largest : kInfinite;
}

}  // namespace

bool are_finite(std::span<const float> numbers) { return all_finite(numbers); }

bool are_within(std::span<const float> numbers, float most) {
  int outside = 0;  // counted, not left at: so that the loop is one of vectors
  for (const float number : numbers) outside |= std::abs(number) <= most ? 0 : 1;
  return outside == 0;
}

std::size_t used_columns(std::span<const float> numbers, std::size_t columns) {
  std::size_t used = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    std::size_t at = column;
    while (at < numbers.size() && numbers[at] == 0) at += columns;
    used += at < numbers.size() ? 1 : 0;
  }
  return used;
}

double largest_weight_sum_error(std::span<const float> weights, std::size_t influences) {
  if (influences == 0 || weights.size() % influences != 0) return kInfinite;
  switch (influences) {
    case 1:
      return largest_error<1>(weights, influences);
    case 4:
      return largest_error<4>(weights, influences);
    default:
      return largest_error<0>(weights, influences);
  }
}

}  // namespace lissom
