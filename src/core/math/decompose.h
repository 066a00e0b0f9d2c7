// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/math/array_function.h"
#include "core/math/decomposition.h"
#include "core/simd/isa.h"

namespace lissom {

// Every finite affine matrix taken apart; empty for the others. An axis of zero length keeps scale 0, and the
// rotation completes the others, as near to the identity as they allow.
std::optional<Decomposition<double>> decompose(const Mat4<double>& matrix);

// trs_from_matrix and trs_from_matrix_with_shear, over arrays: regular matrices by vectors, the others one by one
// and in double.
ArrayFunctions decomposition_functions(Isa isa);

}  // namespace lissom
