// SPDX-License-Identifier: MIT
#include "core/volume/winding_numbers.h"

#include <algorithm>
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
  parallel_for(out.size(), kWindingsAtOnce, kNanosecondsPerWinding, [&](std::size_t begin, std::size_t end) {
    Point places[kWindingsAtOnce];
    for (std::size_t first = begin; first < end; first += kWindingsAtOnce) {
      const std::size_t count = std::min(kWindingsAtOnce, end - first);
      for (std::size_t k = 0; k < count; ++k) {
        const double* point = &points[3 * (first + k)];
        places[k] = surface->to_unit({{point[0], point[1], point[2]}});
      }
      surface->winding_numbers({places, count}, out.subspan(first, count));
    }
  });
  return {};
}

}  // namespace lissom
