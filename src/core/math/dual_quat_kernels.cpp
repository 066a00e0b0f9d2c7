// SPDX-License-Identifier: MIT
#include "core/math/array_loop.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr ArrayFunction kFunctions[] = {
    array_function<Gives<D>, Takes<D, D>>("dual_quat_multiply", [](auto a, auto b) { return a * b; }),
};

}  // namespace

extern const ArrayFunctions dual_quat_functions;
const ArrayFunctions dual_quat_functions = {kFunctions, sizeof kFunctions / sizeof *kFunctions};

}  // namespace lissom::LISSOM_ISA
