// SPDX-License-Identifier: MIT
#include "core/ik/limit_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/finite.h"
#include "core/ik/limit_fit_kernels.h"
#include "core/math/principal_vector.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(LimitFitKernels, limit_fit_kernels)

namespace {

constexpr int kSteps = 200;
constexpr double kOnAxis = 1e-9;   // all points are this near to an axis: no other is better
constexpr double kBetter = 0.999;  // of the least distance so far: an axis counts as better below this
constexpr double kAdded = 1e-3;    // of the largest distance: what points on the axis keep of their weight
constexpr double kEnclosed = 1 + 1e-6;
// Points whose weights are below this part of the largest no longer count; they are left out now and then.
constexpr double kNegligible = 1e-15;
constexpr int kPrunedEvery = 8;

// Weighted points by columns, padded to whole blocks.
class Columns {
 public:
  Columns(std::span<const double> points, std::size_t width, std::size_t columns)
      : stride_((points.size() / width + kFitBlock - 1) / kFitBlock * kFitBlock),
        used_(points.size() / width),
        numbers_(columns * stride_) {
    for (std::size_t i = 0; i < used_; ++i) {
      for (std::size_t k = 0; k < width; ++k) column(k)[i] = points[i * width + k];
    }
  }
  double* column(std::size_t k) { return numbers_.data() + k * stride_; }
  std::size_t used() const { return used_; }
  std::size_t count() const { return (used_ + kFitBlock - 1) / kFitBlock * kFitBlock; }

  // Leaves out points whose weights, a column, are not above `least`, where they are a quarter of all or more; the others
  // keep their order.
  void keep_above(double least, std::size_t weights, std::size_t columns) {
    const double* const of = column(weights);
    const auto many = static_cast<std::size_t>(
        std::count_if(of, of + used_, [&](double weight) { return weight > least; }));
    if (4 * many >= 3 * used_) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < used_; ++i) {
      if (!(column(weights)[i] > least)) continue;
      for (std::size_t k = 0; k < columns; ++k) column(k)[kept] = column(k)[i];
      ++kept;
    }
    for (std::size_t i = kept; i < used_; ++i) {
      for (std::size_t k = 0; k < columns; ++k) column(k)[i] = 0;
    }
    used_ = kept;
  }

 private:
  std::size_t stride_, used_;
  std::vector<double> numbers_;
};

Vec3<double> principal_axis(const FitSums& sums) {
  double matrix[3][3] = {
      {sums.xx, sums.xy, sums.xz}, {sums.xy, sums.yy, sums.yz}, {sums.xz, sums.yz, sums.zz}};
  double axis[3];
  principal_vector(matrix, axis);
  return {axis[0], axis[1], axis[2]};
}

Error point_error(std::span<const double> points, std::size_t width) {
  if (points.empty() || points.size() % width) return Error("points must hold at least one point");
  return first_not_finite(points) == points.size() ? Error() : Error("points must be finite");
}

struct NearestAxis {
  Vec3<double> axis;
  double largest;  // distance of the points that were not left out
};

constexpr std::size_t kWeights = 3, kOff = 4, kAxisColumns = 5;

FitPoints view(Columns& columns) {
  return {columns.column(0),        columns.column(1),    columns.column(2),
          columns.column(kWeights), columns.column(kOff), columns.count()};
}

double measured_off(std::span<const double> points, const Vec3<double>& axis) {
  Columns columns(points, 3, kAxisColumns);
  const double direction[3] = {axis.x, axis.y, axis.z};
  return limit_fit_kernels().measure_off(view(columns), direction);
}

NearestAxis nearest_axis(std::span<const double> points, bool prunes) {
  const LimitFitKernels& kernels = limit_fit_kernels();
  Columns columns(points, 3, kAxisColumns);
  // The first weights are equal: those of distances that all are 0.
  std::fill_n(columns.column(kWeights), columns.used(), 1.0);
  FitSums sums;
  kernels.weigh_by_off(view(columns), 1.0, 1.0 / static_cast<double>(columns.used()), &sums);
  NearestAxis best = {{}, std::numeric_limits<double>::infinity()};
  for (int step = 0; step < kSteps; ++step) {
    const Vec3<double> tried = principal_axis(sums);
    const double direction[3] = {tried.x, tried.y, tried.z};
    const double largest = kernels.measure_off(view(columns), direction);
    if (largest < kBetter * best.largest) best = {tried, largest};
    if (largest < kOnAxis) break;
    const double heaviest = kernels.weigh_by_off(view(columns), kAdded * largest, 1.0 / sums.total, &sums);
    if (!prunes || step % kPrunedEvery) continue;
    columns.keep_above(kNegligible * heaviest, kWeights, kAxisColumns);
  }
  return best;
}

struct Ellipse {
  FitSums moment;
  double largest;  // form of the points that were not left out
};

constexpr std::size_t kPlaneWeights = 2, kPlaneColumns = 3;

// The form by which the ellipse is 1, of points (N, 2): the largest.
double largest_form(std::span<const double> points, const FitSums& moment) {
  const double half = 0.5 / (moment.xx * moment.yy - moment.xy * moment.xy);
  double largest = 0;
  for (std::size_t i = 0; i < points.size(); i += 2) {
    const double x = points[i], y = points[i + 1];
    largest = std::max(largest, half * (moment.yy * (x * x) - 2 * moment.xy * (x * y) + moment.xx * (y * y)));
  }
  return largest;
}

Ellipse enclosing_ellipse(std::span<const double> points, bool prunes) {
  const LimitFitKernels& kernels = limit_fit_kernels();
  Columns columns(points, 2, kPlaneColumns);
  double* const weights = columns.column(kPlaneWeights);
  std::fill_n(weights, columns.used(), 1.0 / static_cast<double>(columns.used()));
  FitSums sums{};
  for (std::size_t i = 0; i < columns.used(); ++i) {
    const double x = columns.column(0)[i], y = columns.column(1)[i];
    sums.xx += weights[i] * (x * x), sums.xy += weights[i] * (x * y), sums.yy += weights[i] * (y * y);
  }
  double largest = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double half = 0.5 / (sums.xx * sums.yy - sums.xy * sums.xy);
    const FitPoints held = {columns.column(0), columns.column(1), nullptr, weights, nullptr, columns.count()};
    FitSums after;
    largest = kernels.weigh_by_form(held, half * sums.yy, -2 * half * sums.xy, half * sums.xx, &after);
    if (largest < kEnclosed) break;
    sums = after;
    if (!prunes || step % kPrunedEvery) continue;
    const double heaviest = *std::max_element(weights, weights + columns.used());
    columns.keep_above(kNegligible * heaviest, kPlaneWeights, kPlaneColumns);
  }
  return {sums, largest};
}

}  // namespace

Error NearestAxisJob::validate() const {
  if (Error error = point_error(points, 3)) return error;
  const bool is_zero = std::all_of(points.begin(), points.end(), [](double n) { return n == 0; });
  return is_zero ? Error("points must not all be 0") : Error();
}

Error NearestAxisJob::run() {
  if (Error error = validate()) return error;
  const NearestAxis pruned = nearest_axis(points, true);
  axis = pruned.axis;
  // Points that rotate about several axes make weights vanish and return: those left out may then be the farthest.
  if (measured_off(points, axis) > pruned.largest * (2 - kBetter)) axis = nearest_axis(points, false).axis;
  return {};
}

Error EnclosingEllipseJob::validate() const { return point_error(points, 2); }

Error EnclosingEllipseJob::run() {
  if (Error error = validate()) return error;
  Ellipse ellipse = enclosing_ellipse(points, true);
  // As of axes: what was left out may be outside in the end.
  if (largest_form(points, ellipse.moment) > std::max(ellipse.largest, kEnclosed))
    ellipse = enclosing_ellipse(points, false);
  const FitSums& sums = ellipse.moment;
  moment[0] = sums.xx, moment[1] = sums.xy, moment[2] = sums.yy;
  return {};
}

}  // namespace lissom
