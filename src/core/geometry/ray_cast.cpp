// SPDX-License-Identifier: MIT
#include "core/geometry/ray_cast.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/geometry/ray_cast_kernels.h"
#include "core/number_text.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {
LISSOM_EQUAL_KERNEL_TABLE(RayCastKernels, ray_cast_kernels)
namespace {

constexpr double kNanosecondsPerRay = 200;
constexpr std::size_t kGrain = 16;  // rays

Error check_finite(std::span<const double> values, const char* name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return Error(std::string(name) + " must be finite, got " + number_text(values[i]) + " for ray " +
                   std::to_string(i / 3));
    }
  }
  return {};
}

Error check_length(std::size_t got, std::size_t wanted, const char* name) {
  if (got == wanted) return {};
  return Error(std::string(name) + " must hold " + std::to_string(wanted) + " numbers, got " +
               std::to_string(got));
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
  if (!triangles.empty()) {
    if (Error error = check_length(triangles.size(), count, "triangles")) return error;
  }
  if (!weights.empty()) {
    if (Error error = check_length(weights.size(), 3 * count, "weights")) return error;
  }
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
  if (bvh->nodes().empty()) {
    std::fill(distances.begin(), distances.end(), std::numeric_limits<double>::infinity());
    std::fill(normals.begin(), normals.end(), 0.0);
    std::fill(triangles.begin(), triangles.end(), -1);
    std::fill(weights.begin(), weights.end(), 0.0);
    return {};
  }
  RayCastKernelArgs args{};
  args.nodes = bvh->nodes().data();
  args.leaves = bvh->is_wide() ? static_cast<const void*>(bvh->wide_leaves().data()) : bvh->leaves().data();
  args.space = &bvh->space();
  args.origins = origins.data();
  args.directions = directions.data();
  args.max_distance = max_distance;
  args.front_only = front_only;
  args.distances = distances.data();
  args.normals = normals.empty() ? nullptr : normals.data();
  args.triangles = triangles.empty() ? nullptr : triangles.data();
  args.weights = weights.empty() ? nullptr : weights.data();
  const RayCastKernels& kernels = ray_cast_kernels();
  const auto cast = bvh->is_wide() ? kernels.cast_wide : kernels.cast;
  parallel_for(distances.size(), kGrain, kNanosecondsPerRay, [&](std::size_t begin, std::size_t end) {
    RayCastKernelArgs part = args;
    part.begin = begin;
    part.end = end;
    cast(part);
  });
  return {};
}

}  // namespace lissom
