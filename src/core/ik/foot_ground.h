// SPDX-License-Identifier: MIT
#pragma once

// Rays straight down onto a height field, and what is fitted to where they hit. For *_kernels.cpp files only.

#include "core/ik/foot_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

struct FootHit {
  L height, rise_x, rise_z;  // -inf and 0 where nothing is hit
};

// One axis of a grid: which cell a place is in, and where in it.
struct Cells {
  L cell;       // a whole number
  L fraction;   // 0 to 1
  L per_width;  // 1 / width of the cell
};
class GridAxis {
 public:
  GridAxis(const FootField::Axis& axis, std::int64_t count)
      : first_(axis.first), step_(axis.step), per_step_(1 / axis.step) {
    last_ = first_ + step_ * static_cast<double>(count - 1);
    width_ = (last_ - first_) / static_cast<double>(count - 1), last_cell_ = static_cast<double>(count - 2);
    // Far from the origin steps are rounding: then cells are as wide as their corners say.
    constexpr double kFar = 1e6;  // steps
    is_even_ = __builtin_fabs(first_) + __builtin_fabs(last_) < kFar * step_;
  }
  LISSOM_INLINE M has(L place) const { return (place >= L(first_)) & (place <= L(last_)); }
  LISSOM_INLINE L first() const { return L(first_); }
  LISSOM_INLINE Cells cells_of(L place) const {
    const L guess = clip((place - first_) / L(width_), L(0), L(last_cell_));
    // Truncated: adding 1.5 2^52 rounds, which may be one too many.
    constexpr double kRound = 6755399441055744.0;
    const L near = (guess + kRound) - kRound, cell = near - select(near > guess, L(1), L(0));
    const L edge = first_ + step_ * cell;
    const L per_width =
        __builtin_expect(is_even_, true) ? L(per_step_) : 1 / (first_ + step_ * (cell + 1) - edge);
    return {cell, clip((place - edge) * per_width, L(0), L(1)), per_width};
  }

 private:
  double first_, step_, per_step_, last_, width_, last_cell_;
  bool is_even_;
};

// Rays straight down onto a field.
class FieldRays {
 public:
  explicit FieldRays(const FootField& field)
      : field_(field), x_(field.x, field.columns), z_(field.z, field.rows) {}

  // From `top` at places x and z; as HeightField._cast_vertical.
  LISSOM_INLINE FootHit below(L x, L z, L top) const {
    const M inside = x_.has(x) & z_.has(z);
    const Cells column = x_.cells_of(select(inside, x, x_.first()));
    const Cells row = z_.cells_of(select(inside, z, z_.first()));
    const L &u = column.fraction, &v = row.fraction;
    // Whole numbers below 2^52 are the low bits of their sum with it.
    constexpr double kWhole = 4503599627370496.0;
    const auto at =
        bits(row.cell * static_cast<double>(field_.columns) + column.cell + kWhole) - bits(L(kWhole));
    alignas(64) std::int64_t places[L::kCount];
    std::memcpy(places, &at, sizeof places);
    const double* const heights = field_.heights;
    const std::int64_t next = field_.columns;
    L near[2], far[2];  // pairs of neighbours: half as many loads as one by one
    load_group([&](int lane) LISSOM_LAMBDA_INLINE { return heights + places[lane]; }, 0, near);
    load_group([&](int lane) LISSOM_LAMBDA_INLINE { return heights + places[lane] + next; }, 0, far);
    const L &h00 = near[0], &h01 = near[1], &h10 = far[0], &h11 = far[1];
    const M is_first = u >= v;
    const L rise_x = select(is_first, h01 - h00, h11 - h10), rise_z = select(is_first, h11 - h01, h10 - h00);
    const L height = field_.base + (h00 + (u * rise_x + v * rise_z));
    const L distance = top - height;
    const M hit = inside & (distance >= L(0));
    return {select(hit, top - distance, L(-kInfinity)), select(hit, rise_x * column.per_width, L(0)),
            select(hit, rise_z * row.per_width, L(0))};
  }

 private:
  const FootField& field_;
  GridAxis x_, z_;
};

// The up component of a normal.
LISSOM_INLINE L normal_up(L rise_x, L rise_z) { return 1 / sqrt(1 + rise_x * rise_x + rise_z * rise_z); }

// Heights over the animation's ground.
LISSOM_INLINE L over_floor(const FootLanes& f, L x, L z, L height) {
  const V& n = f.floor_normal;
  const L slope = (n.x * (x - f.floor_point.x) + n.z * (z - f.floor_point.z)) / max(n.y, L(kSteepest));
  return height - (f.floor_point.y - slope);
}

// Sorts numbers, of which none is NaN, by odd-even merging (Batcher).
template <int kCount>
LISSOM_NOINLINE void sort_lanes(L* x) {
  for (int p = 1; p < kCount; p *= 2) {
    for (int k = p; k >= 1; k /= 2) {
      for (int j = k % p; j + k < kCount; j += 2 * k) {
        for (int i = 0; i < k && i + j + k < kCount; ++i) {
          if ((i + j) / (2 * p) != (i + j + k) / (2 * p)) continue;
          const L low = min(x[i + j], x[i + j + k]), high = max(x[i + j], x[i + j + k]);
          x[i + j] = low, x[i + j + k] = high;
        }
      }
    }
  }
}

// Takes out those farther than `band` from the median: they become -inf.
template <int kCount>
LISSOM_NOINLINE void keep_near_median(L* heights, double band) {
  L ordered[kCount], count(0);
  for (int i = 0; i < kCount; ++i) {
    const M finite = is_finite(heights[i]);
    ordered[i] = select(finite, heights[i], L(kInfinity));
    count += select(finite, L(1), L(0));
  }
  sort_lanes<kCount>(ordered);
  L median = ordered[0];
  for (int i = 1; i < kCount; ++i) median = select(count > L(2.0 * i), ordered[i], median);
  for (int i = 0; i < kCount; ++i) {
    heights[i] =
        select(is_finite(heights[i]) & (abs(heights[i] - median) <= L(band)), heights[i], L(-kInfinity));
  }
}

// The plane through finite heights at places (x, z): its height where both are 0, -inf over nothing, and its rises.
struct FittedPlane {
  L center, rise_x, rise_z;
};
template <int kCount>
LISSOM_NOINLINE FittedPlane fitted_plane(const L* heights, const double* x, const double* z) {
  constexpr double kLeast = 1e-3;
  L weight(0), x_sum(0), z_sum(0), sum(0);
  double size = 0;
  for (int i = 0; i < kCount; ++i) {
    const M finite = is_finite(heights[i]);
    weight += select(finite, L(1), L(0));
    x_sum += select(finite, L(x[i]), L(0));
    z_sum += select(finite, L(z[i]), L(0));
    sum += select(finite, heights[i], L(0));
  }
  double xs = 0, zs = 0;
  for (int i = 0; i < kCount; ++i) xs += x[i] * x[i], zs += z[i] * z[i];
  size = xs + zs;
  const L whole = max(weight, L(1));
  const L x_mean = x_sum / whole, z_mean = z_sum / whole, mean = sum / whole;
  L xx(0), xz(0), zz(0), xh(0), zh(0);
  for (int i = 0; i < kCount; ++i) {
    const M finite = is_finite(heights[i]);
    const L dx = select(finite, L(x[i]) - x_mean, L(0)), dz = select(finite, L(z[i]) - z_mean, L(0));
    const L over = select(finite, heights[i] - mean, L(0));
    xx += dx * dx, xz += dx * dz, zz += dz * dz, xh += over * dx, zh += over * dz;
  }
  const L determinant = xx * zz - xz * xz;
  const M is_plane = determinant > L((kLeast * size) * (kLeast * size));
  const M is_line = (!is_plane) & (xx > L(kLeast * size));
  const L safe = select(is_plane, determinant, L(1));
  const L rise_x =
      select(is_plane, (zz * xh - xz * zh) / safe, select(is_line, xh / select(is_line, xx, L(1)), L(0)));
  const L rise_z = select(is_plane, (xx * zh - xz * xh) / safe, L(0));
  const L center = mean - rise_x * x_mean - rise_z * z_mean;
  return {select(weight > L(0), center, L(-kInfinity)), rise_x, rise_z};
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
