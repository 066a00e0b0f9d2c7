// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>

#include "core/error.h"

namespace lissom {

// Implicit shapes: distances that are negative inside, zero on the surface and approximate away from it. Points are
// (N, 3), row after row. The jobs own none of their buffers.

// An ellipsoid with axes along x, y, z: the distance of first order, norm (norm - 1) / slope.
struct EllipsoidJob {
  Error run() const;

  std::span<const double> points;
  std::array<double, 3> center{};
  std::array<double, 3> radii{};  // > 0
  std::span<double> out;          // (N)
};

// A round bar whose radius goes linearly from one end to the other.
struct CapsuleJob {
  Error run() const;

  std::span<const double> points;
  std::array<double, 3> head{};
  std::array<double, 3> tail{};  // another point
  double head_radius = 0;
  double tail_radius = 0;
  std::span<double> out;  // (N)
};

// An ellipse swept along a straight axis without end, while its half-widths and its centre follow cubic Hermite curves,
// which are constant beyond their knots.
struct LoftJob {
  Error run() const;

  std::span<const double> points;
  std::array<double, 3> origin{};
  std::array<double, 9> axes{};       // rows: the axis, then the ellipse's first and second direction
  std::span<const double> parameter;  // (K) places of knots along the axis, increasing; at least 2
  std::span<const double> values;     // (K, 4) half-widths, both > 0, and centre along the two directions
  std::span<const double> slopes;     // (K, 4) of the values, by the parameter
  std::span<double> out;              // (N)
};

// Smooth minimum of two distances, with a fillet of about `radius` where they meet: the polynomial blend, which differs
// from the minimum only where the two are within `radius` of each other. `sign` -1 negates all three: a smooth maximum.
struct SmoothUnionJob {
  Error run() const;

  std::span<const double> first;   // (N)
  std::span<const double> second;  // (N), may be infinite
  double radius = 0;               // > 0
  double sign = 1;
  std::span<double> out;  // (N)
};

}  // namespace lissom
