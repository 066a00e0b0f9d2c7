// SPDX-License-Identifier: MIT
#include "core/geometry/closest_point.h"

#include <cmath>
#include <string>

#include "core/geometry/bvh_queries.h"
#include "core/geometry/closest_point_kernels.h"
#include "core/number_text.h"
#include "core/simd/isa.h"

namespace lissom {
LISSOM_EQUAL_KERNEL_TABLE(ClosestPointKernels, closest_point_kernels)
namespace {

constexpr double kNanosecondsPerPoint = 800;
// As for positions of a mesh: squares of distances stay within float64.
constexpr double kLargestCoordinate = 1e75;

}  // namespace

Error ClosestPointJob::validate() const {
  if (!bvh) return Error("bvh must be set, got none");
  const std::size_t count = distances.size();
  if (Error error = check_length(points.size(), 3 * count, "points")) return error;
  if (!normals.empty()) {
    if (Error error = check_length(normals.size(), 3 * count, "normals")) return error;
  }
  if (Error error = BvhAnswers{distances, triangles, weights}.validate()) return error;
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
  const BvhAnswers answers{distances, triangles, weights};
  if (bvh->nodes().empty()) {
    answers.fill_with_nothing();
    return {};
  }
  ClosestPointKernelArgs args{};
  args.points = points.data();
  args.normals = normals.empty() ? nullptr : normals.data();
  args.least_cosine = least_cosine;
  const ClosestPointKernels& kernels = closest_point_kernels();
  answer_queries(*bvh, answers, kNanosecondsPerPoint, bvh->is_wide() ? kernels.find_wide : kernels.find,
                 args);
  return {};
}

}  // namespace lissom
