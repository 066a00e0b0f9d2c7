// SPDX-License-Identifier: MIT
#include "core/arrays/polar_rotations.h"

#include <gtest/gtest.h>

#include <vector>

namespace lissom {
namespace {

TEST(PolarRotations, AreThoseOfEachMatrixInPlaceToo) {
  // A quarter turn about z, scaled by its axes; a mirror; nothing at all.
  const Mat3<double> turned = {{{0, -3, 0}, {2, 0, 0}, {0, 0, 1}}},
                     mirror = {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                     nothing = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
  const double want[3][3][3] = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}},
                                {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
                                {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  std::vector<Mat3<double>> matrices = {turned, mirror, nothing};
  ASSERT_FALSE((PolarRotationsJob{matrices, matrices}.run()));
  for (std::size_t n = 0; n < 3; ++n) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(matrices[n].m[i][j], want[n][i][j], 1e-15) << n << i << j;
    }
  }
}

TEST(PolarRotations, RefuseAnotherNumberOfRows) {
  std::vector<Mat3<double>> matrices(2), rotations(1);
  EXPECT_EQ((PolarRotationsJob{matrices, rotations}.run().sentence()),
            "rotations must hold 2 matrices, got 1");
}

}  // namespace
}  // namespace lissom
