// SPDX-License-Identifier: MIT
#include "core/animation/sampling_kernels.h"

#include "core/math/quat.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;

// sin(x) / x as a polynomial of x^2 in [0, (pi/2)^2]; minimax, error below 5e-9.
LISSOM_INLINE L sinc(L x_squared) {
  constexpr float kSinc[] = {0.999999996f, -0.16666658f, 0.00833305106f, -0.000198090753f, 2.6052249e-06f};
  return polynomial(kSinc, x_squared);
}

// The square of the angle whose cosine is 1 - 2 y:
// 4 asin(sqrt(y))^2, for y in [0, 1/2]; minimax, error below 1e-7.
LISSOM_INLINE L squared_angle(L y) {
  constexpr float kAngle[] = {3.99999982f,  1.33337688f,  0.709400265f, 0.482541507f,
                              0.142865761f, 0.934895202f, -1.15919735f, 1.33297642f};
  return y * polynomial(kAngle, y);
}

// slerp() of quat.h for keys that need not be unit, and a faster way to it, for it is most of the time that
// sampling takes. With theta the angle between a and b, slerp is sin((1-t) theta) a + sin(t theta) b over
// sin(theta) (Shoemake 1985). Written with sin(x) = x sinc(x), theta cancels against the final normalisation:
// no division, no special case for small angles, and only theta^2 is needed.
LISSOM_INLINE Quat<L> slerp_keys(const Quat<L>& a, const Quat<L>& b, L t) {
  const L a_scale = reciprocal_sqrt(dot(a, a)), b_scale = reciprocal_sqrt(dot(b, b));
  const L cosine = dot(a, b) * a_scale * b_scale;
  const L short_way = select(cosine < 0, L(-1), L(1));
  const L y = max(0.5f - 0.5f * (short_way * cosine), L(0));
  const L theta_squared = squared_angle(y);
  const L s = 1 - t;
  const L from_a = s * sinc(s * s * theta_squared) * a_scale;
  const L from_b = t * sinc(t * t * theta_squared) * b_scale * short_way;
  const Quat<L> q = from_a * a + from_b * b;
  return reciprocal_sqrt(dot(q, q)) * q;
}

void count_keys(const float* key_times, std::int32_t key_count, const float* times, std::size_t count,
                std::int32_t* keys) {
  for (std::size_t begin = 0; begin < count; begin += kWidth) {
    const L time = load(times + begin);
    Int found = Int{} - 1;
    for (std::int32_t key = 0; key < key_count; ++key) {
      found -= (L(key_times[key]) <= time).bits;  // true is -1
    }
    store(keys + begin, found);
  }
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
LISSOM_INLINE void slerp_block(const Channel<float>* channels, const MomentOf& moment, L fraction,
                               float* pose) {
  // Two keys of four floats lie side by side.
  L keys[8];
  load_rows<8>(
      [&](int lane) LISSOM_LAMBDA_INLINE {
        return channels[lane].values + 4 * static_cast<std::ptrdiff_t>(moment(lane).key);
      },
      keys);
  const Quat<L> q =
      slerp_keys({keys[0], keys[1], keys[2], keys[3]}, {keys[4], keys[5], keys[6], keys[7]}, fraction);
  const L columns[4] = {q.x, q.y, q.z, q.w};
  store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return pose + channels[lane].out; }, columns);
}

void linear_rotations(const Channel<float>* channels, std::size_t count, const Moment<float>* moments,
                      float* pose) {
  for (std::size_t begin = 0; begin < count; begin += kWidth, channels += kWidth) {
    // Channels stand in the order of their timelines, so most blocks have one.
    if (channels[0].timeline == channels[kWidth - 1].timeline) {
      const Moment<float> shared = moments[channels[0].timeline];
      slerp_block(channels, [&](int) LISSOM_LAMBDA_INLINE { return shared; }, shared.fraction, pose);
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
const SamplingKernels sampling_kernels = {&count_keys, &linear_vectors, &linear_rotations};

}  // namespace lissom::LISSOM_ISA
