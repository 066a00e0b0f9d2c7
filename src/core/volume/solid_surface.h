// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/geometry/triangle_geometry.h"
#include "core/volume/winding_kernels.h"

namespace lissom {

// A triangle surface as the boundary of a solid, whatever its state: open, non-manifold, flipped in parts or
// intersecting itself. It copies all it needs; once made, any number of threads may read it.
//
// Coordinates are in unit space: the middle of the box of all triangles is 0 and its longest side 1, so that neither
// position nor scale of the input matters and mirrored input stays exactly mirrored.
//
// Vertices at one position are welded (files split them at seams). Triangles are oriented so that neighbours across an
// edge of two agree, and each patch of such neighbours encloses a positive volume: parts that were mirrored or modelled
// inside out enclose their volume, too. A cavity with a boundary of its own is therefore filled.
class SolidSurface {
 public:
  // V vertices, F triangles.
  static Error make(std::span<const double> positions,         // (V, 3), finite
                    std::span<const std::uint32_t> triangles,  // (F, 3), each < V
                    SolidSurface* surface);

  std::size_t vertex_count() const { return points_.size(); }
  std::size_t triangle_count() const { return triangles_.size(); }
  std::size_t degenerate_count() const { return degenerate_count_; }
  // Triangles that bound nothing, as others have the same three corners: the backs of two-sided parts, and walls
  // between parts that share them.
  std::size_t doubled_count() const { return doubled_count_; }

  const Point& point(std::size_t vertex) const { return points_[vertex]; }
  const std::array<std::uint32_t, 3>& corners(std::size_t triangle) const { return triangles_[triangle]; }
  // The lowest vertex at the same position.
  std::uint32_t welded(std::size_t vertex) const { return welded_[vertex]; }
  Triangle triangle(std::size_t index) const;
  // The connected component of a triangle by shared edges: its lowest triangle.
  std::int32_t island(std::size_t triangle) const { return islands_[triangle]; }
  // The lowest triangle with the same three corners.
  std::uint32_t original(std::size_t triangle) const { return originals_[triangle]; }
  // Whether it bounds the solid: it has an area and no double that represents or cancels it.
  bool is_boundary(std::size_t triangle) const { return is_boundary_[triangle]; }
  // Whether each edge is passed as often in one direction as in the other: winding numbers are whole then, and change
  // at the surface alone.
  bool is_closed() const { return is_closed_; }

  // Half the sides of the box of all triangles, unit space; the longest is one half.
  const Point& half() const { return half_; }
  Point to_unit(const Point& model) const { return 1 / scale_ * (model - center_); }
  Point to_model(const Point& unit) const { return center_ + scale_ * unit; }
  double to_unit(double model_length) const { return model_length / scale_; }
  // Model units in one unit.
  double scale() const { return scale_; }

  // The winding number of the surface around each point of unit space: near 1 inside, 0 outside, 2 where two parts
  // overlap; between them near the holes of open surfaces, harmonic in between. Far triangles count by the
  // sums of their areas, within about 0.01. The same for a point alone and among others; eight that are near each
  // other take little longer than one.
  void winding_numbers(std::span<const Point> points, std::span<double> numbers) const;

  // The nearest point of the surface, its triangle and distance, unit space.
  struct Nearest {
    Point place;
    std::size_t triangle = 0;
    double distance = 0;
  };
  Nearest nearest(const Point& point) const;

 private:
  void weld();
  void find_islands();
  void drop_doubles();
  void orient();
  void build_tree();
  std::uint32_t make_node(std::uint32_t begin, std::uint32_t end);

  std::vector<Point> points_;
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<std::uint32_t> welded_;
  std::vector<std::int32_t> islands_;
  std::vector<std::uint32_t> originals_;
  std::vector<char> is_boundary_;
  bool is_closed_ = false;
  std::size_t degenerate_count_ = 0, doubled_count_ = 0;
  Point center_, half_;
  double scale_ = 1;
  std::vector<std::uint32_t> order_;  // of boundary triangles, as leaves hold them
  std::vector<Triangle> leaves_;      // these triangles
  std::vector<SurfaceNode> nodes_;
};

// The cost of a winding number, how many are computed at once, and how many between two calls of a progress function:
// below 0.1 s.
inline constexpr double kNanosecondsPerWinding = 600;
inline constexpr std::size_t kWindingsAtOnce = 64;
inline constexpr std::size_t kWindingBatch = 1 << 15;

}  // namespace lissom
