// SPDX-License-Identifier: MIT
#pragma once

#include "core/animation/channel.h"

namespace lissom {

// Weights of value, out-tangent, next in-tangent and next value at fraction s (glTF 2.0, appendix C.4).
template <class T>
struct Hermite {
  explicit Hermite(const Moment<T>& moment) {
    const T s = moment.fraction, s2 = s * s, s3 = s2 * s;
    value_next = T(3) * s2 - T(2) * s3;
    value = T(1) - value_next;
    out_tangent = moment.interval * (s3 - T(2) * s2 + s);
    in_tangent_next = moment.interval * (s3 - s2);
  }
  T value, out_tangent, in_tangent_next, value_next;
};

}  // namespace lissom
