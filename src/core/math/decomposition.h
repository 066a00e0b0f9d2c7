// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/trs.h"

LISSOM_MATH_BEGIN

// The decomposition of an affine matrix M: M = R diag(scale) + rest, and a translation. R is the polar factor of M's
// unit axes (the rotation nearest to them), scale = diag(R^T M). Where M mirrors, its x axis is negated first, and
// scale.x is negative.
template <class T>
struct Decomposition {
  Trs<T> trs;  // rotation.w >= 0
  T shear;     // the largest entry of the rest as a share of the largest |scale|
};

template <class T>
Decomposition<T> decomposition_from(const Mat3<T>& rotation, const Mat3<T>& linear,
                                    const Vec3<T>& translation) {
  T scale[3], lost = T(0), largest = T(0);
  for (int j = 0; j < 3; ++j) {
    scale[j] = dot(rotation.column(j), linear.column(j));
    largest = max(largest, abs(scale[j]));
    const Vec3<T> rest = linear.column(j) - scale[j] * rotation.column(j);
    lost = max(lost, max(max(abs(rest.x), abs(rest.y)), abs(rest.z)));
  }
  return {{translation, quat_from(rotation), {scale[0], scale[1], scale[2]}},
          lost / select(largest > T(0), largest, T(1))};
}

template <class T, class Truth>
struct RegularDecomposition {
  Decomposition<T> value;
  Truth is_regular;
};
template <class T, class Truth>
RegularDecomposition(Decomposition<T>, Truth) -> RegularDecomposition<T, Truth>;

// The fast path, for matrices whose axes are not far from right angles, as nearly all are. Where `is_regular` is false,
// `value` is undefined: the axes are zero or nearly coplanar, or too long or short to be squared, or the matrix is not
// finite or not affine.
template <class T>
auto decompose_regular(const Mat4<T>& m) {
  const Affine<T> affine = affine_from(m);
  const Mat3<T> linear = affine.linear();
  const Vec3<T> x = linear.column(0), y = linear.column(1), z = linear.column(2), t = affine.translation();
  const T xx = dot(x, x), yy = dot(y, y), zz = dot(z, z);
  // Squares in full precision, whose sums are finite.
  constexpr auto kLeast = Limits<T>::kSmallest / Limits<T>::kEpsilon, kMost = Limits<T>::kLargest / 16;
  const auto has_squares =
      (xx > kLeast) & (yy > kLeast) & (zz > kLeast) & (xx < kMost) & (yy < kMost) & (zz < kMost);
  const auto has_place = (abs(t.x) <= Limits<T>::kLargest) & (abs(t.y) <= Limits<T>::kLargest) &
                         (abs(t.z) <= Limits<T>::kLargest);
  const Mat3<T> unit = mat3_from_columns((T(1) / sqrt(xx)) * x, (T(1) / sqrt(yy)) * y, (T(1) / sqrt(zz)) * z);
  const T volume = determinant(unit);
  // 1 at right angles. Above a half the smallest singular value of unit axes is above 0.3, and six steps are enough.
  const auto is_regular = has_squares & is_affine(m) & has_place & (abs(volume) > 0.5);
  Mat3<T> r =
      mat3_from_columns(select(volume < 0, -unit.column(0), unit.column(0)), unit.column(1), unit.column(2));
  // Newton's iteration for the polar factor, X <- (X + X^-T) / 2 (Higham 1986): each step squares the error.
  constexpr int kMaxSteps = 8;
  const T near = T(0.5) * sqrt(T(Limits<T>::kEpsilon));
  auto is_done = !is_regular;
  for (int step = 0; step < kMaxSteps && any(!is_done); ++step) {
    const Mat3<T> next = T(0.5) * r + (T(0.5) / determinant(r)) * cofactor(r);
    T change = T(0);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        change = max(abs(next.m[i][j] - r.m[i][j]), change);
        // A row's result must not depend on the number of steps that its neighbours take.
        r.m[i][j] = select(is_done, r.m[i][j], next.m[i][j]);
      }
    }
    is_done = is_done | (change < near);
  }
  return RegularDecomposition{decomposition_from(r, linear, t), is_regular & is_done};
}

LISSOM_MATH_END
