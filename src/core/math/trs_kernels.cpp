// SPDX-License-Identifier: MIT
#include "core/math/array_loop.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr ArrayFunction kFunctions[] = {
    array_function<Gives<M4>, Takes<S>>("trs_to_matrix",
                                        [](auto trs) { return mat4_from(affine_from(trs)); }),
};

}  // namespace

extern const ArrayFunctions trs_functions;
const ArrayFunctions trs_functions = {kFunctions, sizeof kFunctions / sizeof *kFunctions};

}  // namespace lissom::LISSOM_ISA
