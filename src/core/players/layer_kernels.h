// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace lissom {

// What a fade between two poses remembers of the step before, for each joint: the points of both rotations, of signs
// that are continuous over the steps, and where a joint is held the difference that stays. Each component of all joints
// is a run of `stride` numbers, of which those beyond the joints are of no rotation.
template <class T>
struct FadeMemory {
  T* points;           // (2, 4, stride): below, target
  std::uint8_t* held;  // (stride) 0: no; 1: since the last step; 2: for longer
  T* differences;      // (4, stride), where held
  std::size_t stride;
};

// Which moment a fade is asked for: the next one, which is remembered; the present; or the one before the last step.
enum class FadeMoment { kStep, kNow, kBefore };

// The pose (joint_count, 10) at `weight` from `below` to `target`, whose rotations slerp: class Fade of lissom says why
// so. `out` is neither of them.
template <class T>
using FadeLoop = void (*)(const T* below, const T* target, const FadeMemory<T>& memory, double weight,
                          FadeMoment moment, std::size_t joint_count, T* out);

// Lets a fade begin along the shorter arcs, from `below` to `target`, with no joint held.
template <class T>
using BeginLoop = void (*)(const T* below, const T* target, const FadeMemory<T>& memory,
                           std::size_t joint_count);

// Adds to a pose, in double, the differences that are left `time` after a transition. Each row of `curve` has a number
// for each joint, `stride` numbers apart. Of a quintic: 9 directions (x, y, z of translation, rotation vector and
// scale), and of each of the three the velocity, the length and the time it takes (quintic.h). Of a spring: 9 starts and 9
// slopes.
template <class T>
using QuinticLoop = void (*)(const T* pose, const double* curve, std::size_t stride, double time,
                             std::size_t joint_count, T* out);

// What is left of a difference of start s and slope v: exp(-rate time) (s + v time), less a cubic, so that nothing is left
// at the end.
struct SpringMoment {
  double time, end;            // seconds
  double decay, decay_at_end;  // exp(-rate * time), exp(-rate * end)
};
template <class T>
using SpringLoop = void (*)(const T* pose, const double* curve, std::size_t stride,
                            const SpringMoment& moment, std::size_t joint_count, T* out);

template <class T>
struct LayerLoops {
  FadeLoop<T> fade;
  BeginLoop<T> begin;
  QuinticLoop<T> quintic;
  SpringLoop<T> spring;
};

struct LayerKernels {
  LayerLoops<float> floats;
  LayerLoops<double> doubles;
};

}  // namespace lissom
