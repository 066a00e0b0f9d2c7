// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

namespace lissom {

// A point or vector whose components are indexed.
struct Point {
  double at[3] = {0, 0, 0};

  double& operator[](int axis) { return at[axis]; }
  double operator[](int axis) const { return at[axis]; }
};

inline Point operator+(const Point& a, const Point& b) { return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}}; }
inline Point operator-(const Point& a, const Point& b) { return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}}; }
inline Point operator*(double s, const Point& a) { return {{s * a[0], s * a[1], s * a[2]}}; }
inline double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Point cross(const Point& a, const Point& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
inline double norm(const Point& a) { return std::sqrt(dot(a, a)); }

}  // namespace lissom
