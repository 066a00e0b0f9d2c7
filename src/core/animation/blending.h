// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/error.h"

namespace lissom {

// Interpolates two local poses: translation and scale by lerp, the rotation by nlerp on the shorter arc. The weight of
// a joint is that of its pose times that of its mask: 0 yields a to the bit, 1 yields b, the sign of its rotation
// coherent with a's. Rotations must be unit; the results are. NaN in a pose propagates.
template <class T>
struct BlendJob {
  Error validate() const;  // sizes, and that weights and masks lie in [0, 1]
  Error run() const;       // validates, then fills `out`; writes nothing on error

  std::size_t joint_count = 0;  // J
  // Inputs for N results; a single pose, weight or mask serves all of them.
  std::span<const T> a, b;     // (N * J * 10) or (J * 10) local trs
  std::span<const T> weights;  // (N) or (1)
  std::span<const T> mask;     // (N * J), (J), or none: 1 everywhere
  // Output, apart from all inputs.
  std::span<T> out;  // (N * J * 10) local trs
};

// One of the inputs of a blend of many, as those of BlendJob.
template <class T>
struct BlendLayer {
  std::span<const T> poses;
  std::span<const T> weights;
  std::span<const T> mask;
};

// The weighted mean of any number of poses, joint by joint, weights times masks divided by their sum. Rotations: the
// normalised sum, each signed against the one of largest weight (of equal weights the lowest layer's), as in the
// blending of dual quaternions (Kavan et al. 2008). Signed against a running sum, as in ozz-animation, the result would
// depend on the order of the layers; this does not, and the sum cannot cancel: its dot product with the rotation of
// largest weight is at least that weight.
//
// Where the weights of a joint sum to less than `threshold`, its rest pose has the difference as its weight, as in
// ozz-animation. A layer does not affect a joint where its weight is 0, even by NaN.
template <class T>
struct BlendLayersJob {
  // Sizes; weights and masks at least 0 and finite, as are their sums; no joint whose weights are all zero,
  // unless there is a rest.
  Error validate() const;
  Error run() const;  // validates, then fills `out`; writes nothing on error

  std::size_t joint_count = 0;  // J
  std::span<const BlendLayer<T>> layers;
  std::span<const T> rest;  // (J * 10) local trs, or none
  T threshold = T(0.1);     // above 0; not read without rest
  // Output, apart from all inputs.
  std::span<T> out;  // (N * J * 10) local trs
};

}  // namespace lissom
