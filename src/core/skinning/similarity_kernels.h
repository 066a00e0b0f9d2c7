// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace lissom {

// Weight rows that are compared with all samples at once: a multiple of the doubles in two vectors.
inline constexpr int kSimilarityBlock = 16;

// A sample of the surface for one pair of joints: its weights of the two, and area and area times centroid, both times
// the product of the weights.
struct SurfaceSample {
  double first, second;
  double mass;
  double moment[3];
};

// For one pair of joints. See CentersOfRotationJob.
struct SimilarityKernelArgs {
  const double* first;   // (kSimilarityBlock) weights of the first joint
  const double* second;  // (kSimilarityBlock) and of the second
  const SurfaceSample* samples;
  std::size_t sample_count;
  double inverse_sigma;
  double (
      *sums)[kSimilarityBlock];  // 4 rows: of the masses and of the moments, times exp(-(...)^2 / sigma^2)
};

struct SimilarityKernels {
  void (*sum)(const SimilarityKernelArgs&);
};

}  // namespace lissom
