// SPDX-License-Identifier: MIT
#pragma once

#include "core/arrays/array_function.h"

namespace lissom {

// In double for either precision: the rounding of float would be in every digit that the result has.
struct DecompositionKernels {
  // Matrices to trs and shear, "(4,4)->(10),(),()": the last operand, one byte, is 1 where a row is irregular and
  // what is written for it is rubbish.
  ArrayLoop regular;
};

}  // namespace lissom
