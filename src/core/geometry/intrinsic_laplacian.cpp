// SPDX-License-Identifier: MIT
#include "core/geometry/intrinsic_laplacian.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace lissom {
namespace {

// As a share of the mean edge: by so much the two shorter edges of a triangle together exceed the longest at least, as
// in the paper.
constexpr double kMollify = 1e-5;
// A sum of cotangents that is negative by less is the rounding of a quad with right angles: no flip improves it.
constexpr double kFlipSlack = 1e-9;
// Flips terminate; rounding in triangles as thin as lines might make a few alternate. Negative weights left then count
// as 0.
constexpr std::size_t kMostFlipsPerTriangle = 1000;

using Point = std::array<double, 3>;
using Triangle = std::array<std::uint32_t, 3>;

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Point& a) { return std::hypot(a[0], a[1], a[2]); }

// Heron's formula in Kahan's order, which is stable for needles. 0 where the lengths are of no triangle.
double area(double a, double b, double c) {
  if (a < b) std::swap(a, b);
  if (b < c) std::swap(b, c);
  if (a < b) std::swap(a, b);
  const double square = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
  return square > 0 ? 0.25 * std::sqrt(square) : 0;
}

// The side of a face from corner `side % 3` to the next. Faces are `side / 3`.
using Side = std::uint32_t;
Side next(Side side) { return side % 3 == 2 ? side - 2 : side + 1; }

// An intrinsic triangulation: faces glued along their sides, given by side lengths alone. Two sides of one face may be
// glued, and edges may join a vertex to itself.
class IntrinsicMesh {
 public:
  IntrinsicMesh(std::span<const Point> positions, std::span<const Triangle> triangles);

  void mollify();
  bool flip_to_delaunay(const Progress& progress, std::size_t* flip_count);  // true where stopped
  double cotangent(Side side) const;  // of the angle that faces the side
  double face_area(Side side) const;

  std::size_t side_count() const { return tails_.size(); }
  Side glued(Side side) const { return glued_[side]; }
  std::uint32_t tail(Side side) const { return tails_[side]; }

 private:
  void glue(std::span<const Point> positions, std::span<const Triangle> triangles);
  double weight(Side side) const { return 0.5 * (cotangent(side) + cotangent(glued_[side])); }
  bool flip(Side side);

  std::vector<std::uint32_t> tails_;  // the vertex that each side starts from
  std::vector<double> lengths_;       // of each side
  std::vector<Side> glued_;
};

IntrinsicMesh::IntrinsicMesh(std::span<const Point> positions, std::span<const Triangle> triangles)
    : tails_(6 * triangles.size()), lengths_(6 * triangles.size()), glued_(6 * triangles.size()) {
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    double edges[3];
    for (int k = 0; k < 3; ++k) edges[k] = length(minus(positions[t[(k + 1) % 3]], positions[t[k]]));
    const std::uint32_t corners[6] = {t[0], t[1], t[2], t[0], t[2], t[1]};  // front, back
    const double sides[6] = {edges[0], edges[1], edges[2], edges[2], edges[1], edges[0]};
    std::copy_n(corners, 6, &tails_[6 * i]);
    std::copy_n(sides, 6, &lengths_[6 * i]);
  }
  glue(positions, triangles);
}

// Around each edge the triangles are sorted by angle, and each is glued to the next, back to front.
void IntrinsicMesh::glue(std::span<const Point> positions, std::span<const Triangle> triangles) {
  struct Flap {
    std::uint32_t low, high;  // nodes of the edge
    Side upward, downward;    // of front and back, the side that runs from low to high, and the reverse one
    std::uint32_t opposite;   // the third node
    double angle;
  };
  std::vector<Flap> flaps;
  flaps.reserve(3 * triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangles[i][k];
      const std::uint32_t b = triangles[i][(k + 1) % 3];
      const auto front = static_cast<Side>(6 * i + k);
      const auto back = static_cast<Side>(6 * i + 3 + (2 - k));
      const std::uint32_t opposite = triangles[i][(k + 2) % 3];
      flaps.push_back(a < b ? Flap{a, b, front, back, opposite, 0} : Flap{b, a, back, front, opposite, 0});
    }
  }
  const auto by_edge = [](const Flap& a, const Flap& b) {
    return std::tie(a.low, a.high, a.angle, a.upward) < std::tie(b.low, b.high, b.angle, b.upward);
  };
  std::sort(flaps.begin(), flaps.end(), by_edge);
  for (auto begin = flaps.begin(); begin != flaps.end();) {
    auto end = begin;
    while (end != flaps.end() && end->low == begin->low && end->high == begin->high) ++end;
    if (end - begin > 2) {  // one or two need no order
      const Point origin = positions[begin->low];
      const Point axis = minus(positions[begin->high], origin);
      const double long_axis = length(axis);
      const Point z = {axis[0] / long_axis, axis[1] / long_axis, axis[2] / long_axis};
      const Point seed = std::abs(z[0]) < 0.6 ? Point{1, 0, 0} : Point{0, 1, 0};
      const Point y = cross(z, seed);
      const Point x = cross(y, z);
      for (auto flap = begin; flap != end; ++flap) {
        const Point arm = minus(positions[flap->opposite], origin);
        flap->angle = std::atan2(dot(arm, y), dot(arm, x));
      }
      std::sort(begin, end, by_edge);
    }
    // A triangle whose side runs from low to high faces larger angles: the next triangle.
    for (auto flap = begin; flap != end; ++flap) {
      const auto after = flap + 1 == end ? begin : flap + 1;
      glued_[flap->upward] = after->downward;
      glued_[after->downward] = flap->upward;
    }
    begin = end;
  }
}

void IntrinsicMesh::mollify() {
  double sum = 0;
  for (const double edge : lengths_) sum += edge;
  const double least = kMollify * sum / static_cast<double>(std::max<std::size_t>(1, lengths_.size()));
  double longer = 0;
  for (Side side = 0; side < side_count(); ++side) {
    const double excess = lengths_[next(side)] + lengths_[next(next(side))] - lengths_[side];
    longer = std::max(longer, least - excess);
  }
  for (double& edge : lengths_) edge += longer;
}

double IntrinsicMesh::face_area(Side side) const {
  return area(lengths_[side], lengths_[next(side)], lengths_[next(next(side))]);
}

double IntrinsicMesh::cotangent(Side side) const {
  const double a = lengths_[side];
  const double b = lengths_[next(side)];
  const double c = lengths_[next(next(side))];
  const double four_areas = 4 * area(a, b, c);
  return four_areas > 0 ? (b * b + c * c - a * a) / four_areas : 0;
}

// Replaces an edge by the other diagonal of its quad. False, and nothing changed, where rounding makes triangles
// invalid.
bool IntrinsicMesh::flip(Side side) {
  // Sides of the quad, counter-clockwise: b, c in the first face after `side`, d, e in the second.
  const Side other = glued_[side];
  const Side b = next(side);
  const Side c = next(b);
  const Side d = next(other);
  const Side e = next(d);
  const double base = lengths_[side];
  // The tail of `side` at the origin, its head on the x axis: the two opposite corners.
  const double up_x = (base * base + lengths_[c] * lengths_[c] - lengths_[b] * lengths_[b]) / (2 * base);
  const double down_x = (base * base + lengths_[d] * lengths_[d] - lengths_[e] * lengths_[e]) / (2 * base);
  const double tall = 2 * (face_area(side) + face_area(other)) / base;
  const double diagonal = std::hypot(up_x - down_x, tall);
  // The new faces have the sides (diagonal, c, d) and (diagonal, e, b).
  if (!(area(diagonal, lengths_[c], lengths_[d]) > 0) || !(area(diagonal, lengths_[e], lengths_[b]) > 0))
    return false;
  const std::uint32_t start = tails_[side];
  const std::uint32_t finish = tails_[other];
  const std::uint32_t top = tails_[c];
  const std::uint32_t bottom = tails_[e];
  const double around[4] = {lengths_[c], lengths_[d], lengths_[e], lengths_[b]};
  // The new index of each of the four sides.
  const Side old_places[4] = {c, d, e, b};
  const Side new_places[4] = {b, c, d, e};
  Side beyond[4];
  for (int i = 0; i < 4; ++i) {
    beyond[i] = glued_[old_places[i]];
    for (int k = 0; k < 4; ++k) {
      if (beyond[i] == old_places[k]) {  // the quad is glued to itself
        beyond[i] = new_places[k];
        break;
      }
    }
  }
  // First face: diagonal from bottom to top, then c (top to start), then d (start to bottom). Second: diagonal from
  // top to bottom, then e (bottom to finish), then b (finish to top).
  tails_[side] = bottom;
  tails_[b] = top;
  tails_[c] = start;
  tails_[other] = top;
  tails_[d] = bottom;
  tails_[e] = finish;
  lengths_[side] = lengths_[other] = diagonal;
  for (int i = 0; i < 4; ++i) lengths_[new_places[i]] = around[i];
  for (int i = 0; i < 4; ++i) {
    glued_[new_places[i]] = beyond[i];
    glued_[beyond[i]] = new_places[i];
  }
  return true;
}

bool IntrinsicMesh::flip_to_delaunay(const Progress& progress, std::size_t* flip_count) {
  std::vector<Side> waiting;
  std::vector<char> is_waiting(side_count(), 0);
  const auto wait = [&](Side side) {
    const Side first = std::min(side, glued_[side]);
    if (is_waiting[first]) return;
    is_waiting[first] = 1;
    waiting.push_back(first);
  };
  for (Side side = 0; side < side_count(); ++side) wait(side);
  const std::size_t most = kMostFlipsPerTriangle * (side_count() / 3);
  for (std::size_t step = 0; !waiting.empty() && *flip_count < most; ++step) {
    if (step % 65536 == 0 && progress && progress("Delaunay", 0)) return true;
    const Side side = waiting.back();
    waiting.pop_back();
    is_waiting[side] = 0;
    const Side other = glued_[side];
    if (side / 3 == other / 3 || weight(side) >= -kFlipSlack) continue;
    // The four neighbours are glued to new sides: update the records of their old indices.
    for (const Side near : {next(side), next(next(side)), next(other), next(next(other))}) {
      is_waiting[std::min(near, glued_[near])] = 0;
    }
    if (!flip(side)) continue;
    ++*flip_count;
    for (const Side near : {next(side), next(next(side)), next(other), next(next(other))}) wait(near);
  }
  return false;
}

}  // namespace

bool IntrinsicLaplacian::make(std::span<const Point> positions, std::span<const Triangle> triangles,
                              const Progress& progress) {
  edges.clear();
  areas.assign(positions.size(), 0.0);
  flip_count = 0;
  IntrinsicMesh mesh(positions, triangles);
  mesh.mollify();
  for (Side side = 0; side < mesh.side_count(); ++side) {
    areas[mesh.tail(side)] += mesh.face_area(side) / 6;  // a third each, of two covers
  }
  if (mesh.flip_to_delaunay(progress, &flip_count)) return true;
  edges.reserve(mesh.side_count() / 2);
  for (Side side = 0; side < mesh.side_count(); ++side) {
    const Side other = mesh.glued(side);
    if (other < side) continue;
    // Half a cotangent for each angle, and half of that for each of the two covers.
    const double weight = 0.25 * (mesh.cotangent(side) + mesh.cotangent(other));
    const std::uint32_t a = mesh.tail(side);
    const std::uint32_t b = mesh.tail(other);
    if (a != b && weight > 0) edges.push_back({a, b, weight});
  }
  return false;
}

}  // namespace lissom
