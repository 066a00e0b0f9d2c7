// SPDX-License-Identifier: MIT
#include "core/bake/error_kernels.h"

#include "core/simd/lanes.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;

// Lowest and highest corner; NaN is ignored.
struct Box {
  Vec3<L> low, high;

  LISSOM_INLINE void widen(const Vec3<L>& p) {
    low = {min(p.x, low.x), min(p.y, low.y), min(p.z, low.z)};
    high = {max(p.x, high.x), max(p.y, high.y), max(p.z, high.z)};
  }

  LISSOM_INLINE void widen(float* corner_low, float* corner_high) const {
    const L lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
    for (int axis = 0; axis < 3; ++axis) {
      for (int i = 0; i < kWidth; ++i) {
        const float least = lows[axis].v[i], most = highs[axis].v[i];
        corner_low[axis] = least < corner_low[axis] ? least : corner_low[axis];
        corner_high[axis] = most > corner_high[axis] ? most : corner_high[axis];
      }
    }
  }
};

LISSOM_INLINE L squared_distance(const Vec3<L>& expected, const Vec3<L>& actual) {
  const L x = actual.x - expected.x, y = actual.y - expected.y, z = actual.z - expected.z;
  return x * x + y * y + z * z;
}

// The last vertices of a block, fewer than a vector holds, followed by the first of them again.
LISSOM_INLINE Vec3<L> load_rest(const float* from, std::size_t count) {
  float packed[3 * kWidth];
  for (std::size_t i = 0; i < 3 * kWidth; ++i) packed[i] = from[i < 3 * count ? i : i % 3];
  return load_packed3(packed);
}

void measure(const ErrorKernelArgs& args) {
  const std::size_t count = args.vertex_count, whole = count / kWidth * kWidth;
  alignas(64) float squared[kErrorBlock];
  alignas(64) std::uint32_t bins[kErrorBlock];
  std::uint32_t least = *args.least;
  Box box = {{__builtin_inff(), __builtin_inff(), __builtin_inff()},
             {-__builtin_inff(), -__builtin_inff(), -__builtin_inff()}};
  for (std::size_t sample = 0; sample < args.sample_count; ++sample) {
    const float* const expected = args.expected + sample * args.sample_stride;
    const float* const actual = args.actual + sample * args.sample_stride;
    for (std::size_t v = 0; v < whole; v += kWidth) {
      const Vec3<L> moved = load_packed3(actual + 3 * v);
      box.widen(moved);
      store(squared + v, squared_distance(load_packed3(expected + 3 * v), moved).v);
    }
    if (whole < count) {
      const Vec3<L> moved = load_rest(actual + 3 * whole, count - whole);
      box.widen(moved);
      store(squared + whole, squared_distance(load_rest(expected + 3 * whole, count - whole), moved).v);
    }
    const auto group = static_cast<std::size_t>(args.groups[sample]);
    double* const sums = args.vertex_sums + group * args.group_stride;
    float* const highest = args.vertex_squares + group * args.group_stride;
    std::uint32_t* const even_counts = args.counts + group * 2 * kDistanceBinCount;
    std::uint32_t* const odd_counts = even_counts + kDistanceBinCount;
    for (std::size_t v = 0; v < count; ++v) sums[v] += static_cast<double>(squared[v]);
    std::uint32_t peak = 0;
    for (std::size_t v = 0; v < count; ++v) {
      const std::uint32_t square = __builtin_bit_cast(std::uint32_t, squared[v]) & 0x7FFFFFFFu;
      const std::uint32_t before = __builtin_bit_cast(std::uint32_t, highest[v]);
      highest[v] = __builtin_bit_cast(float, square > before ? square : before);
      peak = square > peak ? square : peak;
      least = square - 1 < least ? square - 1 : least;
      bins[v] = square >> kDistanceBinShift;
    }
    std::uint32_t& sample_peak = args.sample_peaks[sample];
    sample_peak = peak > sample_peak ? peak : sample_peak;
    // Neighbours are often in one bin: in one table each would wait for the count of the one before.
    std::size_t v = 0;
    for (; v + 1 < count; v += 2) {
      even_counts[bins[v]] += args.copies[v];
      odd_counts[bins[v + 1]] += args.copies[v + 1];
    }
    if (v < count) even_counts[bins[v]] += args.copies[v];
  }
  *args.least = least;
  box.widen(args.low, args.high);
}

}  // namespace

extern const ErrorKernels error_kernels;
const ErrorKernels error_kernels = {measure};

}  // namespace lissom::LISSOM_ISA
