// SPDX-License-Identifier: MIT
#pragma once

#include "core/arrays/array_function.h"

namespace lissom {

// trs_from_matrix and trs_from_matrix_with_shear, over arrays: regular matrices by vectors, the others one by one
// and in double.
ArrayFunctions decomposition_functions(Isa isa);

}  // namespace lissom
