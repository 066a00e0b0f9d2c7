// SPDX-License-Identifier: MIT
#pragma once

// From a formula over the types of core/math to the loop that runs it over arrays, kWidth rows at a time. For
// *_kernels.cpp files only.
//
// There is one loop: a single row, the last rows of an array and strided rows are copied into a block of a full
// vector's size. So a row's result never depends on its place in the array.

#include "core/arrays/array_function.h"
#include "core/arrays/array_rows.h"

#if defined(__FAST_MATH__)
#error "results are the same bits on every machine: build without -ffast-math"
#endif

namespace lissom::LISSOM_ISA {
namespace {

// What a formula with several outputs returns: Both<A, Both<B, C>> for three.
template <class A, class B>
struct Both {
  A first;
  B second;
};
template <class A, class B>
Both(A, B) -> Both<A, B>;

// What a formula returns that has no answer where `broken` holds.
template <class Value, class T>
struct Checked {
  Value value;
  Mask<T> broken;
};
template <class Value, class T>
Checked(Value, Mask<T>) -> Checked<Value, T>;

template <class T, class... Operands>
struct Inputs {
  LISSOM_INLINE Inputs(char* const*, const std::ptrdiff_t*, const std::ptrdiff_t*) {}
  template <class Formula, class... Values>
  LISSOM_INLINE auto apply(std::ptrdiff_t, std::ptrdiff_t, const Formula& formula, const Values&... values) {
    return formula(values...);
  }
};
template <class T, class Operand, class... Others>
struct Inputs<T, Operand, Others...> {
  Rows<Operand, T> rows;
  Inputs<T, Others...> others;

  LISSOM_INLINE Inputs(char* const* args, const std::ptrdiff_t* strides, const std::ptrdiff_t* core_strides)
      : rows(*args, *strides, core_strides), others(args + 1, strides + 1, core_strides + Operand::kRank) {}
  template <class Formula, class... Values>
  LISSOM_INLINE auto apply(std::ptrdiff_t from, std::ptrdiff_t count, const Formula& formula,
                           const Values&... values) {
    Lanes<T> numbers[Operand::kSize];
    rows.read(from, count, numbers);
    return others.apply(from, count, formula, values..., Operand::from(numbers));
  }
};

template <class T, class Operand>
struct Output {
  Rows<Operand, T> rows;

  LISSOM_INLINE Output(char* arg, std::ptrdiff_t stride, const std::ptrdiff_t* core_strides)
      : rows(arg, stride, core_strides) {}
  template <class Value>
  LISSOM_INLINE void write(std::ptrdiff_t from, std::ptrdiff_t count, const Value& value) {
    Lanes<T> numbers[Operand::kSize];
    Operand::into(numbers, value);
    rows.write(from, count, numbers);
  }
};
template <class T>
struct Output<T, TruthOperand> {
  char* first;
  std::ptrdiff_t stride;

  LISSOM_INLINE Output(char* arg, std::ptrdiff_t row_stride, const std::ptrdiff_t*)
      : first(arg), stride(row_stride) {}
  LISSOM_INLINE void write(std::ptrdiff_t from, std::ptrdiff_t count, Mask<T> value) {
    for (int i = 0; i < count; ++i) first[(from + i) * stride] = value.bits[i] != 0;
  }
};

template <class T, class Operand, class... Others>
struct Outputs {
  Output<T, Operand> output;
  Outputs<T, Others...> others;

  LISSOM_INLINE Outputs(char* const* args, const std::ptrdiff_t* strides, const std::ptrdiff_t* core_strides)
      : output(*args, *strides, core_strides), others(args + 1, strides + 1, core_strides + Operand::kRank) {}
  template <class Values>
  LISSOM_INLINE void write(std::ptrdiff_t from, std::ptrdiff_t count, const Values& values) {
    output.write(from, count, values.first);
    others.write(from, count, values.second);
  }
};
template <class T, class Operand>
struct Outputs<T, Operand> : Output<T, Operand> {
  LISSOM_INLINE Outputs(char* const* args, const std::ptrdiff_t* strides, const std::ptrdiff_t* core_strides)
      : Output<T, Operand>(*args, *strides, core_strides) {}
};

// ---- The loop, and its entry in a table. ----

template <class... Operands>
struct Arguments {
  static constexpr int kCount = sizeof...(Operands), kRanks = (0 + ... + Operands::kRank);
  template <class T>
  using Rows = Inputs<T, Operands...>;
};
template <class... Operands>
struct Results {
  static constexpr int kCount = sizeof...(Operands);
  template <class T>
  using Rows = Outputs<T, Operands...>;
};

// The first broken row, where it is one of `count`, else -1.
template <class T>
LISSOM_INLINE std::ptrdiff_t first_broken(Mask<T> broken, std::ptrdiff_t count) {
  if (__builtin_expect(any(broken), false)) {
    for (int i = 0; i < count; ++i) {
      if (broken.bits[i]) return i;
    }
  }
  return -1;
}

template <class Outs, class Value>
LISSOM_INLINE std::ptrdiff_t finish(Outs& outputs, std::ptrdiff_t from, std::ptrdiff_t count,
                                    const Value& value) {
  outputs.write(from, count, value);
  return -1;
}
template <class Outs, class Value, class T>
LISSOM_INLINE std::ptrdiff_t finish(Outs& outputs, std::ptrdiff_t from, std::ptrdiff_t count,
                                    const Checked<Value, T>& result) {
  const std::ptrdiff_t broken = first_broken(result.broken, count);
  if (broken >= 0) return from + broken;
  outputs.write(from, count, result.value);
  return -1;
}

template <class T, class Out, class In, class Formula>
std::ptrdiff_t run(char* const* args, const std::ptrdiff_t* counts, const std::ptrdiff_t* strides) {
  constexpr int kOperands = In::kCount + Out::kCount;
  typename In::template Rows<T> inputs(args, strides, strides + kOperands);
  typename Out::template Rows<T> outputs(args + In::kCount, strides + In::kCount,
                                         strides + kOperands + In::kRanks);
  constexpr int kLanes = Lanes<T>::kCount;
  for (std::ptrdiff_t from = 0; from < counts[0]; from += kLanes) {
    const std::ptrdiff_t left = counts[0] - from, count = left < kLanes ? left : kLanes;
    const std::ptrdiff_t broken = finish(outputs, from, count, inputs.apply(from, count, Formula{}));
    if (broken >= 0) return broken;
  }
  return -1;
}

// The first row that a checked formula has no answer for, or -1; writes nothing.
template <class T, class Out, class In, class Formula>
std::ptrdiff_t search(char* const* args, const std::ptrdiff_t* counts, const std::ptrdiff_t* strides) {
  typename In::template Rows<T> inputs(args, strides, strides + In::kCount + Out::kCount);
  constexpr int kLanes = Lanes<T>::kCount;
  for (std::ptrdiff_t from = 0; from < counts[0]; from += kLanes) {
    const std::ptrdiff_t left = counts[0] - from, count = left < kLanes ? left : kLanes;
    const std::ptrdiff_t broken = first_broken(inputs.apply(from, count, Formula{}).broken, count);
    if (broken >= 0) return from + broken;
  }
  return -1;
}

template <int kSize>
struct Text {
  char characters[kSize] = {};
};

template <class... Shapes>
struct Signature;
template <class... Ins, class... Outs>
struct Signature<Arguments<Ins...>, Results<Outs...>> {
  static constexpr int kSize = (0 + ... + sizeof(Ins::kShape)) + (0 + ... + sizeof(Outs::kShape)) + 2;
  static constexpr Text<kSize> make() {
    Text<kSize> text;
    char* to = text.characters;
    const auto append = [&](const char* from) {
      while (*from) *to++ = *from++;
    };
    int rank = 0;
    ((append(rank++ ? "," : ""), append(Ins::kShape)), ...);
    append("->");
    rank = 0;
    ((append(rank++ ? "," : ""), append(Outs::kShape)), ...);
    return text;
  }
  static constexpr Text<kSize> kText = make();
  static constexpr ArrayFunction entry(const char* name, ArrayLoops<float> floats,
                                       ArrayLoops<double> doubles) {
    ArrayFunction function{name, kText.characters, sizeof...(Ins), sizeof...(Outs), {}, floats, doubles};
    int operand = sizeof...(Ins);
    ((function.is_truth[operand++] = is_truth(Outs{})), ...);
    return function;
  }
  static constexpr bool is_truth(TruthOperand) { return true; }
  template <class Operand>
  static constexpr bool is_truth(Operand) {
    return false;
  }
};

// A line of a table. `Formula` is a captureless callable over lanes of either precision.
template <class Out, class In, class Formula>
constexpr ArrayFunction array_function(const char* name, Formula) {
  return Signature<In, Out>::entry(name, {run<float, Out, In, Formula>, nullptr},
                                   {run<double, Out, In, Formula>, nullptr});
}
// The same for one that returns Checked.
template <class Out, class In, class Formula>
constexpr ArrayFunction checked_function(const char* name, Formula) {
  return Signature<In, Out>::entry(name, {run<float, Out, In, Formula>, search<float, Out, In, Formula>},
                                   {run<double, Out, In, Formula>, search<double, Out, In, Formula>});
}

// The same in two formulas: the result of a row, and whether it has none, which is all that a search computes.
template <class Formula, class Broken>
struct CheckedFormula {
  template <class... Values>
  LISSOM_INLINE auto operator()(const Values&... values) const {
    return Checked{Formula{}(values...), Broken{}(values...)};
  }
};
template <class T, class Broken>
struct OnlyBroken {
  template <class... Values>
  LISSOM_INLINE auto operator()(const Values&... values) const {
    return Checked<bool, T>{false, Broken{}(values...)};
  }
};
template <class Out, class In, class Formula, class Broken>
constexpr ArrayFunction checked_function(const char* name, Formula, Broken) {
  using Whole = CheckedFormula<Formula, Broken>;
  return Signature<In, Out>::entry(
      name, {run<float, Out, In, Whole>, search<float, Out, In, OnlyBroken<float, Broken>>},
      {run<double, Out, In, Whole>, search<double, Out, In, OnlyBroken<double, Broken>>});
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
