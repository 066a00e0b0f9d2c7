// SPDX-License-Identifier: MIT
#include "core/skinning/centers_of_rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/skinning/weight_rows.h"

namespace lissom {
namespace {

// A triangle on two joints, and a vertex on one.
struct Case {
  std::vector<float> positions{0, 0, 0, 3, 0, 0, 0, 3, 0, 7, 8, 9};
  std::vector<std::uint32_t> indices{0, 1, 1, 0, 0, 1, 0, 1};
  std::vector<float> weights{0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 1, 0};
  std::vector<std::uint32_t> triangles{0, 1, 2};
  std::vector<float> centers = std::vector<float>(12, 77.0f);

  CentersOfRotationJob job() {
    CentersOfRotationJob job;
    job.positions = positions;
    job.indices = indices;
    job.weights = weights;
    job.influence_count = 2;
    job.triangles = triangles;
    job.centers = centers;
    return job;
  }
};

TEST(WeightRows, AreEqualInWhateverOrder) {
  const std::vector<std::uint32_t> indices{4, 2, 9, 2, 4, 9, 2, 4, 4};
  const std::vector<float> weights{0.5f, 0.5f, 0, 0.5f, 0.5f, 0, 0.5f, 0.25f, 0.25f};
  const WeightRows rows(indices, weights, 3);
  EXPECT_EQ(rows.count(), 1u);
  EXPECT_EQ(rows.of_vertices(), (std::vector<std::uint32_t>{0, 0, 0}));
  ASSERT_EQ(rows[0].size(), 2u);
  EXPECT_EQ(rows[0][0], (JointWeight{2, 0.5}));
  EXPECT_EQ(rows[0][1], (JointWeight{4, 0.5}));
}

TEST(WeightRows, StayApartWhereTheyAreMany) {
  std::vector<std::uint32_t> indices;
  std::vector<float> weights;
  for (std::uint32_t i = 0; i < 6000; ++i) {
    indices.insert(indices.end(), {i % 3000, 3000});
    weights.insert(weights.end(), {0.25f, 0.75f});
  }
  const WeightRows rows(indices, weights, 2);
  ASSERT_EQ(rows.count(), 3000u);
  for (std::uint32_t i = 0; i < 6000; ++i) EXPECT_EQ(rows.of_vertices()[i], i % 3000);
}

TEST(CentersOfRotation, AreMeansOfTheSurface) {
  Case c;
  ASSERT_FALSE(c.job().run());
  const std::vector<float> expected{1, 1, 0, 1, 1, 0, 1, 1, 0, 7, 8, 9};
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(c.centers[i], expected[i], 1e-6f);
}

TEST(CentersOfRotation, SayWhatIsWrong) {
  const auto broken = [](auto break_one) {
    Case c;
    CentersOfRotationJob job = c.job();
    break_one(c, job);
    EXPECT_TRUE(job.run());
    for (const float center : c.centers) EXPECT_EQ(center, 77.0f);
  };
  broken([](Case&, CentersOfRotationJob& job) { job.sigma = 0; });
  broken([](Case&, CentersOfRotationJob& job) { job.sigma = NAN; });
  broken([](Case&, CentersOfRotationJob& job) { job.influence_count = 0; });
  broken([](Case&, CentersOfRotationJob& job) { job.influence_count = 1; });
  broken([](Case&, CentersOfRotationJob& job) { job.triangles = {}; });
  broken([](Case& c, CentersOfRotationJob&) { c.triangles[1] = 4; });
  broken([](Case& c, CentersOfRotationJob&) { c.triangles[1] = 0; });
  broken([](Case& c, CentersOfRotationJob&) { c.positions[5] = std::numeric_limits<float>::infinity(); });
  broken([](Case& c, CentersOfRotationJob&) { c.weights[2] = -1; });
  broken([](Case&, CentersOfRotationJob& job) { job.is_cancelled = [] { return true; }; });
}

}  // namespace
}  // namespace lissom
