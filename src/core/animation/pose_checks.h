// SPDX-License-Identifier: MIT
#pragma once

// Checks common to the jobs on poses with weights.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/animation/blending_kernels.h"
#include "core/error.h"
#include "core/math/conventions.h"
#include "core/number_text.h"

namespace lissom {

// Whether there are `size` numbers for each of `count` results, or once for all of them.
template <class T>
bool serves(std::span<const T> numbers, std::size_t count, std::size_t size) {
  return numbers.size() == size || numbers.size() == count * size;
}
// The distance from the numbers of one result to those of the next.
template <class T>
std::size_t step_of(std::span<const T> numbers, std::size_t count, std::size_t size) {
  return count > 1 && numbers.size() == count * size ? size : 0;
}

// As kernel arguments. An empty mask is none.
template <class T>
WeightedPoses<T> weighted_poses(std::size_t count, std::size_t joint_count, std::span<const T> poses,
                                std::span<const T> weights, std::span<const T> mask) {
  return {poses.data(),
          weights.data(),
          mask.empty() ? nullptr : mask.data(),
          step_of(poses, count, joint_count * kTrsScalars),
          step_of(weights, count, 1),
          step_of(mask, count, joint_count)};
}

template <class T>
bool is_weight(T x) {
  return (x >= T(0)) & (x - x == T(0));
}

template <class T, class IsValid>
bool all_of(std::span<const T> numbers, const IsValid& is_valid) {
  bool all = true;
  for (const T x : numbers) all &= is_valid(x);  // without a branch: the common case
  return all;
}

// The first number that `is_valid` does not hold for, in one sentence: "weight must lie in [0, 1], got 2.0 at
// pose 3". `size` numbers belong to each pose: 1, or one per joint.
template <class T, class IsValid>
Error check_numbers(std::string_view argument, const char* rule, std::span<const T> numbers, std::size_t size,
                    const IsValid& is_valid) {
  if (all_of(numbers, is_valid)) return {};
  std::size_t i = 0;
  while (is_valid(numbers[i])) ++i;
  std::string sentence = std::string(argument) + " " + rule + ", got " + number_text(numbers[i]);
  if (size > 1) sentence += " for joint " + std::to_string(i % size);
  if (numbers.size() > size) sentence += (size > 1 ? " of pose " : " for pose ") + std::to_string(i / size);
  return Error(sentence);
}

}  // namespace lissom
