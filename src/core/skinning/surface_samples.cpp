// SPDX-License-Identifier: MIT
#include "core/skinning/surface_samples.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/math/vec.h"
#include "core/skinning/centers_of_rotation.h"

namespace lissom {
namespace {

// An edge as long as a whole number of steps, within rounding, is divided into that many.
constexpr double kStepSlack = 1e-9;

Vec3<double> position_of(std::span<const float> positions, std::uint32_t vertex) {
  const float* p = &positions[3 * std::size_t{vertex}];
  return {p[0], p[1], p[2]};
}

double area_of(std::span<const float> positions, const std::uint32_t* corners) {
  const Vec3<double> a = position_of(positions, corners[0]);
  return 0.5 * length(cross(position_of(positions, corners[1]) - a, position_of(positions, corners[2]) - a));
}

double distance_between(std::span<const JointWeight> a, std::span<const JointWeight> b) {
  double sum = 0;
  const auto add = [&](double difference) { sum += difference * difference; };
  auto p = a.begin();
  for (auto q = b.begin(); p != a.end() || q != b.end();) {
    if (q == b.end() || (p != a.end() && p->joint < q->joint)) {
      add(p++->weight);
    } else if (p == a.end() || q->joint < p->joint) {
      add(q++->weight);
    } else {
      add(p++->weight - q++->weight);
    }
  }
  return std::sqrt(sum);
}

int divisions_of(const WeightRows& rows, const std::array<std::uint32_t, 3>& corners) {
  double longest = 0;
  for (int i = 0; i < 3; ++i) {
    longest = std::max(longest, distance_between(rows[corners[i]], rows[corners[(i + 1) % 3]]));
  }
  return std::max(1, static_cast<int>(std::ceil(longest / kSampleWeightStep - kStepSlack)));
}

bool hangs_on_one_joint(const WeightRows& rows, const std::array<std::uint32_t, 3>& corners) {
  const auto is_rigid = [&](std::uint32_t row) {
    return rows[row].size() == 1 && rows[row][0].joint == rows[corners[0]][0].joint;
  };
  return std::all_of(corners.begin(), corners.end(), is_rigid);
}

double weight_of(std::span<const JointWeight> row, std::uint32_t joint) {
  for (const JointWeight& entry : row) {
    if (entry.joint == joint) return entry.weight;
  }
  return 0;
}

}  // namespace

double surface_area(std::span<const float> positions, std::span<const std::uint32_t> triangles) {
  double sum = 0;
  for (std::size_t i = 0; i < triangles.size(); i += 3) sum += area_of(positions, &triangles[i]);
  return sum;
}

std::vector<TriangleGroup> group_triangles(const WeightRows& rows, std::span<const float> positions,
                                           std::span<const std::uint32_t> triangles) {
  struct Face {
    std::array<std::uint32_t, 3> rows, vertices;  // both in the order of the rows
    std::size_t index;
  };
  std::vector<Face> faces;
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    std::array<std::pair<std::uint32_t, std::uint32_t>, 3> corners;
    for (int c = 0; c < 3; ++c) corners[c] = {rows.of_vertices()[triangles[i + c]], triangles[i + c]};
    std::sort(corners.begin(), corners.end());
    const Face face{{corners[0].first, corners[1].first, corners[2].first},
                    {corners[0].second, corners[1].second, corners[2].second},
                    i};
    if (!hangs_on_one_joint(rows, face.rows)) faces.push_back(face);
  }
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
    return std::tie(a.rows, a.index) < std::tie(b.rows, b.index);
  });

  std::vector<TriangleGroup> groups;
  for (const Face& face : faces) {
    const double area = area_of(positions, face.vertices.data());
    if (!(area > 0)) continue;
    if (groups.empty() || groups.back().rows != face.rows) {
      groups.push_back({face.rows, 0, {}, divisions_of(rows, face.rows)});
    }
    TriangleGroup& group = groups.back();
    group.area += area;
    for (int c = 0; c < 3; ++c) {
      const Vec3<double> p = position_of(positions, face.vertices[c]);
      group.corner_moment[c][0] += area * p.x;
      group.corner_moment[c][1] += area * p.y;
      group.corner_moment[c][2] += area * p.z;
    }
  }
  return groups;
}

void joints_of(const WeightRows& rows, const TriangleGroup& group, std::vector<std::uint32_t>* joints) {
  joints->clear();
  for (const std::uint32_t row : group.rows) {
    for (const JointWeight& entry : rows[row]) joints->push_back(entry.joint);
  }
  std::sort(joints->begin(), joints->end());
  joints->erase(std::unique(joints->begin(), joints->end()), joints->end());
}

void write_samples(const WeightRows& rows, const TriangleGroup& group, JointPair pair,
                   SurfaceSample* samples) {
  double first[3], second[3];
  for (int c = 0; c < 3; ++c) {
    first[c] = weight_of(rows[group.rows[c]], pair.first);
    second[c] = weight_of(rows[group.rows[c]], pair.second);
  }
  const int n = group.divisions;
  const double area = group.area / (double(n) * n);
  // The centroid of a small triangle by its coordinates on two sides, in thirds of the small triangle's sides.
  const auto write = [&](int thirds_1, int thirds_2) {
    const double share[3] = {(3.0 * n - thirds_1 - thirds_2) / (3.0 * n), thirds_1 / (3.0 * n),
                             thirds_2 / (3.0 * n)};
    SurfaceSample& sample = *samples++;
    sample.first = share[0] * first[0] + share[1] * first[1] + share[2] * first[2];
    sample.second = share[0] * second[0] + share[1] * second[1] + share[2] * second[2];
    const double product = sample.first * sample.second;
    sample.mass = product * area;
    for (int axis = 0; axis < 3; ++axis) {
      const auto& moment = group.corner_moment;
      sample.moment[axis] =
          product * ((share[0] * moment[0][axis] + share[1] * moment[1][axis] + share[2] * moment[2][axis]) /
                     (double(n) * n));
    }
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; i + j < n; ++j) {
      write(3 * i + 1, 3 * j + 1);
      if (i + j + 1 < n) write(3 * i + 2, 3 * j + 2);  // the reversed one
    }
  }
}

}  // namespace lissom
