// SPDX-License-Identifier: MIT
#pragma once

// Slerp of many pairs of keys at once. For *_kernels.cpp files only.

#include "core/math/quat.h"
#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;

// A product that is rounded before it is added. In a sum of two products compilers may fuse either, not the same in
// each loop: one pose would then differ from many in its last bits.
LISSOM_INLINE L rounded(L product) {
#if defined(LISSOM_VECTOR_X86)
  asm("" : "+v"(product.v));
#elif defined(__aarch64__)
  asm("" : "+w"(product.v));
#endif
  return product;
}
LISSOM_INLINE L dot_in_order(const Quat<L>& a, const Quat<L>& b) {
  return rounded(a.x * b.x) + a.y * b.y + a.z * b.z + a.w * b.w;
}

// The same of a few independent blocks, step by step side by side: each step of one waits for the one before, so two take
// little longer than one.
template <int kCount>
struct Each {
  L of[kCount];

  template <class Step>
  static LISSOM_INLINE Each by(const Step& step) {
    Each result;
    for (int k = 0; k < kCount; ++k) result.of[k] = step(k);
    return result;
  }
};
template <class Number, int kTerms, int kCount>
LISSOM_INLINE Each<kCount> polynomials(const Number (&coefficients)[kTerms], const Each<kCount>& x) {
  auto sum = Each<kCount>::by([&](int) LISSOM_LAMBDA_INLINE { return L(coefficients[kTerms - 1]); });
  for (int i = kTerms - 2; i >= 0; --i) {
    for (int k = 0; k < kCount; ++k) sum.of[k] = sum.of[k] * x.of[k] + coefficients[i];
  }
  return sum;
}

// sin(x) / x as a polynomial of x^2 in [0, (pi/2)^2]; minimax, error below 5e-9.
constexpr float kSinc[] = {0.999999996f, -0.16666658f, 0.00833305106f, -0.000198090753f, 2.6052249e-06f};

// The square of the angle whose cosine is 1 - 2 y, over y:
// 4 asin(sqrt(y))^2 / y, for y in [0, 1/2]; minimax, error of the square below 1e-7.
constexpr float kSquaredAngle[] = {3.99999982f,  1.33337688f,  0.709400265f, 0.482541507f,
                                   0.142865761f, 0.934895202f, -1.15919735f, 1.33297642f};

// slerp() of quat.h for keys that need not be unit, computed faster, as it is most of the time of
// sampling. With theta the angle between a and b, slerp is sin((1-t) theta) a + sin(t theta) b over
// sin(theta) (Shoemake 1985). Written with sin(x) = x sinc(x), theta cancels against the final normalisation:
// no division, no special case for small angles, and only theta^2 is needed. Each a becomes the result.
template <int kCount>
LISSOM_INLINE void slerp_each(Quat<L> (&a)[kCount], const Quat<L> (&b)[kCount], const L (&t)[kCount]) {
  using Numbers = Each<kCount>;
  const auto each = [](const auto& step) LISSOM_LAMBDA_INLINE { return Numbers::by(step); };
  const Numbers a_square = each([&](int k) LISSOM_LAMBDA_INLINE { return dot_in_order(a[k], a[k]); });
  const Numbers b_square = each([&](int k) LISSOM_LAMBDA_INLINE { return dot_in_order(b[k], b[k]); });
  const Numbers product = each([&](int k) LISSOM_LAMBDA_INLINE { return dot_in_order(a[k], b[k]); });
  const Numbers a_scale = each([&](int k) LISSOM_LAMBDA_INLINE { return reciprocal_sqrt(a_square.of[k]); });
  const Numbers b_scale = each([&](int k) LISSOM_LAMBDA_INLINE { return reciprocal_sqrt(b_square.of[k]); });
  const Numbers cosine =
      each([&](int k) LISSOM_LAMBDA_INLINE { return product.of[k] * a_scale.of[k] * b_scale.of[k]; });
  const Numbers short_way =
      each([&](int k) LISSOM_LAMBDA_INLINE { return select(cosine.of[k] < 0, L(-1), L(1)); });
  const Numbers y = each(
      [&](int k) LISSOM_LAMBDA_INLINE { return max(0.5f - 0.5f * (short_way.of[k] * cosine.of[k]), L(0)); });
  const Numbers over_y = polynomials(kSquaredAngle, y);
  const Numbers theta_squared = each([&](int k) LISSOM_LAMBDA_INLINE { return y.of[k] * over_y.of[k]; });
  const Numbers s = each([&](int k) LISSOM_LAMBDA_INLINE { return 1 - t[k]; });
  const Numbers a_sinc = polynomials(
      kSinc, each([&](int k) LISSOM_LAMBDA_INLINE { return s.of[k] * s.of[k] * theta_squared.of[k]; }));
  const Numbers b_sinc =
      polynomials(kSinc, each([&](int k) LISSOM_LAMBDA_INLINE { return t[k] * t[k] * theta_squared.of[k]; }));
  for (int k = 0; k < kCount; ++k) {
    const L from_a = s.of[k] * a_sinc.of[k] * a_scale.of[k];
    const L from_b = t[k] * b_sinc.of[k] * b_scale.of[k] * short_way.of[k];
    const Quat<L> part_a = from_a * a[k];
    a[k] =
        Quat<L>{rounded(part_a.x), rounded(part_a.y), rounded(part_a.z), rounded(part_a.w)} + from_b * b[k];
  }
  const Numbers square = each([&](int k) LISSOM_LAMBDA_INLINE { return dot_in_order(a[k], a[k]); });
  const Numbers scale = each([&](int k) LISSOM_LAMBDA_INLINE { return reciprocal_sqrt(square.of[k]); });
  for (int k = 0; k < kCount; ++k) a[k] = scale.of[k] * a[k];
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
