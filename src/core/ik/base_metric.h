// SPDX-License-Identifier: MIT
#pragma once

// How lengths in the base, where solvers work, compare with those in the model, where targets are and residuals count.
// For *_kernels.cpp files only.

#include "core/ik/chain_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// Lengths in the model for those in the base, but for their mean scale.
template <class T>
LISSOM_INLINE Mat3<Lanes<T>> metric_of(const ChainLanes<T>& chains) {
  using L = Lanes<T>;
  const L scale = select(chains.model_scale > L(0), chains.model_scale, L(1));
  return (1 / scale) * chains.model_from_base.linear();
}

// Whether that does more than turn: ancestors are scaled unevenly, and what is nearer in the base need not be so in the
// model.
template <class T>
LISSOM_INLINE Mask<T> does_skew(const Mat3<Lanes<T>>& metric) {
  const Mat3<Lanes<T>> square = transpose(metric) * metric;
  return squared_norm(square - Mat3<Lanes<T>>::identity()) > Lanes<T>(T(1e-6));
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
