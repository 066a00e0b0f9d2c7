// SPDX-License-Identifier: MIT
#pragma once

#include "core/geometry/point.h"

namespace lissom {

// An axis-aligned box by its middle and half its sides.
struct HalfBox {
  Point center, half;
};

struct Triangle {
  Point corners[3];
};

// Whether they share a point, their boundaries included: no plane through either separates them. What touches
// within 1e-12 of the box counts too, so that neighbouring boxes both see a triangle in the face between
// them. Right for triangles without area.
// Source: Akenine-Moeller, Fast 3D Triangle-Box Overlap Testing, JGT 6(1), 2001.
bool meets(const Triangle& triangle, const HalfBox& box);

// The same for a segment.
bool meets(const Point& begin, const Point& end, const HalfBox& box);

// The point of a triangle that is nearest to `point`.
// Source: Ericson, Real-Time Collision Detection, 2005, section 5.1.5.
Point nearest_point(const Triangle& triangle, const Point& point);

// The centroid of the part of a triangle inside a box that it meets, and its area; where the part is a line or a point,
// the area is 0 and the centroid that of the part's corners.
struct ClippedPart {
  Point middle;
  double area = 0;
};
ClippedPart clip(const Triangle& triangle, const HalfBox& box);

// Where the segment begin + t (end - begin) crosses a triangle, edges included: an edge or a corner that
// several triangles share is never missed, and may be found in each. A segment within the triangle's plane
// crosses nothing.
struct Crossing {
  bool is_met = false;
  double t = 0;        // within [0, 1]
  bool exits = false;  // in the direction of the triangle's normal
};
Crossing cross_triangle(const Triangle& triangle, const Point& begin, const Point& end);

}  // namespace lissom
