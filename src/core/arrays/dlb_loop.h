// SPDX-License-Identifier: MIT
#pragma once

// Weighted blends of dual quaternions: the array function "(n,8),(n)->(8)". For *_kernels.cpp files only.

#include "core/arrays/array_loop.h"

namespace lissom::LISSOM_ISA {
namespace {

// Item j of each blend of a block. Items are `item_stride` bytes apart within a blend.
template <class T>
struct DlbInputs {
  const char* items;
  const char* weights;
  std::ptrdiff_t item_row, weight_row;        // from blend to blend
  std::ptrdiff_t item_stride, number_stride;  // from item to item, from number to number
  std::ptrdiff_t weight_stride;

  LISSOM_INLINE DualQuat<Lanes<T>> item(std::ptrdiff_t from, std::ptrdiff_t count, std::ptrdiff_t j) const {
    Rows<DualQuatOperand, T> rows(const_cast<char*>(items) + from * item_row + j * item_stride, item_row,
                                  &number_stride);
    Lanes<T> numbers[8];
    rows.read(0, count, numbers);
    return DualQuatOperand::from(numbers);
  }
  LISSOM_INLINE Lanes<T> weight(std::ptrdiff_t from, std::ptrdiff_t count, std::ptrdiff_t j) const {
    Rows<RealOperand, T> rows(const_cast<char*>(weights) + from * weight_row + j * weight_stride, weight_row,
                              nullptr);
    Lanes<T> number[1];
    rows.read(0, count, number);
    return number[0];
  }
};

// Kavan et al. 2008: sum of w_j q_j, each q_j signed against the pivot, the item of largest weight (of equal ones the
// first); unit in both senses. Its real part cannot vanish: its dot product with the pivot's is at least that weight.
// No answer for a weight below zero, nor where none is above; that is all that a search computes.
template <class T, bool kIsSearch>
LISSOM_INLINE auto blend(const DlbInputs<T>& inputs, std::ptrdiff_t item_count, std::ptrdiff_t from,
                         std::ptrdiff_t count) {
  using L = Lanes<T>;
  const L zero = T(0);
  L largest = zero, total = zero;
  Mask<T> broken = zero > zero;
  DualQuat<L> sum = {{zero, zero, zero, zero}, {zero, zero, zero, zero}};
  Quat<L> pivot = sum.real;
  for (std::ptrdiff_t j = 0; j < item_count; ++j) {
    const L weight = inputs.weight(from, count, j);
    const Mask<T> is_larger = weight > largest;
    broken = broken | (weight < zero);
    total += weight;
    if constexpr (kIsSearch) continue;
    largest = select(is_larger, weight, largest);
    if (any(is_larger)) pivot = select(is_larger, inputs.item(from, count, j).real, pivot);
  }
  broken = broken | (total == zero);
  if constexpr (kIsSearch) {
    return Checked<bool, T>{false, broken};
  } else {
    for (std::ptrdiff_t j = 0; j < item_count; ++j) {
      const DualQuat<L> q = inputs.item(from, count, j);
      const L weight = inputs.weight(from, count, j);
      sum = sum + select(dot(q.real, pivot) < zero, -weight, weight) * q;
    }
    return Checked{normalized(sum), broken};
  }
}

template <class T, bool kIsSearch>
std::ptrdiff_t blend_all(char* const* args, const std::ptrdiff_t* counts, const std::ptrdiff_t* strides) {
  const std::ptrdiff_t* core = strides + 3;
  const DlbInputs<T> inputs{args[0], args[1], strides[0], strides[1], core[0], core[1], core[2]};
  Outputs<T, DualQuatOperand> outputs(args + 2, strides + 2, core + 3);
  constexpr int kLanes = Lanes<T>::kCount;
  for (std::ptrdiff_t from = 0; from < counts[0]; from += kLanes) {
    const std::ptrdiff_t left = counts[0] - from, count = left < kLanes ? left : kLanes;
    const auto result = blend<T, kIsSearch>(inputs, counts[1], from, count);
    std::ptrdiff_t broken;
    if constexpr (kIsSearch) {
      broken = first_broken(result.broken, count);
      broken = broken < 0 ? -1 : from + broken;
    } else {
      broken = finish(outputs, from, count, result);
    }
    if (broken >= 0) return broken;
  }
  return -1;
}

// A line of a table.
constexpr ArrayFunction dlb_function(const char* name) {
  return {name,
          "(n,8),(n)->(8)",
          2,
          1,
          {},
          {blend_all<float, false>, blend_all<float, true>},
          {blend_all<double, false>, blend_all<double, true>}};
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
