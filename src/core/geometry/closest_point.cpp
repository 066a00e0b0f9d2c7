// SPDX-License-Identifier: MIT
#include "core/geometry/closest_point.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/geometry/closest_point_kernels.h"
#include "core/number_text.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {
LISSOM_EQUAL_KERNEL_TABLE(ClosestPointKernels, closest_point_kernels)
namespace {

constexpr double kNanosecondsPerPoint = 800;
constexpr std::size_t kGrain = 16;  // points
// As far as positions of the mesh may be: squares of distances stay within float64.
constexpr double kLargestCoordinate = 1e75;

Error check_length(std::size_t got, std::size_t wanted, const char* name) {
  if (got == wanted) return {};
  return Error(std::string(name) + " must hold " + std::to_string(wanted) + " numbers, got " +
               std::to_string(got));
}

}  // namespace

Error ClosestPointJob::validate() const {
  if (!bvh) return Error("bvh must be set, got none");
  const std::size_t count = distances.size();
  if (Error error = check_length(points.size(), 3 * count, "points")) return error;
  if (!normals.empty()) {
    if (Error error = check_length(normals.size(), 3 * count, "normals")) return error;
  }
  if (!triangles.empty()) {
    if (Error error = check_length(triangles.size(), count, "triangles")) return error;
  }
  if (!weights.empty()) {
    if (Error error = check_length(weights.size(), 3 * count, "weights")) return error;
  }
  if (!(least_cosine >= -1 && least_cosine <= 1)) {
    return Error("least_cosine must be in [-1, 1], got " + number_text(least_cosine));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::abs(points[i]) <= kLargestCoordinate) continue;
    const char* rule = std::isfinite(points[i]) ? " at most 1e75 in size" : " finite";
    return Error(std::string("points must be") + rule + ", got " + number_text(points[i]) + " in row " +
                 std::to_string(i / 3));
  }
  for (std::size_t i = 0; i < normals.size(); ++i) {
    if (std::isfinite(normals[i])) continue;
    return Error("normals must be finite, got " + number_text(normals[i]) + " in row " +
                 std::to_string(i / 3));
  }
  return {};
}

Error ClosestPointJob::run() const {
  if (Error error = validate()) return error;
  if (bvh->nodes().empty()) {
    std::fill(distances.begin(), distances.end(), std::numeric_limits<double>::infinity());
    std::fill(triangles.begin(), triangles.end(), -1);
    std::fill(weights.begin(), weights.end(), 0.0);
    return {};
  }
  ClosestPointKernelArgs args{};
  args.nodes = bvh->nodes().data();
  args.leaves = bvh->is_wide() ? static_cast<const void*>(bvh->wide_leaves().data()) : bvh->leaves().data();
  args.space = &bvh->space();
  args.points = points.data();
  args.normals = normals.empty() ? nullptr : normals.data();
  args.least_cosine = least_cosine;
  args.distances = distances.data();
  args.triangles = triangles.empty() ? nullptr : triangles.data();
  args.weights = weights.empty() ? nullptr : weights.data();
  const ClosestPointKernels& kernels = closest_point_kernels();
  const auto find = bvh->is_wide() ? kernels.find_wide : kernels.find;
  parallel_for(distances.size(), kGrain, kNanosecondsPerPoint, [&](std::size_t begin, std::size_t end) {
    ClosestPointKernelArgs part = args;
    part.begin = begin;
    part.end = end;
    find(part);
  });
  return {};
}

}  // namespace lissom
