// SPDX-License-Identifier: MIT
#pragma once

#include "core/arrays/array_function.h"

namespace lissom {

// In double for either precision: rounding in float would be as large as the shear that is measured.
struct DecompositionKernels {
  // Matrices to trs and shear, "(4,4)->(10),(),()": the last operand, one byte, is 1 where a row is irregular and
  // its results are undefined.
  ArrayLoop regular;
};

}  // namespace lissom
