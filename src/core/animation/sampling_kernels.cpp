// SPDX-License-Identifier: MIT
#include "core/animation/sampling_kernels.h"

#include "core/simd/rows4.h"

namespace lissom::LISSOM_ISA {
namespace {

template <int kCount>
LISSOM_INLINE Float polynomial(const float (&coefficients)[kCount], Float x) {
  Float sum = splat(coefficients[kCount - 1]);
  for (int i = kCount - 2; i >= 0; --i) sum = sum * x + coefficients[i];
  return sum;
}

// sin(x) / x as a polynomial of x^2 in [0, (pi/2)^2]; minimax, error below 5e-9.
LISSOM_INLINE Float sinc(Float x_squared) {
  constexpr float kSinc[] = {0.999999996f, -0.16666658f, 0.00833305106f, -0.000198090753f, 2.6052249e-06f};
  return polynomial(kSinc, x_squared);
}

// The square of the angle whose cosine is 1 - 2 y:
// 4 asin(sqrt(y))^2, for y in [0, 1/2]; minimax, error below 1e-7.
LISSOM_INLINE Float squared_angle(Float y) {
  constexpr float kAngle[] = {3.99999982f,  1.33337688f,  0.709400265f, 0.482541507f,
                              0.142865761f, 0.934895202f, -1.15919735f, 1.33297642f};
  return y * polynomial(kAngle, y);
}

struct Quats {
  Float x, y, z, w;
};

LISSOM_INLINE Float dot(const Quats& a, const Quats& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// With theta the angle between a and b, slerp is sin((1-t) theta) a + sin(t theta) b over sin(theta)
// (Shoemake 1985). Written with sin(x) = x sinc(x), theta cancels against the final normalisation: no
// division, no special case for small angles, and only theta^2 is needed.
LISSOM_INLINE Quats slerp(const Quats& a, const Quats& b, Float t) {
  const Float a_scale = reciprocal_sqrt(dot(a, a)), b_scale = reciprocal_sqrt(dot(b, b));
  const Float cosine = dot(a, b) * a_scale * b_scale;
  const Float short_way = cosine < 0.0f ? splat(-1.0f) : splat(1.0f);
  const Float y = max(0.5f - 0.5f * (short_way * cosine), splat(0.0f));
  const Float theta_squared = squared_angle(y);
  const Float s = 1.0f - t;
  const Float from_a = s * sinc(s * s * theta_squared) * a_scale;
  const Float from_b = t * sinc(t * t * theta_squared) * b_scale * short_way;
  const Quats q{from_a * a.x + from_b * b.x, from_a * a.y + from_b * b.y, from_a * a.z + from_b * b.z,
                from_a * a.w + from_b * b.w};
  const Float scale = reciprocal_sqrt(dot(q, q));
  return {scale * q.x, scale * q.y, scale * q.z, scale * q.w};
}

void linear_vectors(const Channel<float>* channels, std::size_t count, const Moment<float>* moments,
                    float* pose) {
  for (const Channel<float>* channel = channels; channel != channels + count; ++channel) {
    const Moment<float>& at = moments[channel->timeline];
    const float* key = channel->values + 3 * static_cast<std::ptrdiff_t>(at.key);
    // Six floats are ours: two loads of four that stay inside them.
    const Float4 a = load_as<Float4>(key);
    const Float4 shifted = load_as<Float4>(key + 2);
    const Float4 b = __builtin_shufflevector(shifted, shifted, 1, 2, 3, 3);
    const Float4 value = (1.0f - at.fraction) * a + at.fraction * b;
    __builtin_memcpy(pose + channel->out, &value, 3 * sizeof(float));
  }
}

// One block of kWidth channels; `moment` gives the one of a lane.
template <class MomentOf>
LISSOM_INLINE void slerp_block(const Channel<float>* channels, const MomentOf& moment, Float fraction,
                               float* pose) {
  const auto key = [&](int lane) LISSOM_LAMBDA_INLINE {
    return channels[lane].values + 4 * static_cast<std::ptrdiff_t>(moment(lane).key);
  };
  Float a[4], b[4];
  gather_rows4(key, a);
  gather_rows4([&](int lane) LISSOM_LAMBDA_INLINE { return key(lane) + 4; }, b);
  const Quats q = slerp({a[0], a[1], a[2], a[3]}, {b[0], b[1], b[2], b[3]}, fraction);
  Float columns[4] = {q.x, q.y, q.z, q.w};
  scatter_rows4(columns, [&](int lane) LISSOM_LAMBDA_INLINE { return pose + channels[lane].out; });
}

void linear_rotations(const Channel<float>* channels, std::size_t count, const Moment<float>* moments,
                      float* pose) {
  for (std::size_t begin = 0; begin < count; begin += kWidth, channels += kWidth) {
    // Channels stand in the order of their timelines, so most blocks have one.
    if (channels[0].timeline == channels[kWidth - 1].timeline) {
      const Moment<float> shared = moments[channels[0].timeline];
      slerp_block(channels, [&](int) LISSOM_LAMBDA_INLINE { return shared; }, splat(shared.fraction), pose);
    } else {
      float fractions[kWidth];
      for (int lane = 0; lane < kWidth; ++lane) fractions[lane] = moments[channels[lane].timeline].fraction;
      slerp_block(
          channels, [&](int lane) LISSOM_LAMBDA_INLINE { return moments[channels[lane].timeline]; },
          load(fractions), pose);
    }
  }
}

}  // namespace

extern const SamplingKernels sampling_kernels;
const SamplingKernels sampling_kernels = {&linear_vectors, &linear_rotations};

}  // namespace lissom::LISSOM_ISA
