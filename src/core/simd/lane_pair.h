// SPDX-License-Identifier: MIT
#pragma once

// LanePair<L>: two vectors of lanes side by side, with the operators and some functions of one number. What is computed of one does not
// wait for the other: long formulas, of which each step waits for the one before, take little longer for two. For
// *_kernels.cpp files only.

#include "core/math/quat.h"
#include "core/simd/vector.h"

namespace lissom::LISSOM_ISA {
namespace {

// One boolean per lane.
template <class M>
struct MaskPair {
  M first, second;

  friend LISSOM_INLINE MaskPair operator&(const MaskPair& a, const MaskPair& b) {
    return {a.first & b.first, a.second & b.second};
  }
  friend LISSOM_INLINE MaskPair operator|(const MaskPair& a, const MaskPair& b) {
    return {a.first | b.first, a.second | b.second};
  }
};

template <class L>
struct LanePair {
  using M = MaskPair<decltype(L() < L())>;
  L first, second;

  LanePair() = default;
  LISSOM_INLINE LanePair(L a, L b) : first(a), second(b) {}
  // Part by part: copies of the whole GCC 12 leaves in memory.
  LISSOM_INLINE LanePair(const LanePair& other) : first(other.first), second(other.second) {}
  LISSOM_INLINE LanePair& operator=(const LanePair& other) {
    first = other.first, second = other.second;
    return *this;
  }
  LISSOM_INLINE LanePair(float value) : first(value), second(value) {}
  LISSOM_INLINE LanePair(double value) : first(value), second(value) {}
  LISSOM_INLINE LanePair(int value) : first(value), second(value) {}

  friend LISSOM_INLINE LanePair operator+(const LanePair& a, const LanePair& b) {
    return {a.first + b.first, a.second + b.second};
  }
  friend LISSOM_INLINE LanePair operator-(const LanePair& a, const LanePair& b) {
    return {a.first - b.first, a.second - b.second};
  }
  friend LISSOM_INLINE LanePair operator*(const LanePair& a, const LanePair& b) {
    return {a.first * b.first, a.second * b.second};
  }
  friend LISSOM_INLINE LanePair operator/(const LanePair& a, const LanePair& b) {
    return {a.first / b.first, a.second / b.second};
  }
  friend LISSOM_INLINE LanePair operator-(const LanePair& a) { return {-a.first, -a.second}; }
  friend LISSOM_INLINE LanePair& operator+=(LanePair& a, const LanePair& b) { return a = a + b; }
  friend LISSOM_INLINE M operator<(const LanePair& a, const LanePair& b) {
    return {a.first < b.first, a.second < b.second};
  }
  friend LISSOM_INLINE M operator>=(const LanePair& a, const LanePair& b) {
    return {a.first >= b.first, a.second >= b.second};
  }
};

template <class L>
struct Limits<LanePair<L>> : Limits<L> {};

template <class L>
LISSOM_INLINE LanePair<L> sqrt(const LanePair<L>& x) {
  return {sqrt(x.first), sqrt(x.second)};
}

template <class L, class M>
LISSOM_INLINE LanePair<L> select(const MaskPair<M>& condition, const LanePair<L>& a, const LanePair<L>& b) {
  return {select(condition.first, a.first, b.first), select(condition.second, a.second, b.second)};
}
template <class L>
LISSOM_INLINE LanePair<L> abs(const LanePair<L>& x) {
  return {abs(x.first), abs(x.second)};
}

template <class L>
LISSOM_INLINE Quat<LanePair<L>> paired(const Quat<L>& a, const Quat<L>& b) {
  return {{a.x, b.x}, {a.y, b.y}, {a.z, b.z}, {a.w, b.w}};
}
template <class L>
LISSOM_INLINE Quat<L> first_of(const Quat<LanePair<L>>& q) {
  return {q.x.first, q.y.first, q.z.first, q.w.first};
}
template <class L>
LISSOM_INLINE Quat<L> second_of(const Quat<LanePair<L>>& q) {
  return {q.x.second, q.y.second, q.z.second, q.w.second};
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
