// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/geometry/triangle_geometry.h"

namespace lissom {

// A ball around triangles, in a tree that halves them.
struct SurfaceNode {
  Point center;                       // of areas
  Point area;                         // sum of the triangles' area vectors
  double radius = 0;                  // of a ball around the center that holds them
  std::uint32_t begin = 0, end = 0;   // of the triangles
  std::uint32_t left = 0, right = 0;  // 0: a leaf
};

struct SurfaceTree {
  const SurfaceNode* nodes;  // the root first; never deeper than 32
  const Triangle* triangles;
};

struct WindingKernels {
  // The winding number of the triangles around each of `count` points: near a ball its triangles count by their solid
  // angles, 0 from within their plane, far from it as one dipole. A point's number does not depend on the others.
  // Sources: Jacobson, Kavan and Sorkine-Hornung, Robust Inside-Outside Segmentation using Generalized
  // Winding Numbers, 2013; Van Oosterom and Strackee, The Solid Angle of a Plane Triangle, 1983; Barill et al.,
  // Fast Winding Numbers for Soups and Clouds, 2018 (far triangles as dipoles).
  void (*sum)(const SurfaceTree& tree, const Point* points, std::size_t count, double* numbers);
};

}  // namespace lissom
