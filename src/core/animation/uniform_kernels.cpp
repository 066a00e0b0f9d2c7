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

// ---- Rotations alone. ----

constexpr int kRotationVectors = 4;  // of kWidth joints

// Of a number in a block of poses, the place among those of rotations; -1: it is none of these.
constexpr int rotation_place(int number) {
  const int part = number % kTrsScalars;
  return part >= 3 && part < 7 ? number / kTrsScalars * 4 + part - 3 : -1;
}
// Of vector k of the poses, the first vector of rotations that it has a number of; there is at most one more.
constexpr int first_of_rotations(int vector) {
  for (int lane = 0; lane < kWidth; ++lane) {
    const int place = rotation_place(vector * kWidth + lane);
    if (place >= 0) return place / kWidth;
  }
  return 0;
}
template <int kVector>
constexpr int lane_of_rotations(int lane) {
  const int place = rotation_place(kVector * kWidth + lane);
  return place < 0 ? lane : place - first_of_rotations(kVector) * kWidth;
}
template <int kVector>
constexpr int lane_of_both(int lane) {
  return rotation_place(kVector * kWidth + lane) < 0 ? kWidth + lane : lane;
}
template <int kVector>
constexpr int lane_of_joints(int lane) {
  return (kVector * kWidth + lane) / 4;
}

#define LISSOM_FOUR(lane_of, i) \
  lane_of<kVector>(i), lane_of<kVector>(i + 1), lane_of<kVector>(i + 2), lane_of<kVector>(i + 3)
#if LISSOM_WIDTH == 16
#define LISSOM_ALL(lane_of) \
  LISSOM_FOUR(lane_of, 0), LISSOM_FOUR(lane_of, 4), LISSOM_FOUR(lane_of, 8), LISSOM_FOUR(lane_of, 12)
#elif LISSOM_WIDTH == 8
#define LISSOM_ALL(lane_of) LISSOM_FOUR(lane_of, 0), LISSOM_FOUR(lane_of, 4)
#else
#define LISSOM_ALL(lane_of) LISSOM_FOUR(lane_of, 0)
#endif
template <int kVector>
LISSOM_INLINE Float spread_packed(L joints) {
  return __builtin_shufflevector(joints.v, joints.v, LISSOM_ALL(lane_of_joints));
}
template <int kVector>
LISSOM_INLINE Float with_rotations(const Float (&rotations)[kRotationVectors], Float still) {
  constexpr int first = first_of_rotations(kVector),
                second = first < kRotationVectors - 1 ? first + 1 : first;
  const Float moving =
      __builtin_shufflevector(rotations[first], rotations[second], LISSOM_ALL(lane_of_rotations));
  return __builtin_shufflevector(moving, still, LISSOM_ALL(lane_of_both));
}
#undef LISSOM_ALL
#undef LISSOM_FOUR

template <int kVector>
LISSOM_INLINE void find_rotations(const float* a, const float* b, L fraction, L lengths,
                                  Float (&rotations)[kRotationVectors]) {
  if constexpr (kVector < kRotationVectors) {
    const L from = load(a + kVector * kWidth), to = load(b + kVector * kWidth);
    rotations[kVector] = ((from + fraction * (to - from)) * spread_packed<kVector>(lengths)).v;
    find_rotations<kVector + 1>(a, b, fraction, lengths, rotations);
  }
}

// The first `count` floats of a block.
template <int kVector>
LISSOM_INLINE void write_packed(const Float (&rotations)[kRotationVectors], const float* still,
                                std::size_t count, float* pose) {
  if constexpr (kVector < kVectors) {
    if (count >= kWidth) {
      store(pose + kVector * kWidth, with_rotations<kVector>(rotations, load(still + kVector * kWidth)));
      write_packed<kVector + 1>(rotations, still, count - kWidth, pose);
    } else if (count) {
      store_part(pose + kVector * kWidth, with_rotations<kVector>(rotations, load(still + kVector * kWidth)),
                 count);
    }
  }
}

void sample_packed(const PackedShape& shape, const FramePoint<float>* points, std::size_t count,
                   float* poses) {
  const std::size_t pose_size = shape.joint_count * kTrsScalars;
  for (std::size_t i = 0; i < count; ++i) {
    const L t = points[i].fraction, weight = t * (1 - t);
    const float *a = points[i].frame, *distances = a + shape.distances;
    float* pose = poses + i * pose_size;
    for (std::size_t joint = 0; joint < shape.joint_count; joint += kWidth) {
      const std::size_t left = (shape.joint_count - joint) * kTrsScalars;
      const float* const still = shape.still + joint * kTrsScalars;
      float* const to = pose + joint * kTrsScalars;
      if (!shape.moves[joint / kFramePadding]) {
        const std::size_t block = kWidth * kTrsScalars;
        std::memcpy(to, still, (left < block ? left : block) * sizeof(float));
        continue;
      }
      Float rotations[kRotationVectors];
      const float* const from = a + 4 * joint;
      find_rotations<0>(from, from + shape.stride, t, reciprocal_length(weight * load(distances + joint)),
                        rotations);
      if (left >= kWidth * kTrsScalars) {
        write_packed<0>(rotations, still, kWidth * kTrsScalars, to);
      } else {
        write_packed<0>(rotations, still, left, to);
      }
    }
    const float *from = a + shape.others, fraction = points[i].fraction;
    for (std::size_t k = 0; k < shape.other_count; ++k, from += 3) {
      float* const to = pose + shape.other_places[k];
      for (int n = 0; n < 3; ++n) to[n] = from[n] + fraction * (from[n + shape.stride] - from[n]);
    }
  }
}

}  // namespace

extern const UniformKernels uniform_kernels;
const UniformKernels uniform_kernels = {&sample, &sample_packed};

}  // namespace lissom::LISSOM_ISA
