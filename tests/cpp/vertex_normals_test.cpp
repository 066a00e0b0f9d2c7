// SPDX-License-Identifier: MIT
#include "core/geometry/vertex_normals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lissom {
namespace {

TEST(VertexFaces, AreInOrder) {
  const std::vector<std::uint32_t> triangles{0, 1, 2, 2, 1, 3, 2, 2, 0};
  VertexFaces faces;
  ASSERT_FALSE(VertexFaces::make(triangles, 5, &faces));
  EXPECT_EQ(faces.vertex_count(), 5u);
  const auto of = [&](std::size_t v) {
    return std::vector<std::uint32_t>(faces.of_vertex(v).begin(), faces.of_vertex(v).end());
  };
  EXPECT_EQ(of(0), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(of(2), (std::vector<std::uint32_t>{0, 1, 2, 2}));
  EXPECT_TRUE(of(4).empty());
}

TEST(VertexFaces, RefuseBrokenTriangles) {
  VertexFaces faces;
  EXPECT_TRUE(VertexFaces::make(std::vector<std::uint32_t>{0, 1, 5}, 5, &faces));
  EXPECT_TRUE(VertexFaces::make(std::vector<std::uint32_t>{0, 1}, 5, &faces));
  EXPECT_EQ(faces.vertex_count(), 0u);
}

TEST(VertexNormals, AreWeightedByArea) {
  VertexFaces faces;
  ASSERT_FALSE(VertexFaces::make(std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3}, 5, &faces));
  // Areas 1 and 3, normals along z and x.
  const std::vector<double> positions{0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 6, 9, 9, 9};
  std::vector<double> normals(15, 7);
  VertexNormalsJob<double> job;
  job.faces = &faces;
  job.positions = positions;
  job.normals = normals;
  ASSERT_FALSE(job.run());
  const double size = std::sqrt(10.0);
  const std::vector<double> expected{3 / size, 0, 1 / size, 0, 0, 1, 3 / size, 0, 1 / size, 1, 0, 0, 0, 0, 0};
  for (int i = 0; i < 15; ++i) EXPECT_NEAR(normals[i], expected[i], 1e-15);
}

}  // namespace
}  // namespace lissom
