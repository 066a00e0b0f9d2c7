// SPDX-License-Identifier: MIT
#include "core/volume/winding_kernels.h"

#include "core/simd/lanes.h"

// Lanes are points that go through the tree together, each by the balls that it would visit alone. Built without
// contraction: what is inside does not depend on the machine.
namespace lissom::LISSOM_ISA {
namespace {

using D = Lanes<double>;
using Which = Mask<double>;

// Farther than so many radii a ball counts as a dipole.
constexpr double kFar = 2.5;
// A point so near to a triangle's plane, of the volume that its distances to the corners span, is within it.
constexpr double kInPlane = 1e-12;
constexpr double kPi = 3.14159265358979323846;

struct Vector {
  D x, y, z;
};
LISSOM_INLINE Vector subtract(const Point& a, const Vector& b) {
  return {D(a.at[0]) - b.x, D(a.at[1]) - b.y, D(a.at[2]) - b.z};
}
LISSOM_INLINE D dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
LISSOM_INLINE Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Halves of solid angles, summed as the argument of a product of complex numbers, and turns that it lost.
struct Angles {
  D re = 1.0, im = 0.0, turns = 0.0;

  LISSOM_INLINE void add(const Triangle& triangle, const Vector& point, Which which) {
    const Vector a = subtract(triangle.corners[0], point), b = subtract(triangle.corners[1], point),
                 c = subtract(triangle.corners[2], point);
    const D la = sqrt(dot(a, a)), lb = sqrt(dot(b, b)), lc = sqrt(dot(c, c));
    const D product = la * lb * lc, volume = dot(a, cross(b, c));
    const D base = product + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    const Which counts = which & (abs(volume) > kInPlane * product);
    const D next_re = re * base - im * volume, next_im = re * volume + im * base;
    const Which is_past = (im >= D(0.0)) & (volume > D(0.0)) & (next_im < D(0.0));
    const Which is_back = (im < D(0.0)) & (volume < D(0.0)) & (next_im >= D(0.0));
    turns += select(counts & is_past, D(1.0), D(0.0)) - select(counts & is_back, D(1.0), D(0.0));
    // By a power of two, which rounds nothing: products of many small numbers would leave the range of a double.
    constexpr std::int64_t kExponent = 0x7ffll << 52, kLargest = 0x7fell << 52;
    const D scale = from_bits<double>(kLargest - (bits(abs(next_re) + abs(next_im)) & kExponent));
    re = select(counts, next_re * scale, re);
    im = select(counts, next_im * scale, im);
  }
  // Over 4 pi.
  LISSOM_INLINE D sum() const { return turns + atan2(im + D(0.0), re) / D(2 * kPi); }
};

LISSOM_INLINE D numbers_of(const SurfaceTree& tree, const Vector& point) {
  struct Visit {
    std::uint32_t node;
    Which which;
  };
  Visit stack[64];  // halves: never deeper than 32
  int count = 0;
  stack[count++] = {0, point.x == point.x};
  D dipoles = 0.0;
  Angles angles;
  while (count > 0) {
    const Visit visit = stack[--count];
    const SurfaceNode& node = tree.nodes[visit.node];
    const Vector to_center = subtract(node.center, point);
    const D square = dot(to_center, to_center);
    const Which is_far = square > D(kFar * kFar * node.radius * node.radius);
    const Which far = visit.which & is_far, near = visit.which & !is_far;
    if (any(far)) {
      const Vector area = {node.area.at[0], node.area.at[1], node.area.at[2]};
      dipoles += select(far, dot(area, to_center) / (D(4 * kPi) * square * sqrt(square)), D(0.0));
    }
    if (!any(near)) continue;
    if (node.left == 0) {
      for (std::uint32_t i = node.begin; i < node.end; ++i) angles.add(tree.triangles[i], point, near);
    } else {
      stack[count++] = {node.left, near};
      stack[count++] = {node.right, near};
    }
  }
  return dipoles + angles.sum();
}

void sum(const SurfaceTree& tree, const Point* points, std::size_t count, double* numbers) {
  constexpr std::size_t kCount = D::kCount;
  for (std::size_t first = 0; first < count; first += kCount) {
    const std::size_t here = count - first < kCount ? count - first : kCount;
    double places[3][kCount], results[kCount];
    for (std::size_t lane = 0; lane < kCount; ++lane) {
      const Point& point = points[first + (lane < here ? lane : here - 1)];
      for (int axis = 0; axis < 3; ++axis) places[axis][lane] = point.at[axis];
    }
    store(results, numbers_of(tree, {load_as<Double>(places[0]), load_as<Double>(places[1]),
                                     load_as<Double>(places[2])})
                       .v);
    for (std::size_t lane = 0; lane < here; ++lane) numbers[first + lane] = results[lane];
  }
}

}  // namespace

extern const WindingKernels winding_kernels;
const WindingKernels winding_kernels = {sum};

}  // namespace lissom::LISSOM_ISA
