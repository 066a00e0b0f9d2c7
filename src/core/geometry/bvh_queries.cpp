// SPDX-License-Identifier: MIT
#include "core/geometry/bvh_queries.h"

#include <algorithm>
#include <limits>
#include <string>

namespace lissom {

Error check_length(std::size_t got, std::size_t expected, const char* name) {
  if (got == expected) return {};
  return Error(std::string(name) + " must hold " + std::to_string(expected) + " numbers, got " +
               std::to_string(got));
}

Error BvhAnswers::validate() const {
  const std::size_t count = distances.size();
  if (!triangles.empty()) {
    if (Error error = check_length(triangles.size(), count, "triangles")) return error;
  }
  if (!weights.empty()) {
    if (Error error = check_length(weights.size(), 3 * count, "weights")) return error;
  }
  return {};
}

void BvhAnswers::fill_with_nothing() const {
  std::fill(distances.begin(), distances.end(), std::numeric_limits<double>::infinity());
  std::fill(triangles.begin(), triangles.end(), -1);
  std::fill(weights.begin(), weights.end(), 0.0);
}

}  // namespace lissom
