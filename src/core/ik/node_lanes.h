// SPDX-License-Identifier: MIT
#pragma once

// What is kept of the nodes and effectors of as many poses as a vector has lanes. Spaces and mirrors are those of
// chain_lanes.h. For *_kernels.cpp files only.

#include <cstdint>

#include "core/ik/joint_lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

template <class T>
struct NodeLanes {
  using L = Lanes<T>;
  Vec3<L> offset_parent_node;       // of the node from the one above; from the base, where there is none
  L bone_length;                    // of that; not of the top of a chain
  Vec3<L> mirror;                   // +1 or -1: signs of the scales above it
  Vec3<L> scale_below;              // the product of the scales from the base down to it
  Quat<L> parent_node_from_parent;  // by the joints between
  Quat<L> input;                    // parent_from_joint of the pose, mirrored, as are the next two
  Quat<L> local;                    // the current one
  Quat<L> best;                     // of the best pose so far, of solvers that keep one
  Quat<L> carried;                  // correction of the previous frame in time: best conj(input)
  Quat<L> base_from_joint;
  Vec3<L> position_base;
};

template <class T>
struct EffectorLanes {
  using L = Lanes<T>;
  Vec3<L> target_base;
  Quat<L> orientation_base;  // base_from_joint of the effector at its target
  Mask<T> has_orientation;
  L chain_length;  // model units
  L residual;      // distance to the target, model units
};

// 1 where a mask holds, else 0, a byte for each lane.
using Bytes = std::uint8_t __attribute__((vector_size(LISSOM_WIDTH)));
using HalfBytes = std::uint8_t __attribute__((vector_size(LISSOM_WIDTH / 2)));
LISSOM_INLINE Bytes bytes_of(Mask<float> mask) { return __builtin_convertvector(mask.bits, Bytes) & 1; }
LISSOM_INLINE HalfBytes bytes_of(Mask<double> mask) {
  return __builtin_convertvector(mask.bits, HalfBytes) & 1;
}

// Whole numbers as such.
using HalfInts = std::int32_t __attribute__((vector_size(2 * LISSOM_WIDTH)));
LISSOM_INLINE Int counts_of(Lanes<float> x) { return __builtin_convertvector(x.v, Int); }
LISSOM_INLINE HalfInts counts_of(Lanes<double> x) { return __builtin_convertvector(x.v, HalfInts); }

}  // namespace
}  // namespace lissom::LISSOM_ISA
