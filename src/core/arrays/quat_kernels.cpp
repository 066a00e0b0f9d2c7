// SPDX-License-Identifier: MIT
#include "core/arrays/align_loop.h"
#include "core/math/near_slerp.h"
#include "core/math/quat_log.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr ArrayFunction kFunctions[] = {
    checked_function<Results<Q>, Arguments<Q>>(
        "quat_normalize", [](auto q) { return direction(q); }, [](auto q) { return is_zero(q); }),
    array_function<Results<Q>, Arguments<Q>>(
        "quat_normalize_or_identity",
        [](auto q) { return select(is_zero(q), decltype(q)::identity(), direction(q)); }),
    checked_function<Results<Q>, Arguments<Q>>(
        "quat_inverse", [](auto q) { return inverse(q); }, [](auto q) { return is_zero(q); }),
    array_function<Results<Q>, Arguments<Q, Q>>("quat_multiply", [](auto a, auto b) { return a * b; }),
    array_function<Results<Q>, Arguments<Q>>("quat_conjugate", [](auto q) { return conjugate(q); }),
    array_function<Results<R>, Arguments<Q, Q>>("quat_dot", [](auto a, auto b) { return dot(a, b); }),
    array_function<Results<V>, Arguments<Q, V>>("quat_rotate", [](auto q, auto v) { return rotate(q, v); }),
    array_function<Results<Q>, Arguments<Q>>("quat_log", [](auto q) { return log(q); }),
    array_function<Results<Q>, Arguments<Q>>("quat_exp", [](auto q) { return exp(q); }),
    array_function<Results<Q>, Arguments<Q, R>>("quat_power", [](auto q, auto t) { return power(q, t); }),
    array_function<Results<Q>, Arguments<Q, Q, R>>("quat_slerp",
                                                   [](auto a, auto b, auto t) { return slerp(a, b, t); }),
    array_function<Results<Q>, Arguments<Q, Q, R>>(
        "quat_slerp_as_given", [](auto a, auto b, auto t) { return slerp_as_given(a, b, t); }),
    array_function<Results<Q>, Arguments<Q, Q, R>>(
        "quat_slerp_near", [](auto a, auto b, auto t) { return slerp_near(a, b, t); }),
    array_function<Results<Q>, Arguments<Q, Q, R>>("quat_nlerp",
                                                   [](auto a, auto b, auto t) { return nlerp(a, b, t); }),
    array_function<Results<Q>, Arguments<Q, Q, R>>(
        "quat_nlerp_as_given", [](auto a, auto b, auto t) { return nlerp_as_given(a, b, t); }),
    array_function<Results<R>, Arguments<Q, Q>>("quat_angle_between",
                                                [](auto a, auto b) { return angle_between(a, b); }),
    array_function<Results<B>, Arguments<Q, Q, R>>(
        "quat_same_rotation",
        [](auto a, auto b, auto tolerance) { return is_same_rotation(a, b, tolerance); }),
    align_function<4, false>("quat_align"),
    align_function<4, true>("quat_align_closed"),
};

}  // namespace

extern const ArrayFunctions quat_functions;
const ArrayFunctions quat_functions = {kFunctions, sizeof kFunctions / sizeof *kFunctions};

}  // namespace lissom::LISSOM_ISA
