// SPDX-License-Identifier: MIT
#include "core/animation/uniform_kernels.h"

#include "core/math/conventions.h"
#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;

// The poses of kWidth joints are this many vectors.
constexpr int kVectors = kTrsScalars;

// 1 / sqrt(1 - x) for x in [0, 1/2]: minimax, error below 6e-8 of it, and exactly 1 at 0.
LISSOM_INLINE L reciprocal_length(L x) {
  constexpr float kLength[] = {0.49998984f, 0.3756339f,   0.29912248f, 0.40799183f,
                               -0.4860585f, 2.461052657f, -3.4677112f, 2.87927604f};
  return 1 + x * polynomial(kLength, x);
}

// Of the numbers in `kVector` of kWidth poses: the lane of its joint where it belongs to a rotation, else one of
// the lanes of the second vector.
template <int kVector>
constexpr int joint_lane(int lane) {
  const int number = kVector * kWidth + lane, part = number % kTrsScalars;
  return part >= 3 && part < 7 ? number / kTrsScalars : kWidth;
}

// A number for each joint, spread over its rotation; 1 elsewhere.
template <int kVector>
LISSOM_INLINE Float spread(L joints) {
  const Float ones = L(1).v;
#define LISSOM_LANE(lane) joint_lane<kVector>(lane)
#define LISSOM_LANES(lane) \
  LISSOM_LANE(lane), LISSOM_LANE(lane + 1), LISSOM_LANE(lane + 2), LISSOM_LANE(lane + 3)
#if LISSOM_WIDTH == 16
  return __builtin_shufflevector(joints.v, ones, LISSOM_LANES(0), LISSOM_LANES(4), LISSOM_LANES(8),
                                 LISSOM_LANES(12));
#elif LISSOM_WIDTH == 8
  return __builtin_shufflevector(joints.v, ones, LISSOM_LANES(0), LISSOM_LANES(4));
#else
  return __builtin_shufflevector(joints.v, ones, LISSOM_LANES(0));
#endif
#undef LISSOM_LANES
#undef LISSOM_LANE
}

// Both frames of kWidth joints, or of the remaining ones.
struct Block {
  const float *a, *b;
  L fraction;
  L lengths;  // reciprocal, of the rotations between a and b
  float* pose;
};

template <int kVector>
LISSOM_INLINE L between(const Block& block) {
  const L a = load(block.a + kVector * kWidth), b = load(block.b + kVector * kWidth);
  return (a + block.fraction * (b - a)) * spread<kVector>(block.lengths);
}

template <int kVector>
LISSOM_INLINE void write_whole(const Block& block) {
  if constexpr (kVector < kVectors) {
    store(block.pose + kVector * kWidth, between<kVector>(block).v);
    write_whole<kVector + 1>(block);
  }
}

// The first `count` lanes, an even number: poses are ten floats each.
LISSOM_INLINE void store_part(float* to, Float value, std::size_t count) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), (__m512)value);
#else
  float lanes[kWidth];
  store(lanes, value);
  for (std::size_t i = 0; i < count; i += 2) std::memcpy(to + i, lanes + i, 2 * sizeof(float));
#endif
}

// The first `count` floats, fewer than of a whole block.
template <int kVector>
LISSOM_INLINE void write_part(const Block& block, std::size_t count) {
  if constexpr (kVector < kVectors) {
    if (count >= kWidth) {
      store(block.pose + kVector * kWidth, between<kVector>(block).v);
      write_part<kVector + 1>(block, count - kWidth);
    } else if (count) {
      store_part(block.pose + kVector * kWidth, between<kVector>(block).v, count);
    }
  }
}

// A pose is a row of numbers, all interpolated alike: (1-t) a + t b. Only its rotations are then
// normalised. Where a and b are unit, |(1-t) a + t b|^2 = 1 - t (1-t) |a - b|^2, so the length follows from
// one number per joint, for kWidth joints at once, and no quaternion is extracted from its row.
void sample(const FrameShape& shape, const FramePoint<float>* points, std::size_t count, float* poses) {
  const std::size_t pose_size = shape.joint_count * kTrsScalars;
  const std::size_t whole = shape.joint_count / kWidth * kWidth;
  const std::size_t rest = (shape.joint_count - whole) * kTrsScalars;
  for (std::size_t i = 0; i < count; ++i) {
    const L t = points[i].fraction, weight = t * (1 - t);
    const float *a = points[i].frame, *distances = a + shape.distances;
    float* pose = poses + i * pose_size;
    for (std::size_t joint = 0; joint < whole; joint += kWidth) {
      const float* from = a + joint * kTrsScalars;
      write_whole<0>({from, from + shape.stride, t, reciprocal_length(weight * load(distances + joint)),
                      pose + joint * kTrsScalars});
    }
    if (rest) {
      const float* from = a + whole * kTrsScalars;
      write_part<0>({from, from + shape.stride, t, reciprocal_length(weight * load(distances + whole)),
                     pose + whole * kTrsScalars},
                    rest);
    }
  }
}

}  // namespace

extern const UniformKernels uniform_kernels;
const UniformKernels uniform_kernels = {&sample};

}  // namespace lissom::LISSOM_ISA
