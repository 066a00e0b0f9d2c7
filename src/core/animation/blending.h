// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/error.h"

namespace lissom {

// Local poses between two: translation and scale by lerp, the rotation by nlerp the short way. The weight of
// a joint is that of its pose times that of its mask: 0 gives a to the bit, 1 gives b, its rotation on the
// side of a's. Rotations are taken as unit and come out unit. Not-a-number in a pose passes through.
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

// One of the inputs of a blend of many, laid out as those of BlendJob.
template <class T>
struct BlendLayer {
  std::span<const T> poses;
  std::span<const T> weights;
  std::span<const T> mask;
};

// The weighted mean of any number of poses, joint by joint, weights times masks divided by their sum.
// Rotations: the normalised sum, each on the side of the heaviest one's (of equally heavy ones the lowest
// layer's), as in the blending of dual quaternions (Kavan et al. 2008). Against a sum that runs from layer to
// layer, as ozz-animation has it, the sides would hang on the order of the layers; so they do not, and the
// sum cannot cancel: along the heaviest it is at least that one's weight.
//
// What a joint's weights lack of `threshold`, its rest fills, as in ozz-animation. A layer counts for nothing
// at a joint where its weight is 0, whatever its pose holds there.
template <class T>
struct BlendLayersJob {
  // Sizes; weights and masks at least 0 and finite, as are their sums; no joint whose weights are all zero,
  // unless there is a rest.
  Error validate() const;
  Error run() const;  // validates, then fills `out`; writes nothing on error

  std::size_t joint_count = 0;  // J
  std::span<const BlendLayer<T>> layers;
  std::span<const T> rest;  // (J * 10) local trs, or none
  T threshold = T(0.1);     // above 0; without rest not looked at
  // Output, apart from all inputs.
  std::span<T> out;  // (N * J * 10) local trs
};

}  // namespace lissom
