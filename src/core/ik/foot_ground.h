// SPDX-License-Identifier: MIT
#pragma once

// Rays straight down onto a height field, and what is fitted to where they hit. For *_kernels.cpp files only.

#include "core/ik/foot_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

struct FootHit {
  L height, rise_x, rise_z;  // -inf and 0 where nothing is hit
};

struct Cells {
  Lanes<double>::Bits cell;
  L edge, width;
};

LISSOM_INLINE L gathered(const double* from, Lanes<double>::Bits at) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  return (Double)_mm512_mask_i64gather_pd(_mm512_setzero_pd(), 0xff, (__m512i)at, from, 8);
#endif
  L value(0);
  for (int lane = 0; lane < L::kCount; ++lane) value.v[lane] = from[at[lane]];
  return value;
}

LISSOM_INLINE Cells cells_of(L place, const double* edges, std::int64_t count) {
  const double width = (edges[count - 1] - edges[0]) / static_cast<double>(count - 1);
  const L guess = clip((place - edges[0]) / width, L(0), L(static_cast<double>(count - 2)));
  // Truncated: adding 1.5 2^52 rounds, which may be one too many.
  constexpr double kRound = 6755399441055744.0;
  const L rounded = guess + kRound, near = rounded - kRound;
  const auto bias = bits(L(kRound));
  auto cell = bits(rounded) - bias;
  cell = cell + (near > guess).bits;  // -1 where it is
  const L first = gathered(edges, cell), next = gathered(edges + 1, cell);
  return {cell, first, next - first};
}

// Of a ray from `top` at places x and z; as HeightField._cast_vertical.
LISSOM_INLINE FootHit ground_below(const FootField& field, L x, L z, L top) {
  const M inside = (x >= field.xs[0]) & (x <= field.xs[field.columns - 1]) & (z >= field.zs[0]) &
                   (z <= field.zs[field.rows - 1]);
  const Cells column = cells_of(select(inside, x, L(field.xs[0])), field.xs, field.columns);
  const Cells row = cells_of(select(inside, z, L(field.zs[0])), field.zs, field.rows);
  const L u = clip((x - column.edge) / column.width, L(0), L(1));
  const L v = clip((z - row.edge) / row.width, L(0), L(1));
  const auto at = row.cell * field.columns + column.cell;
  const L h00 = gathered(field.heights, at), h01 = gathered(field.heights + 1, at);
  const L h10 = gathered(field.heights + field.columns, at),
          h11 = gathered(field.heights + field.columns + 1, at);
  const M is_first = u >= v;
  const L rise_x = select(is_first, h01 - h00, h11 - h10), rise_z = select(is_first, h11 - h01, h10 - h00);
  const L height = field.base + (h00 + (u * rise_x + v * rise_z));
  const L distance = top - height;
  const M hit = inside & (distance >= L(0));
  return {select(hit, top - distance, L(-kInfinity)), select(hit, rise_x / column.width, L(0)),
          select(hit, rise_z / row.width, L(0))};
}

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
