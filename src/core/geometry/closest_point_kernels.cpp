// SPDX-License-Identifier: MIT
#include "core/geometry/closest_point_kernels.h"

#include "core/simd/vector.h"

namespace lissom::LISSOM_ISA {
namespace {

using Double8 = double __attribute__((vector_size(64)));
using Long8 = std::int64_t __attribute__((vector_size(64)));

constexpr double kInfinity = __builtin_huge_val();
// Squared distances from boxes are rounded in float64; a box is skipped only where it is farther by more than this
// share.
constexpr double kSlack = 1e-12;

LISSOM_INLINE Double8 wide(const float* from) {
  return __builtin_convertvector(load_as<Float8>(from), Double8);
}

struct Place {
  double square;  // of the distance, node space
  double weights[3];
  std::uint32_t triangle;
};

struct Vec {
  double x, y, z;
};
LISSOM_INLINE Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
LISSOM_INLINE double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
LISSOM_INLINE Vec cross(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A triangle relative to the point: its first corner, and the edges from there, which depend on the corners alone and
// are exact however far the point is.
struct Triangle {
  Vec a, ab, ac;
};

// The parameter of the point on the edge start + t edge that is closest to the origin, in [0, 1].
LISSOM_INLINE double closest_on_edge(const Vec& start, const Vec& edge) {
  const double t =
      -dot(start, edge) / dot(edge, edge);  // no edge of a triangle with an area has the length 0
  return t < 0 ? 0 : t > 1 ? 1 : t;
}

LISSOM_INLINE double square_at(const Triangle& t, const double* w) {
  const Vec place = {t.a.x + w[1] * t.ab.x + w[2] * t.ac.x, t.a.y + w[1] * t.ab.y + w[2] * t.ac.y,
                     t.a.z + w[1] * t.ab.z + w[2] * t.ac.z};
  return dot(place, place);
}

// The square of the distance from the origin to a triangle, and the weights of the corners at the closest point:
// the origin's projection where that is inside, else a point on the nearest of the three edges.
LISSOM_INLINE double nearest(const Triangle& t, double* weights) {
  const Vec normal = cross(t.ab, t.ac);
  const double area = dot(normal, normal);
  const double v = -dot(cross(t.a, t.ac), normal) / area;
  const double w = -dot(cross(t.ab, t.a), normal) / area;
  const double u = 1 - v - w;
  double best = kInfinity;
  if (u >= 0 && v >= 0 && w >= 0) {
    weights[0] = u;
    weights[1] = v;
    weights[2] = w;
    best = square_at(t, weights);
  }
  // Rounding may have moved the projection to the other side of an edge: edges are tested in any case.
  const Vec b = {t.a.x + t.ab.x, t.a.y + t.ab.y, t.a.z + t.ab.z};
  const double ab = closest_on_edge(t.a, t.ab);
  const double bc = closest_on_edge(b, t.ac - t.ab);
  const double ac = closest_on_edge(t.a, t.ac);
  const double tries[3][3] = {{1 - ab, ab, 0}, {0, 1 - bc, bc}, {1 - ac, 0, ac}};
  for (int edge = 0; edge < 3; ++edge) {
    const double square = square_at(t, tries[edge]);
    if (!(square < best)) continue;
    best = square;
    for (int i = 0; i < 3; ++i) weights[i] = tries[edge][i];
  }
  return best;
}

// The dot product of the unit normal with a direction.
LISSOM_INLINE double facing(const Triangle& t, const double* direction) {
  const Vec normal = cross(t.ab, t.ac);
  const double length = __builtin_sqrt(dot(normal, normal));
  return (normal.x * direction[0] + normal.y * direction[1] + normal.z * direction[2]) / length;
}

template <class T>
LISSOM_INLINE void test_leaf(const BvhLeaf<T>& leaf, const BvhSpace& space, const double* point,
                             const double* normal, double least_cosine, Place* best) {
  for (int lane = 0; lane < kBvhLeafSize; ++lane) {
    if (leaf.triangles[lane] == kNoTriangle) continue;
    double first[3];
    double edges[2][3];
    for (int axis = 0; axis < 3; ++axis) {
      const auto corner = static_cast<double>(leaf.corners[0][axis][lane]);
      first[axis] = (corner - point[axis]) * space.scale;
      edges[0][axis] = (static_cast<double>(leaf.corners[1][axis][lane]) - corner) * space.scale;
      edges[1][axis] = (static_cast<double>(leaf.corners[2][axis][lane]) - corner) * space.scale;
    }
    const Triangle triangle = {{first[0], first[1], first[2]},
                               {edges[0][0], edges[0][1], edges[0][2]},
                               {edges[1][0], edges[1][1], edges[1][2]}};
    if (normal && facing(triangle, normal) < least_cosine) continue;
    double weights[3] = {0, 0, 0};
    const double square = nearest(triangle, weights);
    if (!(square < best->square || (square == best->square && leaf.triangles[lane] < best->triangle)))
      continue;
    *best = {square, {weights[0], weights[1], weights[2]}, leaf.triangles[lane]};
  }
}

struct Entry {
  std::uint32_t child;
  double square;  // of the distance to its box
};

// From the nearest box to the farthest, until the next box is farther than the best point.
template <class T>
LISSOM_INLINE void search(const ClosestPointKernelArgs& args, const double* point, const double* normal,
                          Place* best) {
  const auto* leaves = static_cast<const BvhLeaf<T>*>(args.leaves);
  const BvhSpace& space = *args.space;
  double at[3];
  for (int i = 0; i < 3; ++i) at[i] = (point[i] - space.center[i]) * space.scale;
  Entry stack[kBvhStackSize];
  int size = 0;
  Entry next = {0, 0.0};
  for (;;) {
    if (next.child & kBvhLeafBit) {
      test_leaf(leaves[next.child & ~kBvhLeafBit], space, point, normal, args.least_cosine, best);
    } else {
      const BvhNode& node = args.nodes[next.child];
      const Double8 zero = {};
      Double8 square = zero;
      for (int i = 0; i < 3; ++i) {
        const Double8 below = wide(node.bounds[2 * i]) - at[i];
        const Double8 above = at[i] - wide(node.bounds[2 * i + 1]);
        const Double8 gap = below > above ? below : above;
        const Double8 outside = gap > zero ? gap : zero;
        square += outside * outside;
      }
      const int bottom = size;
      for (int lane = 0; lane < kBvhWidth; ++lane) {
        // A missing child is infinitely far.
        if (!(square[lane] * (1 - kSlack) <= best->square) || square[lane] == kInfinity) continue;
        const Entry entry = {node.children[lane], square[lane]};
        int place = size++;
        for (; place > bottom && stack[place - 1].square < entry.square; --place)
          stack[place] = stack[place - 1];
        stack[place] = entry;
      }
    }
    do {
      if (size == 0) return;
      next = stack[--size];
    } while (next.square * (1 - kSlack) > best->square);
  }
}

template <class T>
void find_points(const ClosestPointKernelArgs& args) {
  for (std::size_t i = args.begin; i < args.end; ++i) {
    const double* normal = args.normals ? args.normals + 3 * i : nullptr;
    double unit[3];
    if (normal) {
      double square = 0;
      for (int k = 0; k < 3; ++k) square += normal[k] * normal[k];
      const double length = __builtin_sqrt(square);
      for (int k = 0; k < 3; ++k) unit[k] = length > 0 ? normal[k] / length : 0.0;
      normal = length > 0 ? unit : nullptr;
    }
    Place best = {kInfinity, {0, 0, 0}, kNoTriangle};
    search<T>(args, args.points + 3 * i, normal, &best);
    write_answer(args, i, __builtin_sqrt(best.square) / args.space->scale, best.triangle, best.weights);
  }
}

}  // namespace

extern const ClosestPointKernels closest_point_kernels;
const ClosestPointKernels closest_point_kernels = {find_points<float>, find_points<double>};

}  // namespace lissom::LISSOM_ISA
