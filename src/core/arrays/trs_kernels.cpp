// SPDX-License-Identifier: MIT
#include "core/arrays/array_loop.h"

namespace lissom::LISSOM_ISA {
namespace {

// A zero scale has no inverse, in a matrix or out of it.
template <class L>
LISSOM_INLINE auto is_flat(const Trs<L>& trs) {
  return (trs.scale.x == 0) | (trs.scale.y == 0) | (trs.scale.z == 0);
}

constexpr ArrayFunction kFunctions[] = {
    array_function<Results<S>, Arguments<V, Q, V>>(
        "trs_from_parts", [](auto translation, auto rotation,
                             auto scale) { return Trs<decltype(scale.x)>{translation, rotation, scale}; }),
    checked_function<Results<S>, Arguments<S, S>>("trs_compose",
                                                  [](auto a, auto b) {
                                                    const auto product = compose(a, b);
                                                    return Checked{product.trs, is_sheared(product)};
                                                  }),
    array_function<Results<R>, Arguments<S, S>>("trs_compose_shear",
                                                [](auto a, auto b) { return relative_shear(compose(a, b)); }),
    array_function<Results<M4>, Arguments<S, S>>(
        "trs_compose_matrix", [](auto a, auto b) { return mat4_from(affine_from(a) * affine_from(b)); }),
    checked_function<Results<S>, Arguments<S>>("trs_inverse",
                                               [](auto trs) {
                                                 const auto undone = inverse(trs);
                                                 return Checked{undone.trs,
                                                                is_sheared(undone) | is_flat(trs)};
                                               }),
    array_function<Results<R>, Arguments<S>>("trs_inverse_shear",
                                             [](auto trs) { return relative_shear(inverse(trs)); }),
    checked_function<Results<M4>, Arguments<S>>(
        "trs_inverse_matrix", [](auto trs) { return mat4_from(inverse_affine_from(trs)); },
        [](auto trs) { return is_flat(trs); }),
    array_function<Results<S>, Arguments<S, S, R>>("trs_lerp",
                                                   [](auto a, auto b, auto t) { return lerp(a, b, t); }),
    array_function<Results<S>, Arguments<S, S, R>>(
        "trs_lerp_as_given", [](auto a, auto b, auto t) { return lerp_as_given(a, b, t); }),
    array_function<Results<M4>, Arguments<S>>("trs_to_matrix",
                                              [](auto trs) { return mat4_from(affine_from(trs)); }),
    array_function<Results<V>, Arguments<S, V>>("trs_transform_point",
                                                [](auto trs, auto p) { return transform_point(trs, p); }),
    array_function<Results<V>, Arguments<S, V>>("trs_transform_vector",
                                                [](auto trs, auto v) { return transform_vector(trs, v); }),
};

}  // namespace

extern const ArrayFunctions trs_functions;
const ArrayFunctions trs_functions = {kFunctions, sizeof kFunctions / sizeof *kFunctions};

}  // namespace lissom::LISSOM_ISA
