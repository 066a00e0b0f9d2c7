// SPDX-License-Identifier: MIT
#include "core/geometry/outward_triangles.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace lissom {
namespace {

using Point = std::array<double, 3>;

// Of area^1.5, of which a sphere encloses 0.094: a patch that encloses less does not define an outside.
constexpr double kLeastVolume = 1e-3;
constexpr std::uint32_t kNone = 0xFFFFFFFFu;

// The triangle across each edge, where there is exactly one; and whether both traverse the edge in the same direction,
// so that one of them must be reversed.
struct Neighbour {
  std::uint32_t triangle = kNone;
  bool is_reversed = false;
};

std::vector<std::array<Neighbour, 3>> find_neighbours(const WeldedMesh& mesh) {
  using Edge = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::vector<Edge> edges;  // lower node, higher node, triangle, index of the edge in the triangle
  edges.reserve(3 * mesh.triangles.size());
  for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(mesh.triangles[i][k], mesh.triangles[i][(k + 1) % 3]);
      edges.emplace_back(low, high, i, k);
    }
  }
  std::sort(edges.begin(), edges.end());
  std::vector<std::array<Neighbour, 3>> found(mesh.triangles.size());
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = begin + 1;
    while (end < edges.size() && std::get<0>(edges[end]) == std::get<0>(edges[begin]) &&
           std::get<1>(edges[end]) == std::get<1>(edges[begin])) {
      ++end;
    }
    if (end - begin == 2) {
      const auto [low, high, a, ka] = edges[begin];
      const auto [same_low, same_high, b, kb] = edges[begin + 1];
      const bool is_reversed = mesh.triangles[a][ka] == mesh.triangles[b][kb];
      found[a][ka] = {b, is_reversed};
      found[b][kb] = {a, is_reversed};
    }
    begin = end;
  }
  return found;
}

Point cross_of(const WeldedMesh& mesh, const std::array<std::uint32_t, 3>& t) {
  const Point& a = mesh.positions[t[0]];
  const Point& b = mesh.positions[t[1]];
  const Point& c = mesh.positions[t[2]];
  Point u;
  Point v;
  for (int i = 0; i < 3; ++i) {
    u[i] = b[i] - a[i];
    v[i] = c[i] - a[i];
  }
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

// Whether consistently oriented triangles must all be reversed.
bool is_inside_out(const WeldedMesh& mesh, const std::vector<std::array<std::uint32_t, 3>>& triangles,
                   const std::vector<std::uint32_t>& patch) {
  Point middle = {0, 0, 0};
  for (const std::uint32_t i : patch) {
    for (int k = 0; k < 3; ++k)
      middle[k] += mesh.positions[triangles[i][0]][k] / static_cast<double>(patch.size());
  }
  double volume = 0;
  double area = 0;
  double as_given = 0;
  for (const std::uint32_t i : patch) {
    const Point cross = cross_of(mesh, triangles[i]);
    const Point& corner = mesh.positions[triangles[i][0]];
    for (int k = 0; k < 3; ++k) volume += cross[k] * (corner[k] - middle[k]) / 6;
    const double own = 0.5 * std::hypot(cross[0], cross[1], cross[2]);
    area += own;
    as_given += triangles[i] == mesh.triangles[i] ? own : -own;
  }
  if (std::abs(volume) < kLeastVolume * area * std::sqrt(area)) return as_given < 0;
  return volume < 0;
}

}  // namespace

OutwardTriangles::OutwardTriangles(const WeldedMesh& mesh)
    : triangles(mesh.triangles), normals(mesh.positions.size(), Point{0, 0, 0}) {
  const auto neighbours = find_neighbours(mesh);
  std::vector<char> is_done(triangles.size(), 0);
  std::vector<char> is_reversed(triangles.size(), 0);
  std::vector<std::uint32_t> patch;
  for (std::uint32_t first = 0; first < triangles.size(); ++first) {
    if (is_done[first]) continue;
    patch.assign(1, first);
    is_done[first] = 1;
    for (std::size_t at = 0; at < patch.size(); ++at) {
      const std::uint32_t own = patch[at];
      for (const Neighbour& across : neighbours[own]) {
        if (across.triangle == kNone || is_done[across.triangle]) continue;
        is_done[across.triangle] = 1;
        is_reversed[across.triangle] =
            static_cast<char>(is_reversed[own] != static_cast<char>(across.is_reversed));
        if (is_reversed[across.triangle])
          std::swap(triangles[across.triangle][1], triangles[across.triangle][2]);
        patch.push_back(across.triangle);
      }
    }
    if (!is_inside_out(mesh, triangles, patch)) continue;
    for (const std::uint32_t i : patch) std::swap(triangles[i][1], triangles[i][2]);
  }
  crosses.reserve(triangles.size());
  is_closed.reserve(triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const auto& triangle = triangles[i];
    const Point cross = cross_of(mesh, triangle);
    crosses.push_back(cross);
    is_closed.push_back(
        static_cast<char>(std::all_of(neighbours[i].begin(), neighbours[i].end(),
                                      [](const Neighbour& across) { return across.triangle != kNone; })));
    for (const std::uint32_t node : triangle) {
      for (int k = 0; k < 3; ++k) normals[node][k] += cross[k];
    }
  }
  for (Point& normal : normals) {
    const double length = std::hypot(normal[0], normal[1], normal[2]);
    for (double& component : normal) component = length > 0 ? component / length : 0.0;
  }
}

}  // namespace lissom
