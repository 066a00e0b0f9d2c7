// SPDX-License-Identifier: MIT
#pragma once

// The conventions of the whole package, stated once.
//
// Space       right-handed, y up; seconds, radians; lengths in the file's units (metres in glTF).
// Vectors     are columns: a_from_c = a_from_b * b_from_c, p_a = a_from_b * p_b. One product order everywhere:
//             matrices, quaternions and dual quaternions alike apply their right factor first.
// Quaternion  x, y, z, w with Hamilton's product (i j = k). A rotation is a unit quaternion;
//             q and -q are the same.
// Dual quat   real x, y, z, w, then dual x, y, z, w; dual = 0.5 * (t, 0) * real. q and -q are the same.
// Trs         translation 3, rotation 4, scale 3, applied from right to left: p' = t + rotate(r, s * p).
//             A pose is one Trs (a local transform) per joint.
// Matrix      row-major, translation in the last column.
// Skeleton    parents[i] < i; a root has parent -1.
// Names       a transform is named by its spaces, to then from (model_from_joint),
//             a vector by where it lives.

// The headers beside this one are templates over the scalar, each formula once: T is float or double, and in files
// compiled once per instruction set (*_kernels.cpp) Lanes of either, too. scalar.h says what that asks of them.

namespace lissom {

inline constexpr int kTrsScalars = 10;      // translation 3, rotation 4, scale 3
inline constexpr int kQuatScalars = 4;      // x, y, z, w
inline constexpr int kDualQuatScalars = 8;  // real x, y, z, w, dual x, y, z, w
inline constexpr int kAffineScalars = 12;   // three rows of four
inline constexpr int kMatrixScalars = 16;   // four rows of four
inline constexpr int kNoParent = -1;

// A transform that scales and shears by no more than this is called rigid: the largest of |S - 1|.
inline constexpr double kRigidTolerance = 1e-4;
// A matrix's last row may be this far from 0, 0, 0, 1: rounding that a general inverse leaves.
inline constexpr double kAffineTolerance = 1e-6;

// More joints than any character has; offsets of elements stay below 2^31 with it.
inline constexpr int kMaxJoints = (1 << 27) - 1;

}  // namespace lissom
