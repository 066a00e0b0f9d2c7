// SPDX-License-Identifier: MIT
#include "core/arrays/align_loop.h"
#include "core/arrays/array_loop.h"
#include "core/arrays/dlb_loop.h"
#include "core/math/screw.h"

namespace lissom::LISSOM_ISA {
namespace {

// Whether a dual quaternion would lose scale.
template <class L>
LISSOM_INLINE auto is_scaled(const Trs<L>& trs) {
  const L tolerance = kRigidTolerance;
  return (abs(trs.scale.x - 1) > tolerance) | (abs(trs.scale.y - 1) > tolerance) |
         (abs(trs.scale.z - 1) > tolerance);
}

constexpr ArrayFunction kFunctions[] = {
    array_function<Results<D>, Arguments<D, D>>("dual_quat_add", [](auto a, auto b) { return a + b; }),
    array_function<Results<D>, Arguments<D, R>>("dual_quat_scale", [](auto q, auto s) { return s * q; }),
    array_function<Results<D>, Arguments<D, D>>("dual_quat_multiply", [](auto a, auto b) { return a * b; }),
    array_function<Results<D>, Arguments<D>>("dual_quat_conjugate", [](auto q) { return conjugate(q); }),
    array_function<Results<D>, Arguments<D>>("dual_quat_dual_conjugate",
                                             [](auto q) { return dual_conjugate(q); }),
    array_function<Results<D>, Arguments<D>>("dual_quat_combined_conjugate",
                                             [](auto q) { return combined_conjugate(q); }),
    checked_function<Results<D>, Arguments<D>>(
        "dual_quat_inverse", [](auto q) { return inverse(q); }, [](auto q) { return is_zero(q.real); }),
    checked_function<Results<D>, Arguments<D>>(
        "dual_quat_normalize", [](auto q) { return normalized(q); }, [](auto q) { return is_zero(q.real); }),
    array_function<Results<D>, Arguments<D>>(
        "dual_quat_normalize_or_identity",
        [](auto q) { return select(is_zero(q.real), decltype(q)::identity(), normalized(q)); }),
    array_function<Results<R>, Arguments<D, D>>("dual_quat_dot",
                                                [](auto a, auto b) { return dot(a.real, b.real); }),
    array_function<Results<B>, Arguments<D, D, R>>(
        "dual_quat_equal", [](auto a, auto b, auto tolerance) { return is_near(a, b, tolerance); }),
    array_function<Results<B>, Arguments<D, D, R>>(
        "dual_quat_same_transform",
        [](auto a, auto b, auto tolerance) { return is_same_transform(a, b, tolerance); }),

    array_function<Results<D>, Arguments<Q, V>>(
        "dual_quat_from_quat_translation",
        [](auto rotation, auto translation) { return dual_quat_from(rotation, translation); }),
    array_function<Results<Q, V>, Arguments<D>>("dual_quat_to_quat_translation",
                                                [](auto q) { return Both{q.real, translation(q)}; }),
    array_function<Results<V>, Arguments<D>>("dual_quat_translation", [](auto q) { return translation(q); }),
    // A difference that is NaN must propagate to the result, though no formula needs it.
    checked_function<Results<D>, Arguments<M4>>("dual_quat_from_matrix",
                                                [](auto matrix) {
                                                  const auto error = rigid_error(matrix);
                                                  auto q = dual_quat_from(affine_from(matrix));
                                                  q.dual.w = q.dual.w + 0 * error;
                                                  return Checked{q, error > kRigidTolerance};
                                                }),
    array_function<Results<R>, Arguments<M4>>("dual_quat_rigid_error",
                                              [](auto matrix) { return rigid_error(matrix); }),
    array_function<Results<M4>, Arguments<D>>("dual_quat_to_matrix",
                                              [](auto q) { return mat4_from(affine_from(q)); }),
    checked_function<Results<D>, Arguments<S>>(
        "dual_quat_from_trs",
        [](auto trs) {
          auto q = dual_quat_from(trs.rotation, trs.translation);
          q.dual.w = q.dual.w + 0 * (trs.scale.x + trs.scale.y + trs.scale.z);  // NaN must propagate
          return q;
        },
        [](auto trs) { return is_scaled(trs); }),
    array_function<Results<D, V>, Arguments<S>>(
        "dual_quat_from_trs_scaled",
        [](auto trs) { return Both{dual_quat_from(trs.rotation, trs.translation), trs.scale}; }),
    array_function<Results<S>, Arguments<D>>("dual_quat_to_trs",
                                             [](auto q) {
                                               using L = decltype(q.real.x);
                                               return Trs<L>{translation(q), q.real, {L(1), L(1), L(1)}};
                                             }),

    array_function<Results<V>, Arguments<D, V>>("dual_quat_transform_point",
                                                [](auto q, auto p) { return transform_point(q, p); }),
    array_function<Results<V>, Arguments<D, V>>("dual_quat_transform_vector",
                                                [](auto q, auto v) { return transform_vector(q, v); }),

    array_function<Results<D>, Arguments<D>>("dual_quat_log", [](auto q) { return log(q); }),
    array_function<Results<D>, Arguments<D>>("dual_quat_exp", [](auto q) { return exp(q); }),
    array_function<Results<D>, Arguments<D, R>>("dual_quat_power",
                                                [](auto q, auto t) { return power(q, t); }),
    array_function<Results<D>, Arguments<D, D, R>>("dual_quat_sclerp",
                                                   [](auto a, auto b, auto t) { return sclerp(a, b, t); }),
    array_function<Results<D>, Arguments<D, D, R>>(
        "dual_quat_sclerp_as_given", [](auto a, auto b, auto t) { return sclerp_as_given(a, b, t); }),
    array_function<Results<V, V, R, R>, Arguments<D>>("dual_quat_to_screw",
                                                      [](auto q) {
                                                        const auto screw = screw_from(q);
                                                        return Both{screw.axis,
                                                                    Both{screw.moment,
                                                                         Both{screw.angle, screw.pitch}}};
                                                      }),
    checked_function<Results<D>, Arguments<V, V, R, R>>(
        "dual_quat_from_screw",
        [](auto axis, auto moment, auto angle, auto pitch) {
          return dual_quat_from(Screw<decltype(angle)>{axis, moment, angle, pitch});
        },
        [](auto axis, auto...) { return is_zero(axis); }),

    dlb_function("dual_quat_dlb"),
    align_function<8, false>("dual_quat_align"),
    align_function<8, true>("dual_quat_align_closed"),
};

}  // namespace

extern const ArrayFunctions dual_quat_functions;
const ArrayFunctions dual_quat_functions = {kFunctions, sizeof kFunctions / sizeof *kFunctions};

}  // namespace lissom::LISSOM_ISA
