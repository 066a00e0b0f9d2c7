// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace lissom {

enum class Isa;

// Runs a formula over rows of strided memory, in the shape of NumPy's generalized ufunc loops.
//   args      one pointer per operand, inputs before outputs; aligned for their scalars
//   counts    the number of rows, then the sizes of the core dimensions in the order of the signature; those after
//             the first may be omitted, as loops need only that of a letter
//   strides   bytes from row to row for each operand, then the strides of each operand's core dimensions
// An output may be an input, when its address and strides are the same: a row is read whole before it is
// written. Returns the first row that has no answer (nothing later is then written), or -1.
using ArrayLoop = std::ptrdiff_t (*)(char* const* args, const std::ptrdiff_t* counts,
                                     const std::ptrdiff_t* strides);

inline constexpr int kMaxOperands = 8;

// Runs a loop, in several threads where `nanoseconds_per_row` make it worth their while. Returns a row that has no answer,
// or -1: the first, in one thread. The numbers of a row are those of one thread.
std::ptrdiff_t run_rows(ArrayLoop loop, int operand_count, double nanoseconds_per_row, char* const* args,
                        const std::ptrdiff_t* counts, const std::ptrdiff_t* strides);

template <class T>
struct ArrayLoops {
  ArrayLoop run;
  ArrayLoop search;  // finds what run() would return and writes nothing; null where each row has an answer
};

// A formula of core/math over arrays.
struct ArrayFunction {
  const char* name;
  const char* signature;  // as NumPy writes it: "(4),(3)->(3)"
  int input_count, output_count;
  bool is_truth[kMaxOperands];  // per operand: one byte, 0 or 1, instead of a real number
  ArrayLoops<float> floats;
  ArrayLoops<double> doubles;
};

struct ArrayFunctions {
  const ArrayFunction* begin;
  std::size_t count;
};

// All of them, their loops for an instruction set that must run here.
std::vector<ArrayFunction> array_functions(Isa isa);

}  // namespace lissom
