// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/math/decomposition.h"

namespace lissom {

bool is_finite_and_affine(const Mat4<double>& matrix);

// Every finite affine matrix taken apart; empty for the others. An axis of zero length keeps scale 0, and the
// rotation completes the others, as near to the identity as they allow.
std::optional<Decomposition<double>> decompose(const Mat4<double>& matrix);

}  // namespace lissom
