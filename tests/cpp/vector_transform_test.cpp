// SPDX-License-Identifier: MIT
#include "core/geometry/vector_transform.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace lissom {
namespace {

std::vector<float> transform(const std::vector<float>& vectors, const double* offset) {
  std::vector<float> out(vectors.size());
  VectorTransformJob job;
  job.vectors = vectors;
  job.linear = {0, -2, 0, 1, 0, 0, 0, 0, 3};
  job.offset = offset;
  job.out = out;
  EXPECT_FALSE(job.run());
  return out;
}

TEST(VectorTransform, MovesPoints) {
  const double offset[] = {10, 20, 30};
  EXPECT_EQ(transform({1, 2, 3, 0, 0, 0}, offset), std::vector<float>({6, 21, 39, 10, 20, 30}));
}

TEST(VectorTransform, DirectionsAreOfUnitLength) {
  EXPECT_EQ(transform({0, 0, 7}, nullptr), std::vector<float>({0, 0, 1}));
  const std::vector<float> found = transform({3e-38f, 0, 4e-38f / 3}, nullptr);
  EXPECT_NEAR(found[1], 0.6, 1e-6);
  EXPECT_NEAR(found[2], 0.8, 1e-6);
}

TEST(VectorTransform, DirectionsWithoutLengthAreZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const auto& vector :
       {std::vector<float>{0, 0, 0}, {nan, 1, 1}, {1, nan, 1}, {1, 1, nan}, {1, inf, 1}}) {
    EXPECT_EQ(transform(vector, nullptr), std::vector<float>({0, 0, 0}));
  }
}

TEST(VectorTransform, OutHasAsManyRows) {
  std::vector<float> vectors(6), out(3);
  VectorTransformJob job;
  job.vectors = vectors;
  job.out = out;
  EXPECT_TRUE(job.run());
}

}  // namespace
}  // namespace lissom
