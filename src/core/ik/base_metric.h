// SPDX-License-Identifier: MIT
#pragma once

// Lengths in the base, where solvers work, against those in the model, where targets and residuals are. For
// *_kernels.cpp files only.

#include "core/ik/chain_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

// model_from_base of vectors, divided by its mean scale.
template <class T>
LISSOM_INLINE Mat3<Lanes<T>> metric_of(const ChainLanes<T>& chains) {
  using L = Lanes<T>;
  const L scale = select(chains.model_scale > L(0), chains.model_scale, L(1));
  return (1 / scale) * chains.model_from_base.linear();
}

// Whether that is more than a rotation: ancestors are scaled unevenly, and what is nearer in the base need not be so in
// the model.
template <class T>
LISSOM_INLINE Mask<T> does_skew(const Mat3<Lanes<T>>& metric) {
  const Mat3<Lanes<T>> square = transpose(metric) * metric;
  return squared_norm(square - Mat3<Lanes<T>>::identity()) > Lanes<T>(T(1e-6));
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
