// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace lissom {

// Numbers of joints in blocks of this many are rows of whole vectors.
inline constexpr std::size_t kTransitionJoints = 8;

// What a transition to another motion starts from: of each joint and kind (translation, rotation vector, scale) the
// difference of what shows to the new motion, and its velocity. Source: class Inertializer of lissom.
template <class T>
struct TransitionPoses {
  const T *shown, *target;  // (J, 10) the old and the new motion at present
  // Of the new one, in the precision of its keys: at present, and a step ahead, from where its pose a step before is
  // extrapolated.
  const double *now, *ahead;  // (J, 10)
  const T* before;            // (J, 10) what showed a step before; null: then all velocities are zero
  double dt;                  // seconds of that step
};

// Writes (9, stride) each, three numbers of three kinds; `stride` is a multiple of kTransitionJoints. `room` has that of
// three poses, (3, J, 10).
template <class T>
using DifferenceLoop = void (*)(const TransitionPoses<T>& poses, std::size_t joint_count, std::size_t stride,
                                double* room, double* difference, double* velocity);

// The quintic of `kinds` differences of `width` numbers each, (kinds * width, stride), as rows of `curve`: directions, and
// of each kind the velocity, the length and the time it takes. Returns the seconds after which no difference is left.
using QuinticStart = double (*)(const double* difference, const double* velocity, int kinds, int width,
                                std::size_t stride, double duration, double* curve);

struct TransitionKernels {
  DifferenceLoop<float> float_differences;
  DifferenceLoop<double> double_differences;
  QuinticStart quintic;
};

}  // namespace lissom
