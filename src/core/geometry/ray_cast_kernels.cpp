// SPDX-License-Identifier: MIT
#include "core/geometry/ray_cast_kernels.h"

#include "core/simd/vector.h"

namespace lissom::LISSOM_ISA {
namespace {

using Double4 = double __attribute__((vector_size(32)));
using Long4 = std::int64_t __attribute__((vector_size(32)));
using Int8 = std::int32_t __attribute__((vector_size(32)));

constexpr double kLargest = 1.7976931348623157e308;

// One bit per lane.
LISSOM_INLINE unsigned lane_bits(Int8 mask) {
#if defined(__AVX__)
  return static_cast<unsigned>(_mm256_movemask_ps((__m256)mask));
#else
  unsigned bits = 0;
  for (int i = 0; i < 8; ++i) bits |= mask[i] ? 1u << i : 0u;
  return bits;
#endif
}
LISSOM_INLINE unsigned lane_bits(Long4 mask) {
#if defined(__AVX__)
  return static_cast<unsigned>(_mm256_movemask_pd((__m256d)mask));
#else
  unsigned bits = 0;
  for (int i = 0; i < 4; ++i) bits |= mask[i] ? 1u << i : 0u;
  return bits;
#endif
}
LISSOM_INLINE Float8 largest(Float8 a, Float8 b) { return a > b ? a : b; }
LISSOM_INLINE Float8 smallest(Float8 a, Float8 b) { return a < b ? a : b; }

LISSOM_INLINE Double4 load_lanes(const double* from) { return load_as<Double4>(from); }
LISSOM_INLINE Double4 load_lanes(const float* from) {
  return __builtin_convertvector(load_as<Float4>(from), Double4);
}

struct Hit {
  double distance;
  double weights[3];
  std::uint32_t triangle;
  std::uint32_t leaf;
  int lane;
};

// A ray for triangles, in model space: sheared so that it runs along the third axis.
struct TriangleRay {
  int axis[3];       // kx, ky, kz of the paper: kz where the direction is longest
  double origin[3];  // in the order of these
  double shear[3];   // Sx, Sy, Sz
};

// A ray for boxes, in node space, from where it enters the box of the whole tree: float32 is enough from there.
struct BoxRay {
  int near[3], far[3];  // rows of BvhNode::bounds
  float near_origin[3], far_origin[3];
  float inverse[3];
  double start;  // distance from the ray's origin, node space
  double end;    // where it leaves the tree, from `start`
};

// Boxes are widened by this, in node space: twice what rounding can do there. Origins and bounds are at most 1
// and hold 2^-25 each, a difference of them 2^-24, and the quotient by the direction and its rounding three times
// 2^-24 of at most 2, which together with the rounding of the best distance so far is below 2^-20.
constexpr double kMargin = 2e-6;
// And by this share of the distance from the origin to the tree, for rounding in float64.
constexpr double kFarMargin = 4e-15;
constexpr double kFarthest = 1e15;
// Replaces zero components of directions: too small to displace a ray, and nothing is infinite or NaN.
constexpr float kLeastDirection = 1e-18f;

// False where the ray misses the box of the whole tree.
LISSOM_INLINE bool make_box_ray(const BvhSpace& space, const double* origin, const double* direction,
                                double max_distance, BoxRay* ray) {
  double moved[3];
  double start = 0;
  double end = max_distance * space.scale;
  for (int i = 0; i < 3; ++i) {
    const double d = direction[i];
    moved[i] = (origin[i] - space.center[i]) * space.scale;
    const double far = __builtin_fabs(moved[i]);
    if (!(far < kFarthest)) return false;
    const double margin = kMargin + kFarMargin * far;
    const double low = space.low[i] - margin - moved[i];
    const double high = space.high[i] + margin - moved[i];
    if (d == 0) {
      if (low > 0 || high < 0) return false;
      continue;
    }
    const double enters = (d > 0 ? low : high) / d;
    const double leaves = (d > 0 ? high : low) / d;
    start = enters > start ? enters : start;
    end = leaves < end ? leaves : end;
  }
  if (!(start <= end) || !(start < kFarthest)) return false;
  ray->start = start;
  ray->end = end - start;
  for (int i = 0; i < 3; ++i) {
    const double d = direction[i];
    const double margin = kMargin + kFarMargin * (start + __builtin_fabs(moved[i]));
    const double at = moved[i] + start * d;
    const bool up = d >= 0;
    ray->near[i] = 2 * i + (up ? 0 : 1);
    ray->far[i] = 2 * i + (up ? 1 : 0);
    ray->near_origin[i] = static_cast<float>(up ? at + margin : at - margin);
    ray->far_origin[i] = static_cast<float>(up ? at - margin : at + margin);
    const float steep = static_cast<float>(d);
    const bool flat = steep < kLeastDirection && steep > -kLeastDirection;
    ray->inverse[i] = 1.0f / (flat ? (up ? kLeastDirection : -kLeastDirection) : steep);
  }
  return true;
}

LISSOM_INLINE TriangleRay make_triangle_ray(const double* origin, const double* direction) {
  const double x = __builtin_fabs(direction[0]);
  const double y = __builtin_fabs(direction[1]);
  const double z = __builtin_fabs(direction[2]);
  TriangleRay ray;
  const int kz = x > y ? (x > z ? 0 : 2) : (y > z ? 1 : 2);
  const int next = kz == 2 ? 0 : kz + 1;
  const int last = 3 - kz - next;
  const bool flips = direction[kz] < 0;  // then x and y change places, which keeps the orientation
  ray.axis[0] = flips ? last : next;
  ray.axis[1] = flips ? next : last;
  ray.axis[2] = kz;
  ray.shear[0] = direction[ray.axis[0]] / direction[kz];
  ray.shear[1] = direction[ray.axis[1]] / direction[kz];
  ray.shear[2] = 1.0 / direction[kz];
  for (int i = 0; i < 3; ++i) ray.origin[i] = origin[ray.axis[i]];
  return ray;
}

// Tests the triangles of a leaf; true where one of them is nearer than `hit`.
template <class T>
LISSOM_INLINE bool test_leaf(const BvhLeaf<T>& leaf, std::uint32_t index, const TriangleRay& ray,
                             bool front_only, Hit* hit) {
  Double4 x[3];
  Double4 y[3];
  Double4 z[3];
  for (int corner = 0; corner < 3; ++corner) {
    const auto& axes = leaf.corners[corner];
    z[corner] = load_lanes(axes[ray.axis[2]]) - ray.origin[2];
    x[corner] = (load_lanes(axes[ray.axis[0]]) - ray.origin[0]) - ray.shear[0] * z[corner];
    y[corner] = (load_lanes(axes[ray.axis[1]]) - ray.origin[1]) - ray.shear[1] * z[corner];
  }
  // U, V, W of the paper, of corners A, B, C: products and differences must not fuse, or the two triangles at an
  // edge would round them differently.
  const Double4 u = x[2] * y[1] - y[2] * x[1];
  const Double4 v = x[0] * y[2] - y[0] * x[2];
  const Double4 w = x[1] * y[0] - y[1] * x[0];
  const Double4 zero = {};
  const Long4 all_front = (Long4)(u >= zero) & (Long4)(v >= zero) & (Long4)(w >= zero);
  const Long4 all_back = (Long4)(u <= zero) & (Long4)(v <= zero) & (Long4)(w <= zero);
  const Long4 inside = front_only ? all_front : all_front | all_back;
  if (lane_bits(inside) == 0) return false;
  const Double4 det = u + v + w;
  const Double4 scaled = ray.shear[2] * (u * z[0] + v * z[1] + w * z[2]);
  const Double4 t = scaled / det;  // NaN where det is zero: then no comparison holds
  unsigned bits = lane_bits(inside & (Long4)(det != zero) & (Long4)(t >= zero) & (Long4)(t <= hit->distance));
  bool found = false;
  for (; bits; bits &= bits - 1) {
    const int lane = __builtin_ctz(bits);
    const bool nearer = t[lane] < hit->distance;
    if (!nearer && !(t[lane] == hit->distance && leaf.triangles[lane] < hit->triangle)) continue;
    *hit = {t[lane],
            {u[lane] / det[lane], v[lane] / det[lane], w[lane] / det[lane]},
            leaf.triangles[lane],
            index,
            lane};
    found = true;
  }
  return found;
}

struct Entry {
  std::uint32_t child;
  float near;
};

// A ray on its way through the tree.
struct Flight {
  BoxRay boxes;
  TriangleRay ray;
  Hit hit;
  double direction[3];  // unit
  std::size_t index;    // of the ray
  Entry next;           // to visit
  float end;            // of the best hit so far
  int size;             // of the stack
  Entry stack[kBvhStackSize];
};

template <class T>
LISSOM_INLINE void prefetch(const RayCastKernelArgs& args, const BvhLeaf<T>* leaves, std::uint32_t child) {
  const bool is_leaf = (child & kBvhLeafBit) != 0;
  const char* const at = is_leaf ? reinterpret_cast<const char*>(leaves + (child & ~kBvhLeafBit))
                                 : reinterpret_cast<const char*>(args.nodes + child);
  constexpr std::size_t kLine = 64;
  for (std::size_t byte = 0; byte < sizeof(BvhNode); byte += kLine) __builtin_prefetch(at + byte);
}

// Visits a node or a leaf, from the nearest box to the farthest; false when the next box is farther than the best hit.
template <class T>
LISSOM_INLINE bool visit(const RayCastKernelArgs& args, Flight& flight) {
  const auto* leaves = static_cast<const BvhLeaf<T>*>(args.leaves);
  const BoxRay& boxes = flight.boxes;
  Entry next = flight.next;
  int size = flight.size;
  if (next.child & kBvhLeafBit) {
    const std::uint32_t index = next.child & ~kBvhLeafBit;
    if (test_leaf(leaves[index], index, flight.ray, args.front_only, &flight.hit)) {
      const double reach = flight.hit.distance * args.space->scale - boxes.start;
      flight.end = static_cast<float>(reach);
    }
  } else {
    const BvhNode& node = args.nodes[next.child];
    const Float8 zero = {};
    Float8 near = zero;
    Float8 far = zero + flight.end;
    for (int i = 0; i < 3; ++i) {
      near = largest(near,
                     (load_as<Float8>(node.bounds[boxes.near[i]]) - boxes.near_origin[i]) * boxes.inverse[i]);
      far = smallest(far,
                     (load_as<Float8>(node.bounds[boxes.far[i]]) - boxes.far_origin[i]) * boxes.inverse[i]);
    }
    unsigned bits = lane_bits((Int8)(near <= far));
    if (bits) {
      // The nearest is next; the others go onto the stack, the farthest first.
      int lane = __builtin_ctz(bits);
      bits &= bits - 1;
      next = {node.children[lane], near[lane]};
      const int bottom = size;
      for (; bits; bits &= bits - 1) {
        lane = __builtin_ctz(bits);
        Entry entry = {node.children[lane], near[lane]};
        if (entry.near < next.near) {
          const Entry nearer = entry;
          entry = next;
          next = nearer;
        }
        int place = size++;
        for (; place > bottom && flight.stack[place - 1].near < entry.near; --place)
          flight.stack[place] = flight.stack[place - 1];
        flight.stack[place] = entry;
      }
      prefetch(args, leaves, next.child);
      flight.next = next;
      flight.size = size;
      return true;
    }
  }
  do {
    if (size == 0) return false;
    next = flight.stack[--size];
  } while (next.near > flight.end);
  prefetch(args, leaves, next.child);
  flight.next = next;
  flight.size = size;
  return true;
}

// The unit normal of a triangle, against the direction.
template <class T>
LISSOM_INLINE void make_normal(const BvhLeaf<T>& leaf, int lane, const double* direction, double* normal) {
  double edges[2][3];
  double longest[2] = {0, 0};
  for (int edge = 0; edge < 2; ++edge) {
    for (int i = 0; i < 3; ++i) {
      const double component = static_cast<double>(leaf.corners[edge + 1][i][lane]) -
                               static_cast<double>(leaf.corners[0][i][lane]);
      edges[edge][i] = component;
      longest[edge] = __builtin_fabs(component) > longest[edge] ? __builtin_fabs(component) : longest[edge];
    }
    // A triangle with an area has no edge of length zero. At this size no product under- or overflows.
    for (int i = 0; i < 3; ++i) edges[edge][i] /= longest[edge];
  }
  double n[3];
  double size = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = i == 2 ? 0 : i + 1;
    const int k = 3 - i - j;
    n[i] = edges[0][j] * edges[1][k] - edges[0][k] * edges[1][j];
    size = __builtin_fabs(n[i]) > size ? __builtin_fabs(n[i]) : size;
  }
  double square = 0;
  double n_dot_direction = 0;
  for (int i = 0; i < 3; ++i) {
    n[i] /= size;
    square += n[i] * n[i];
    n_dot_direction += n[i] * direction[i];
  }
  const double length = n_dot_direction > 0 ? -__builtin_sqrt(square) : __builtin_sqrt(square);
  for (int i = 0; i < 3; ++i) normal[i] = n[i] / length + 0.0;  // no -0.0
}

LISSOM_INLINE void make_unit(const double* vector, double* unit) {
  double largest_part = 0;
  for (int i = 0; i < 3; ++i) {
    const double part = __builtin_fabs(vector[i]);
    largest_part = part > largest_part ? part : largest_part;
  }
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    unit[i] = vector[i] / largest_part;  // so that no square under- or overflows
    square += unit[i] * unit[i];
  }
  const double length = __builtin_sqrt(square);
  for (int i = 0; i < 3; ++i) unit[i] /= length;
}

template <class T>
LISSOM_INLINE void answer(const RayCastKernelArgs& args, const Flight& flight) {
  const Hit& hit = flight.hit;
  write_answer(args, flight.index, hit.distance, hit.triangle, hit.weights);
  if (!args.normals) return;
  double* const normal = args.normals + 3 * flight.index;
  if (hit.triangle != kNoTriangle) {
    make_normal(static_cast<const BvhLeaf<T>*>(args.leaves)[hit.leaf], hit.lane, flight.direction, normal);
  } else {
    normal[0] = normal[1] = normal[2] = 0;
  }
}

// The next ray that enters the tree, from *index on; those before it hit nothing. False where there is none.
template <class T>
LISSOM_INLINE bool take_off(const RayCastKernelArgs& args, std::size_t* index, Flight& flight) {
  while (*index < args.end) {
    flight.index = (*index)++;
    const double* const origin = args.origins + 3 * flight.index;
    make_unit(args.directions + 3 * flight.index, flight.direction);
    flight.hit = {args.max_distance < kLargest ? args.max_distance : kLargest, {0, 0, 0}, kNoTriangle, 0, 0};
    if (make_box_ray(*args.space, origin, flight.direction, args.max_distance, &flight.boxes)) {
      flight.ray = make_triangle_ray(origin, flight.direction);
      flight.next = {0, 0.0f};
      flight.end = static_cast<float>(flight.boxes.end);
      flight.size = 0;
      return true;
    }
    answer<T>(args, flight);
  }
  return false;
}

// A few rays by turns: while one waits for a node or a leaf from memory, or for what a step of it needs from the one before,
// the others go on. Each takes the way it takes alone. With fewer, rays in any order into a large tree wait; more gain
// nothing where they are ordered.
template <class T>
void cast_rays(const RayCastKernelArgs& args) {
  constexpr int kFlights = 6;
  Flight flights[kFlights];
  Flight* in_air[kFlights];
  std::size_t index = args.begin;
  int count = 0;
  for (; count < kFlights && take_off<T>(args, &index, flights[count]); ++count)
    in_air[count] = &flights[count];
  while (count > 0) {
    for (int i = 0; i < count; ++i) {
      if (visit<T>(args, *in_air[i])) continue;
      answer<T>(args, *in_air[i]);
      if (!take_off<T>(args, &index, *in_air[i])) in_air[i--] = in_air[--count];
    }
  }
}

}  // namespace

extern const RayCastKernels ray_cast_kernels;
const RayCastKernels ray_cast_kernels = {cast_rays<float>, cast_rays<double>};

}  // namespace lissom::LISSOM_ISA
