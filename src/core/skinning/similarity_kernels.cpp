// SPDX-License-Identifier: MIT
#include "core/skinning/similarity_kernels.h"

#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

using D = Lanes<double>;

constexpr int kVectors = 2;  // whose exponentials are computed together, to hide latency

// exp(-t^2), within 1.5 ulp. Clamped at 1e-304: nothing so small affects a centre.
LISSOM_INLINE D gauss(D t) {
  using P = Powers<double>;
  constexpr double kRound = Circle<double>::kRound, kOneOverLog2 = 1.4426950408889634074, kLeast = -700;
  const D x = max(-(t * t), D(kLeast));
  const D rounded = x * kOneOverLog2 + kRound, k = rounded - kRound;
  const D r = (x - k * P::kLog2[0]) - k * P::kLog2[1];
  const D power = 1 + (r + (r * r) * polynomial(P::kExp, r));
  // 2^k: the low bits of integer + kRound are those of the integer.
  return power * from_bits<double>((bits(rounded) + P::kBias) << P::kMantissa);
}

// A lane is a row of weights and sums over the samples in their order: built without contraction, it has the
// same bits on every machine.
void sum(const SimilarityKernelArgs& args) {
  static_assert(kSimilarityBlock % (kVectors * D::kCount) == 0);
  for (int at = 0; at < kSimilarityBlock; at += kVectors * D::kCount) {
    D first[kVectors], second[kVectors], sums[kVectors][4];
    for (int i = 0; i < kVectors; ++i) {
      first[i] = load_as<Double>(args.first + at + i * D::kCount);
      second[i] = load_as<Double>(args.second + at + i * D::kCount);
      for (D& part : sums[i]) part = 0.0;
    }
    for (std::size_t s = 0; s < args.sample_count; ++s) {
      const SurfaceSample& sample = args.samples[s];
      for (int i = 0; i < kVectors; ++i) {
        const D apart = (first[i] * sample.second - second[i] * sample.first) * args.inverse_sigma;
        const D likeness = gauss(apart);
        sums[i][0] += likeness * sample.mass;
        for (int axis = 0; axis < 3; ++axis) sums[i][1 + axis] += likeness * sample.moment[axis];
      }
    }
    for (int i = 0; i < kVectors; ++i) {
      for (int part = 0; part < 4; ++part) store(args.sums[part] + at + i * D::kCount, sums[i][part].v);
    }
  }
}

}  // namespace

extern const SimilarityKernels similarity_kernels;
const SimilarityKernels similarity_kernels = {sum};

}  // namespace lissom::LISSOM_ISA
