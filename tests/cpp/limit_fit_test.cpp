// SPDX-License-Identifier: MIT
#include "core/ik/limit_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/ik/limit_fit_kernels.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(LimitFitKernels, limit_fit_kernels)

namespace {

TEST(LimitFit, FindsTheAxisThatPointsAreOn) {
  const std::vector<double> points = {0.1, 0.2, -0.2, -0.3, -0.6, 0.6, 0, 0, 0};
  NearestAxisJob job{points};
  ASSERT_FALSE(job.run());
  EXPECT_NEAR(std::abs(job.axis.x + 2 * job.axis.y - 2 * job.axis.z), 3.0, 1e-14);
}

TEST(LimitFit, FindsTheEllipseThroughItsAxes) {
  const std::vector<double> points = {3, 0, 0, 1, -3, 0, 0.1, 0.2};
  EnclosingEllipseJob job{points};
  ASSERT_FALSE(job.run());
  // p^T M^-1 p = 2 has the half axes 3 and 1.
  EXPECT_NEAR(job.moment[0], 4.5, 1e-5);
  EXPECT_NEAR(job.moment[1], 0.0, 1e-5);
  EXPECT_NEAR(job.moment[2], 0.5, 1e-5);
}

// Points within are left out while the ellipse is found, and change it by nothing that one sees.
TEST(LimitFit, PointsWellWithinDoNotChangeTheEllipse) {
  std::vector<double> rim;
  for (int i = 0; i < 40; ++i) {
    const double angle = 0.7 * i + 0.1 * std::sin(3.0 * i);
    rim.insert(rim.end(), {2 * std::cos(angle) + 0.5 * std::sin(angle), std::sin(angle)});
  }
  std::vector<double> all = rim;
  for (int i = 0; i < 5000; ++i) {
    const double angle = 2.4 * i, radius = 0.9 * i / 5000;
    all.insert(all.end(), {radius * std::cos(angle), radius * std::sin(angle)});
  }
  EnclosingEllipseJob of_rim{rim}, of_all{all};
  ASSERT_FALSE(of_rim.run());
  ASSERT_FALSE(of_all.run());
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(of_all.moment[k], of_rim.moment[k], 1e-4) << k;
  const double half = 0.5 / (of_all.moment[0] * of_all.moment[2] - of_all.moment[1] * of_all.moment[1]);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    const double x = all[i], y = all[i + 1];
    EXPECT_LT(half * (of_all.moment[2] * x * x - 2 * of_all.moment[1] * x * y + of_all.moment[0] * y * y),
              1 + 1e-3);
  }
}

TEST(LimitFit, RefusesWhatHasNoAxis) {
  const std::vector<double> zeros(6), nan(6, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(NearestAxisJob{zeros}.run().sentence(), "points must not all be 0");
  EXPECT_EQ(NearestAxisJob{nan}.run().sentence(), "points must be finite");
  EXPECT_EQ(NearestAxisJob{}.run().sentence(), "points must hold at least one point");
  EXPECT_EQ(EnclosingEllipseJob{nan}.run().sentence(), "points must be finite");
  EXPECT_EQ(EnclosingEllipseJob{}.run().sentence(), "points must hold at least one point");
}

TEST(LimitFit, HasTheSameBitsOnEveryInstructionSet) {
  std::vector<double> columns(5 * 24);
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = std::sin(1.0 + static_cast<double>(i * i));
  std::vector<double> first;
  for (const Isa isa : runnable_isas()) {
    std::vector<double> own = columns;
    const FitPoints points = {own.data(),      own.data() + 24, own.data() + 48,
                              own.data() + 72, own.data() + 96, 24};
    const double axis[3] = {0.6, 0.0, 0.8};
    FitSums off, form;
    std::vector<double> results = {limit_fit_kernels(isa).measure_off(points, axis),
                                   limit_fit_kernels(isa).weigh_by_off(points, 0.1, 0.7, &off),
                                   limit_fit_kernels(isa).weigh_by_form(points, 0.3, -0.2, 0.9, &form)};
    for (const FitSums& sums : {off, form}) {
      for (double sum : {sums.total, sums.xx, sums.yy, sums.zz, sums.xy, sums.xz, sums.yz})
        results.push_back(sum);
    }
    results.insert(results.end(), own.begin(), own.end());
    if (first.empty()) first = results;
    EXPECT_EQ(results, first) << isa_name(isa);
  }
}

}  // namespace
}  // namespace lissom
