// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/mat3.h"

namespace lissom {

// The polar decomposition M = R S with det R = +1. Where M mirrors, S has the sign: the polar factors U P of M become R
// = -U, S = -P (Shoemake and Duff 1992), which is unique and continuous wherever M has full rank. All in double: it is
// computed once per matrix, and its error would be in every vertex.

// A singular value below this share of the largest counts as zero. Above the rounding that a product of float32
// matrices accumulates on a vanished axis, below any visible scale.
inline constexpr double kRankToleranceFloat = 1e-5;
inline constexpr double kRankToleranceDouble = 1e-12;

// The R of M = R S where M is well-conditioned; false, and `r` unchanged, where it is not. The fast path.
bool regular_polar_rotation(const Mat3<double>& m, Mat3<double>& r);

// The R of M = R S for every finite M. With M = U diag(sigma) V^T of rank r < 3, among all R = U diag(1.., W) V^T (W
// orthogonal on the null space of M) the one nearest to `near`, a rotation: it maximises tr(R^T near). Of rank 2 it is
// unique, of rank 0 `near` itself.
Mat3<double> polar_rotation(const Mat3<double>& m, const Mat3<double>& near, double rank_tolerance);

// Rotation of a transform that scales its own axes: that of M with its columns normalised. Columns that are
// zero have no direction; they are completed as near as possible to those of `near`.
Mat3<double> rotation_of_axes(const Mat3<double>& m, const Mat3<double>& near, double rank_tolerance);

// Whether M has full rank by that tolerance.
bool is_invertible(const Mat3<double>& m, double rank_tolerance);

}  // namespace lissom
