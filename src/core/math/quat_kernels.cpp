// SPDX-License-Identifier: MIT
#include "core/math/align_loop.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr ArrayFunction kFunctions[] = {
    checked_function<Gives<Q>, Takes<Q>>("quat_normalize",
                                         [](auto q) { return Checked{normalized(q), dot(q, q) == 0}; }),
    array_function<Gives<Q>, Takes<Q, Q>>("quat_multiply", [](auto a, auto b) { return a * b; }),
    array_function<Gives<Q>, Takes<Q>>("quat_conjugate", [](auto q) { return conjugate(q); }),
    array_function<Gives<R>, Takes<Q, Q>>("quat_dot", [](auto a, auto b) { return dot(a, b); }),
    array_function<Gives<V>, Takes<Q, V>>("quat_rotate", [](auto q, auto v) { return rotate(q, v); }),
    array_function<Gives<Q>, Takes<Q, Q, R>>("quat_slerp",
                                             [](auto a, auto b, auto t) { return slerp(a, b, t); }),
    array_function<Gives<Q>, Takes<Q, Q, R>>("quat_nlerp",
                                             [](auto a, auto b, auto t) { return nlerp(a, b, t); }),
    align_function<4, false>("quat_align"),
    align_function<4, true>("quat_align_closed"),
};

}  // namespace

extern const ArrayFunctions quat_functions;
const ArrayFunctions quat_functions = {kFunctions, sizeof kFunctions / sizeof *kFunctions};

}  // namespace lissom::LISSOM_ISA
