// SPDX-License-Identifier: MIT
#include "core/geometry/ray_cast.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/geometry/bvh_queries.h"
#include "core/geometry/ray_cast_kernels.h"
#include "core/number_text.h"
#include "core/simd/isa.h"

namespace lissom {
LISSOM_EQUAL_KERNEL_TABLE(RayCastKernels, ray_cast_kernels)
namespace {

constexpr double kNanosecondsPerRay = 200;

Error check_finite(std::span<const double> values, const char* name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return Error(std::string(name) + " must be finite, got " + number_text(values[i]) + " for ray " +
                   std::to_string(i / 3));
    }
  }
  return {};
}

}  // namespace

Error RayCastJob::validate() const {
  if (!bvh) return Error("bvh must be set, got none");
  const std::size_t count = distances.size();
  if (Error error = check_length(origins.size(), 3 * count, "origins")) return error;
  if (Error error = check_length(directions.size(), 3 * count, "directions")) return error;
  if (!normals.empty()) {
    if (Error error = check_length(normals.size(), 3 * count, "normals")) return error;
  }
  if (Error error = BvhAnswers{distances, triangles, weights}.validate()) return error;
  if (!(max_distance >= 0)) {
    return Error("max_distance must be at least 0, got " + number_text(max_distance));
  }
  if (Error error = check_finite(origins, "origins")) return error;
  if (Error error = check_finite(directions, "directions")) return error;
  for (std::size_t ray = 0; ray < count; ++ray) {
    const double* direction = &directions[3 * ray];
    if (direction[0] == 0 && direction[1] == 0 && direction[2] == 0) {
      return Error("directions must not be zero, got zero for ray " + std::to_string(ray));
    }
  }
  return {};
}

Error RayCastJob::run() const {
  if (Error error = validate()) return error;
  const BvhAnswers answers{distances, triangles, weights};
  if (bvh->nodes().empty()) {
    answers.fill_with_nothing();
    std::fill(normals.begin(), normals.end(), 0.0);
    return {};
  }
  RayCastKernelArgs args{};
  args.origins = origins.data();
  args.directions = directions.data();
  args.max_distance = max_distance;
  args.front_only = front_only;
  args.normals = normals.empty() ? nullptr : normals.data();
  const RayCastKernels& kernels = ray_cast_kernels();
  answer_queries(*bvh, answers, kNanosecondsPerRay, bvh->is_wide() ? kernels.cast_wide : kernels.cast, args);
  return {};
}

}  // namespace lissom
