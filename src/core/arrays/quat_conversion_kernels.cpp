// SPDX-License-Identifier: MIT
#include "core/arrays/array_loop.h"
#include "core/math/axis_angle.h"
#include "core/math/directions.h"
#include "core/math/euler.h"

namespace lissom::LISSOM_ISA {
namespace {

// Whether a matrix is further than 1e-3 from the rotations: it scales, shears or mirrors by more than
// roundings. False where it holds NaN, which propagates.
template <class T>
Mask<T> is_no_rotation(const Mat3<Lanes<T>>& m) {
  Mask<T> is_known = m.m[0][0] == m.m[0][0];
  for (int i = 1; i < 9; ++i) is_known = is_known & (m.m[i / 3][i % 3] == m.m[i / 3][i % 3]);
  return ((largest_off_identity(transpose(m) * m) > T(1e-3)) | (determinant(m) < T(0))) & is_known;
}

constexpr ArrayFunction kFunctions[] = {
    array_function<Results<Q>, Arguments<V>>("quat_from_rotation_vector",
                                             [](auto v) { return quat_from_rotation_vector(v); }),
    checked_function<Results<V>, Arguments<Q>>(
        "quat_to_rotation_vector", [](auto q) { return rotation_vector_from(q); },
        [](auto q) { return is_zero(q); }),
    checked_function<Results<Q>, Arguments<V, R>>(
        "quat_from_axis_angle",
        [](auto axis, auto angle) { return quat_from_axis_angle(direction(axis), angle); },
        [](auto axis, auto) { return is_zero(axis); }),
    checked_function<Results<V, R>, Arguments<Q>>(
        "quat_to_axis_angle",
        [](auto q) {
          const auto [axis, angle] = axis_angle_from(q);
          return Both{axis, angle};
        },
        [](auto q) { return is_zero(q); }),
    checked_function<Results<Q>, Arguments<M3>>(
        "quat_from_matrix", [](auto m) { return quat_from(m); }, [](auto m) { return is_no_rotation(m); }),
    array_function<Results<M3>, Arguments<Q>>("quat_to_matrix", [](auto q) { return mat3_from(q); }),
    // The numbers after the angles or the quaternion: EulerSequence, then radians or degrees as `unit`.
    array_function<Results<Q>, Arguments<V, R, R, R, R, R>>(
        "quat_from_euler",
        [](auto angles, auto first, auto second, auto proper, auto intrinsic, auto unit) {
          return quat_from_euler(unit * angles, EulerSequence{first, second, proper, intrinsic});
        }),
    checked_function<Results<V>, Arguments<Q, R, R, R, R, R>>(
        "quat_to_euler",
        [](auto q, auto first, auto second, auto proper, auto intrinsic, auto unit) {
          return unit * euler_from(q, EulerSequence{first, second, proper, intrinsic});
        },
        [](auto q, auto...) { return is_zero(q); }),
    checked_function<Results<Q>, Arguments<V, V>>(
        "quat_from_to", [](auto a, auto b) { return quat_from_to(direction(a), direction(b)); },
        [](auto a, auto b) { return is_zero(a) | is_zero(b); }),
    checked_function<Results<Q>, Arguments<V, V>>(
        "quat_look_rotation",
        [](auto forward, auto up) { return quat_look(direction(forward), direction(up)); },
        [](auto forward, auto up) { return is_zero(forward) | is_zero(up); }),
    checked_function<Results<Q, Q>, Arguments<Q, V>>(
        "quat_swing_twist",
        [](auto q, auto axis) {
          const auto [swing, twist] = swing_twist(q, direction(axis));
          return Both{swing, twist};
        },
        [](auto q, auto axis) { return is_zero(q) | is_zero(axis); }),
};

}  // namespace

extern const ArrayFunctions quat_conversion_functions;
const ArrayFunctions quat_conversion_functions = {kFunctions, sizeof kFunctions / sizeof *kFunctions};

}  // namespace lissom::LISSOM_ISA
