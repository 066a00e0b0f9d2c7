// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/math/decomposition.h"

namespace lissom {

bool is_finite_and_affine(const Mat4<double>& matrix);

// Decomposes every finite affine matrix; empty for the others. An axis of zero length has scale 0, and its direction in
// the rotation completes those of the others, as near to the identity as they allow.
std::optional<Decomposition<double>> decompose(const Mat4<double>& matrix);

}  // namespace lissom
