// SPDX-License-Identifier: MIT
#include "core/volume/winding_numbers.h"

#include <string>

#include "core/parallel/thread_pool.h"

namespace lissom {

Error WindingNumbersJob::validate() const {
  if (points.size() != 3 * out.size()) {
    return Error("points must hold three numbers for each of " + std::to_string(out.size()) + ", got " +
                 std::to_string(points.size()) + " numbers");
  }
  return {};
}

Error WindingNumbersJob::run() const {
  if (Error error = validate()) return error;
  parallel_for(out.size(), 16, kNanosecondsPerWinding, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out[i] =
          surface->winding_number(surface->to_unit({{points[3 * i], points[3 * i + 1], points[3 * i + 2]}}));
    }
  });
  return {};
}

}  // namespace lissom
