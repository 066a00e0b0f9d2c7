// SPDX-License-Identifier: MIT
#include "core/geometry/triangle_geometry.h"

#include <algorithm>

namespace lissom {
namespace {

constexpr double kTouch = 1e-12;  // of a box's side: rounding of coordinates of its size
// How far outside an edge, in barycentric coordinates, a crossing still counts: far above rounding, far below
// any intended gap.
constexpr double kEdgeSlack = 1e-9;
// The sine between a segment and a plane below which the segment counts as in the plane.
constexpr double kParallel = 1e-12;

double largest(const Point& p) { return std::max({std::abs(p[0]), std::abs(p[1]), std::abs(p[2])}); }

// Whether the projections of N points and of a box around 0 onto an axis are apart.
template <int N>
bool are_apart(const Point& axis, const Point (&points)[N], const Point& half, double slack) {
  const double radius =
      half[0] * std::abs(axis[0]) + half[1] * std::abs(axis[1]) + half[2] * std::abs(axis[2]);
  double low = dot(axis, points[0]), high = low;
  for (int i = 1; i < N; ++i) {
    const double at = dot(axis, points[i]);
    low = std::min(low, at);
    high = std::max(high, at);
  }
  const double limit = radius + slack * largest(axis);
  return low > limit || high < -limit;
}

template <int N>
bool boxes_apart(const Point (&points)[N], const Point& half, double slack) {
  for (int axis = 0; axis < 3; ++axis) {
    double low = points[0][axis], high = low;
    for (int i = 1; i < N; ++i) {
      low = std::min(low, points[i][axis]);
      high = std::max(high, points[i][axis]);
    }
    if (low > half[axis] + slack || high < -half[axis] - slack) return true;
  }
  return false;
}

Point unit(int axis) {
  Point result;
  result[axis] = 1;
  return result;
}

}  // namespace

bool meets(const Triangle& triangle, const HalfBox& box) {
  Point corners[3];
  for (int i = 0; i < 3; ++i) corners[i] = triangle.corners[i] - box.center;
  const double slack = kTouch * largest(box.half);
  if (boxes_apart(corners, box.half, slack)) return false;
  const Point edges[3] = {corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]};
  for (const Point& edge : edges) {
    for (int axis = 0; axis < 3; ++axis) {
      if (are_apart(cross(unit(axis), edge), corners, box.half, slack)) return false;
    }
  }
  return !are_apart(cross(edges[0], edges[1]), corners, box.half, slack);
}

bool meets(const Point& begin, const Point& end, const HalfBox& box) {
  const Point ends[2] = {begin - box.center, end - box.center};
  const double slack = kTouch * largest(box.half);
  if (boxes_apart(ends, box.half, slack)) return false;
  for (int axis = 0; axis < 3; ++axis) {
    if (are_apart(cross(unit(axis), ends[1] - ends[0]), ends, box.half, slack)) return false;
  }
  return true;
}

Point nearest_point(const Triangle& triangle, const Point& point) {
  const auto& [a, b, c] = triangle.corners;
  const Point ab = b - a, ac = c - a, ap = point - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const Point bp = point - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return b;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0 && d1 > d3) return a + d1 / (d1 - d3) * ab;
  const Point cp = point - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return c;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0 && d2 > d6) return a + d2 / (d2 - d6) * ac;
  const double va = d3 * d6 - d5 * d4;
  const double to_b = d5 - d6, to_c = d4 - d3;
  if (va <= 0 && to_c >= 0 && to_b >= 0 && to_c + to_b > 0) return b + to_c / (to_c + to_b) * (c - b);
  const double sum = va + vb + vc;
  return sum > 0 ? a + vb / sum * ab + vc / sum * ac : a;
}

ClippedPart clip(const Triangle& triangle, const HalfBox& box) {
  Point polygon[9], next[9];  // each of six planes adds a corner at most
  int count = 3;
  for (int i = 0; i < 3; ++i) polygon[i] = triangle.corners[i] - box.center;
  for (int plane = 0; plane < 6 && count > 0; ++plane) {
    const int axis = plane / 2;
    const double sign = plane % 2 ? -1 : 1;
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      const Point &from = polygon[i], &to = polygon[(i + 1) % count];
      const double before = box.half[axis] - sign * from[axis], after = box.half[axis] - sign * to[axis];
      if (before >= 0) next[kept++] = from;
      if ((before >= 0) != (after >= 0)) next[kept++] = from + before / (before - after) * (to - from);
    }
    count = std::min(kept, 9);
    std::copy(next, next + count, polygon);
  }
  ClippedPart part;
  if (count == 0) {  // it only touches: its nearest point
    part.middle = nearest_point(triangle, box.center);
    return part;
  }
  Point middle, weighted;
  for (int i = 0; i < count; ++i) middle = middle + 1.0 / count * polygon[i];
  for (int i = 1; i + 1 < count; ++i) {
    const double area = 0.5 * norm(cross(polygon[i] - polygon[0], polygon[i + 1] - polygon[0]));
    part.area += area;
    weighted = weighted + area / 3 * (polygon[0] + polygon[i] + polygon[i + 1]);
  }
  part.middle = box.center + (part.area > 0 ? 1 / part.area * weighted : middle);
  return part;
}

Crossing cross_triangle(const Triangle& triangle, const Point& begin, const Point& end) {
  const Point segment = end - begin;
  const Point edge1 = triangle.corners[1] - triangle.corners[0],
              edge2 = triangle.corners[2] - triangle.corners[0];
  const Point normal = cross(edge1, edge2);
  const double slope = dot(segment, normal);
  Crossing crossing;
  if (std::abs(slope) <= kParallel * norm(segment) * norm(normal)) return crossing;
  const Point from = begin - triangle.corners[0];
  const double t = -dot(from, normal) / slope;
  if (!(t >= 0 && t <= 1)) return crossing;
  const Point moment = cross(from, segment);
  const double u = -dot(edge2, moment) / slope, v = dot(edge1, moment) / slope;
  if (u < -kEdgeSlack || v < -kEdgeSlack || u + v > 1 + kEdgeSlack) return crossing;
  crossing.is_met = true;
  crossing.t = t;
  crossing.exits = slope > 0;
  return crossing;
}

}  // namespace lissom
