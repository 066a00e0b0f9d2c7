// SPDX-License-Identifier: MIT
#pragma once

// The values of tracks one at a time, by interpolation: those that no kernel knows, and float64.

#include <algorithm>
#include <cstddef>

#include "core/animation/channel.h"
#include "core/animation/hermite.h"
#include "core/math/quat.h"

namespace lissom {

template <class T, int kWidth>
void write_hermite(const Moment<T>& moment, const T* values, T* out) {
  const Hermite<T> weight(moment);
  // The value; tangents on both sides of it.
  const T* key = values + std::ptrdiff_t{3 * kWidth} * moment.key + kWidth;
  const T* next = key + 3 * kWidth;
  for (int i = 0; i < kWidth; ++i) {
    out[i] = weight.value * key[i] + weight.out_tangent * key[i + kWidth] +
             weight.in_tangent_next * next[i - kWidth] + weight.value_next * next[i];
  }
}

template <class T>
Quat<T> load_quat(const T* q) {
  return {q[0], q[1], q[2], q[3]};
}

template <class T>
void store_quat(const Quat<T>& q, T* out) {
  out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
}

// A spline can pass through zero, which is not a rotation: then the key before it is used.
template <class T>
void normalize_spline(const T* key, T* out) {
  const Quat<T> q = load_quat(out);
  store_quat(normalized(dot(q, q) > T(1e-12) ? q : load_quat(key)), out);
}

template <class T, int kWidth>
void write_step(const Channel<T>& channel, const Moment<T>& at, T* pose) {
  const T* key = channel.values + std::ptrdiff_t{kWidth} * at.step;
  if constexpr (kWidth == 3) {
    std::copy_n(key, 3, pose + channel.out);
  } else {
    store_quat(normalized(load_quat(key)), pose + channel.out);
  }
}

template <class T, int kWidth>
void write_cubic(const Channel<T>& channel, const Moment<T>& at, T* pose) {
  write_hermite<T, kWidth>(at, channel.values, pose + channel.out);
  if constexpr (kWidth == 4) {
    normalize_spline(channel.values + std::ptrdiff_t{12} * at.key + 4, pose + channel.out);
  }
}

template <class T, int kWidth>
void write_linear(const Channel<T>& channel, const Moment<T>& at, T* pose) {
  const T* key = channel.values + std::ptrdiff_t{kWidth} * at.key;
  T* out = pose + channel.out;
  if constexpr (kWidth == 3) {
    // This form is exact at both ends.
    for (int i = 0; i < 3; ++i) out[i] = (T(1) - at.fraction) * key[i] + at.fraction * key[3 + i];
  } else {
    const Quat<T> a = normalized(load_quat(key)), b = normalized(load_quat(key + 4));
    store_quat(normalized(slerp(a, b, at.fraction)), out);
  }
}

}  // namespace lissom
