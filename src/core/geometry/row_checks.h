// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

namespace lissom {

// Checks of the rows of a mesh: one pass each, of which compilers make vectors. What is wrong where one fails, and
// where, is for the caller to find.

// Whether no number is infinite or a NaN.
bool are_finite(std::span<const float> numbers);

// Whether no number is further than `most` from zero; a NaN is.
bool are_within(std::span<const float> numbers, float most);

// How many columns of rows (V, K) have a number that is not zero.
std::size_t used_columns(std::span<const float> numbers, std::size_t columns);

// How far the sum of a row of weights (V, K) is from 1 at most; infinite where a weight is negative or not finite, or
// where the rows are not whole. Each row is added in double, from its first weight to its last.
double largest_weight_sum_error(std::span<const float> weights, std::size_t influences);

}  // namespace lissom
