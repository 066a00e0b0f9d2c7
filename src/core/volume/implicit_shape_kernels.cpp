// SPDX-License-Identifier: MIT
#include "core/volume/implicit_shape_kernels.h"

#include "core/simd/lanes.h"

// Lanes are points. Built without contraction: samples are the same on every machine.
namespace lissom::LISSOM_ISA {
namespace {

using D = Lanes<double>;
constexpr std::size_t kCount = D::kCount;
constexpr double kTiny = 1e-9;  // keeps quotients finite at the centres of ellipses

struct Vector {
  D x, y, z;
};

// Calls function(points) -> distances for kCount points at once; the last ones beside copies of the last of all.
template <class Function>
LISSOM_INLINE void each_point(const double* points, std::size_t count, double* out, Function function) {
  for (std::size_t first = 0; first < count; first += kCount) {
    const std::size_t here = count - first < kCount ? count - first : kCount;
    double places[3][kCount];
    for (std::size_t lane = 0; lane < kCount; ++lane) {
      const double* point = points + 3 * (first + (lane < here ? lane : here - 1));
      for (std::size_t axis = 0; axis < 3; ++axis) places[axis][lane] = point[axis];
    }
    const D distances =
        function(Vector{load_as<Double>(places[0]), load_as<Double>(places[1]), load_as<Double>(places[2])});
    if (here == kCount) {
      store(out + first, distances.v);
    } else {
      for (std::size_t lane = 0; lane < here; ++lane) out[first + lane] = distances.v[lane];
    }
  }
}

// y last: as NumPy sums three numbers, by which the samples were made first.
LISSOM_INLINE D length(D x, D y, D z) { return sqrt((x * x + z * z) + y * y); }

// Of first order, from the norm by which the surface is 1 and its slope.
LISSOM_INLINE D distance(D norm, D slope, D inside) {
  return select(norm < D(kTiny), inside, norm * (norm - D(1.0)) / max(slope, D(kTiny)));
}

void ellipsoid(const Ellipsoid& shape, const double* points, std::size_t count, double* out) {
  const D rx = shape.radii[0], ry = shape.radii[1], rz = shape.radii[2];
  const D inside = -min(min(rx, ry), rz);
  const Vector center = {shape.center[0], shape.center[1], shape.center[2]};
  each_point(points, count, out, [&](const Vector& point) LISSOM_LAMBDA_INLINE {
    const D x = (point.x - center.x) / rx, y = (point.y - center.y) / ry, z = (point.z - center.z) / rz;
    return distance(length(x, y, z), length(x / rx, y / ry, z / rz), inside);
  });
}

// The ellipse at places along the axis: half-widths and centre along its two directions.
LISSOM_INLINE void ellipses(const Loft& shape, D along, D* curve) {
  const double* parameter = shape.parameter;
  const std::size_t last = shape.knot_count - 1;
  const D clamped = min(max(along, D(parameter[0])), D(parameter[last]));
  Long knots = {};
  for (std::size_t i = 1; i < last; ++i) knots -= (clamped >= D(parameter[i])).bits;
  double begin[kCount], end[kCount];
  for (std::size_t lane = 0; lane < kCount; ++lane) {
    begin[lane] = parameter[knots[lane]];
    end[lane] = parameter[knots[lane] + 1];
  }
  const D from = load_as<Double>(begin), step = load_as<Double>(end) - from;
  const D u = (clamped - from) / step, u2 = u * u, u3 = u2 * u;
  const D shares[] = {D(2.0) * u3 - D(3.0) * u2 + D(1.0), (u3 - D(2.0) * u2 + u) * step,
                      D(3.0) * u2 - D(2.0) * u3, (u3 - u2) * step};
  double rows[4][kCount];
  for (std::size_t lane = 0; lane < kCount; ++lane) {
    const double* value = shape.values + 4 * knots[lane];
    const double* slope = shape.slopes + 4 * knots[lane];
    for (std::size_t c = 0; c < 4; ++c) {
      rows[c][lane] =
          ((shares[0].v[lane] * value[c] + shares[1].v[lane] * slope[c]) + shares[2].v[lane] * value[c + 4]) +
          shares[3].v[lane] * slope[c + 4];
    }
  }
  for (std::size_t c = 0; c < 4; ++c) curve[c] = load_as<Double>(rows[c]);
}

void loft(const Loft& shape, const double* points, std::size_t count, double* out) {
  each_point(points, count, out, [&](const Vector& point) LISSOM_LAMBDA_INLINE {
    const D x = point.x - D(shape.origin[0]), y = point.y - D(shape.origin[1]),
            z = point.z - D(shape.origin[2]);
    D local[3];
    for (std::size_t k = 0; k < 3; ++k)
      local[k] = x * D(shape.axes[3 * k]) + y * D(shape.axes[3 * k + 1]) + z * D(shape.axes[3 * k + 2]);
    D curve[4];
    ellipses(shape, local[0], curve);
    const D across = (local[1] - curve[2]) / curve[0], through = (local[2] - curve[3]) / curve[1];
    const D norm = sqrt(across * across + through * through);
    const D slope_across = across / curve[0], slope_through = through / curve[1];
    return distance(norm, sqrt(slope_across * slope_across + slope_through * slope_through),
                    -min(curve[0], curve[1]));
  });
}

}  // namespace

extern const ImplicitShapeKernels implicit_shape_kernels;
const ImplicitShapeKernels implicit_shape_kernels = {ellipsoid, loft};

}  // namespace lissom::LISSOM_ISA
