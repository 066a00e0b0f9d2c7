// SPDX-License-Identifier: MIT
#include "core/arrays/decomposition_kernels.h"

#include "core/arrays/array_loop.h"
#include "core/math/decomposition.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr ArrayFunction kRegular = array_function<Results<S, R, B>, Arguments<M4>>("", [](auto matrix) {
  const auto parts = decompose_regular(matrix);
  return Both{parts.value.trs, Both{parts.value.shear, !parts.is_regular}};
});

}  // namespace

extern const DecompositionKernels decomposition_kernels;
const DecompositionKernels decomposition_kernels = {kRegular.doubles.run};

}  // namespace lissom::LISSOM_ISA
