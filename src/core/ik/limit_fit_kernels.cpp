// SPDX-License-Identifier: MIT
#include "core/ik/limit_fit_kernels.h"

#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<double>;
constexpr std::size_t kLanes = L::kCount, kParts = kFitBlock / kLanes;
static_assert(kFitBlock % kLanes == 0);

LISSOM_INLINE L load_lanes(const double* from) { return load_as<Double>(from); }

// One sum or maximum for each point of a block.
struct Block {
  L parts[kParts];
  LISSOM_INLINE Block() {
    for (L& part : parts) part = L(0.0);
  }
  LISSOM_INLINE void numbers(double* out) const {
    for (std::size_t part = 0; part < kParts; ++part) store(out + part * kLanes, parts[part].v);
  }
  double sum() const {
    double n[kFitBlock];
    numbers(n);
    return ((n[0] + n[4]) + (n[1] + n[5])) + ((n[2] + n[6]) + (n[3] + n[7]));
  }
  double largest() const {
    double n[kFitBlock];
    numbers(n);
    double result = n[0];
    for (double number : n) result = number > result ? number : result;
    return result;
  }
};

double measure_off(const FitPoints& points, const double* axis) {
  const L ax(axis[0]), ay(axis[1]), az(axis[2]);
  Block largest;
  for (std::size_t i = 0; i < points.count; i += kFitBlock) {
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::size_t at = i + part * kLanes;
      const L x = load_lanes(points.x + at), y = load_lanes(points.y + at), z = load_lanes(points.z + at);
      // The length of the product with the axis: exact near the axis, too.
      const L u = y * az - z * ay, v = z * ax - x * az, w = x * ay - y * ax;
      const L off = sqrt(u * u + v * v + w * w);
      store(points.off + at, off.v);
      largest.parts[part] = max(off, largest.parts[part]);
    }
  }
  return largest.largest();
}

double weigh_by_off(const FitPoints& points, double added, double scale, FitSums* sums) {
  Block total, xx, yy, zz, xy, xz, yz, largest;
  for (std::size_t i = 0; i < points.count; i += kFitBlock) {
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::size_t at = i + part * kLanes;
      const L x = load_lanes(points.x + at), y = load_lanes(points.y + at), z = load_lanes(points.z + at);
      const L weight =
          load_lanes(points.weights + at) * ((load_lanes(points.off + at) + L(added)) * L(scale));
      store(points.weights + at, weight.v);
      largest.parts[part] = max(weight, largest.parts[part]);
      const L wx = weight * x, wy = weight * y;
      total.parts[part] += weight;
      xx.parts[part] += wx * x;
      xy.parts[part] += wx * y;
      xz.parts[part] += wx * z;
      yy.parts[part] += wy * y;
      yz.parts[part] += wy * z;
      zz.parts[part] += weight * z * z;
    }
  }
  *sums = {total.sum(), xx.sum(), yy.sum(), zz.sum(), xy.sum(), xz.sum(), yz.sum()};
  return largest.largest();
}

double weigh_by_form(const FitPoints& points, double xx, double xy, double yy, FitSums* sums) {
  Block total, sum_xx, sum_yy, sum_xy, largest;
  for (std::size_t i = 0; i < points.count; i += kFitBlock) {
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::size_t at = i + part * kLanes;
      const L x = load_lanes(points.x + at), y = load_lanes(points.y + at);
      const L value = (L(xx) * (x * x) + L(xy) * (x * y)) + L(yy) * (y * y);
      const L weight = load_lanes(points.weights + at) * value;
      store(points.weights + at, weight.v);
      largest.parts[part] = max(value, largest.parts[part]);
      const L wx = weight * x;
      total.parts[part] += weight;
      sum_xx.parts[part] += wx * x;
      sum_xy.parts[part] += wx * y;
      sum_yy.parts[part] += weight * y * y;
    }
  }
  *sums = {total.sum(), sum_xx.sum(), sum_yy.sum(), 0, sum_xy.sum(), 0, 0};
  return largest.largest();
}

}  // namespace

extern const LimitFitKernels limit_fit_kernels;
const LimitFitKernels limit_fit_kernels = {measure_off, weigh_by_off, weigh_by_form};

}  // namespace lissom::LISSOM_ISA
