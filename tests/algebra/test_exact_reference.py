# SPDX-License-Identifier: MIT
"""The reference of the golden vectors against what knows no quaternions: matrices, their exp and log."""

import pytest

from golden.inputs import ROTATIONS, dyadic, rotation
from reference.exact import dual_quat, quat, trs
from reference.exact.numbers import Terms, determinant, exact, mp, product, rounded, times, transposed, unit

# Sixty digits, less what half turns and exponentials lose of them.
CLOSE = mp.mpf(10) ** -50
MOTION = dual_quat.from_quat_translation(unit(exact(dyadic(1, 4))), exact(dyadic(2, 3)))
OTHER = dual_quat.from_quat_translation(unit(exact(dyadic(3, 4))), exact(dyadic(4, 3)))


def distance(a, b):
    return max(abs(x - y) for x, y in zip(flat(a), flat(b), strict=True))


def flat(value):
    return [x for item in value for x in flat(item)] if isinstance(value, list) else [value]


def skew(v):
    return [[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]]


def expm(m):
    return mp.expm(mp.matrix(m), method="taylor").tolist()


def logm(m):
    return mp.matrix(mp.logm(mp.matrix(m))).apply(mp.re).tolist()


@pytest.mark.parametrize("name", ROTATIONS)
def test_rotation_vectors_and_quaternions_give_the_same_matrix(name):
    q = unit(exact(ROTATIONS[name]))
    assert distance(expm(skew(quat.to_rotation_vector(q))), quat.to_matrix(q)) < CLOSE
    assert distance(quat.to_matrix(quat.from_matrix(quat.to_matrix(q))), quat.to_matrix(q)) < CLOSE
    axis, angle = quat.to_axis_angle(q)
    assert distance(quat.to_matrix(quat.from_axis_angle(axis, angle)), quat.to_matrix(q)) < CLOSE


def test_products_are_matrix_products():
    a, b = MOTION, OTHER
    for room, x, y in ((quat, a[:4], b[:4]), (dual_quat, a, b)):
        got = room.to_matrix(room.multiply(x, y))
        assert distance(got, product(room.to_matrix(x), room.to_matrix(y))) < CLOSE


def test_inverses_conjugates_and_normalize_are_what_they_are_called():
    any_length = exact(dyadic(5, 8))
    assert distance(dual_quat.multiply(dual_quat.inverse(any_length), any_length), dual_quat.IDENTITY) < CLOSE
    assert distance(dual_quat.multiply(any_length, dual_quat.inverse(any_length)), dual_quat.IDENTITY) < CLOSE
    q = dual_quat.normalize(any_length)
    assert distance(dual_quat.multiply(q, dual_quat.conjugate(q)), dual_quat.IDENTITY) < CLOSE
    # The combined conjugate stands on the right of the sandwich that moves points.
    p = exact(dyadic(6, 3))
    sandwich = dual_quat.multiply(
        dual_quat.multiply(q, [*quat.IDENTITY, *p, mp.mpf(0)]), dual_quat.combined_conjugate(q)
    )
    assert distance(sandwich[4:7], dual_quat.transform_point(q, p)) < CLOSE
    assert (
        distance(dual_quat.transform_point(q, p), product(dual_quat.to_matrix(q), [*p, mp.mpf(1)])[:3])
        < CLOSE
    )


def test_log_and_exp_are_those_of_matrices():
    """(u + eps v) stands for the twist 2 (u, v): M = expm [[2 u]x, 2 v; 0 0]."""
    for q in (MOTION, OTHER):
        q = dual_quat.negated(q) if q[3] < 0 else q
        pure = dual_quat.log(q)
        u, v = times(2, pure[:3]), times(2, pure[4:7])
        twist = [*([*row, x] for row, x in zip(skew(u), v, strict=True)), [0] * 4]
        assert distance(expm(twist), dual_quat.to_matrix(q)) < CLOSE
        assert distance(twist, logm(dual_quat.to_matrix(q))) < mp.mpf(10) ** -40
        assert distance(dual_quat.exp(pure), q) < CLOSE


def test_sclerp_is_the_power_of_a_matrix():
    a, b = MOTION, OTHER
    if quat.dot(a[:4], b[:4]) < 0:
        b = dual_quat.negated(b)
    t = mp.mpf("0.3125")
    ma, mb = dual_quat.to_matrix(a), dual_quat.to_matrix(b)
    relative = logm(product(dual_quat.to_matrix(dual_quat.conjugate(a)), mb))
    expected = product(ma, expm([times(t, row) for row in relative]))
    for end in (b, dual_quat.negated(b)):
        assert distance(dual_quat.to_matrix(dual_quat.sclerp(a, end, t)), expected) < mp.mpf(10) ** -40
    # As given, -b is reached by the other way round.
    long = dual_quat.sclerp(a, dual_quat.negated(b), t, short=False)
    assert distance(dual_quat.to_matrix(long), expected) > 0.1
    assert (
        distance(dual_quat.sclerp(a, dual_quat.negated(b), mp.mpf(1), short=False), dual_quat.negated(b))
        < CLOSE
    )


def test_screws_move_points_of_the_axis_along_it():
    axis, moment, angle, pitch = dual_quat.short_screw(MOTION)
    short = dual_quat.negated(MOTION) if MOTION[3] < 0 else MOTION
    assert distance(dual_quat.from_screw(axis, moment, angle, pitch), short) < CLOSE
    point = quat.cross(axis, moment)  # the point of the axis nearest to the origin
    moved = dual_quat.transform_point(MOTION, point)
    assert distance([x + pitch * along for x, along in zip(point, axis, strict=True)], moved) < CLOSE
    assert abs(quat.dot(axis, moment)) < CLOSE
    assert 0 <= angle <= mp.pi


def test_euler_angles_are_products_of_elementary_matrices():
    def elementary(letter, angle):
        axis = [mp.mpf(letter == other) for other in "xyz"]
        return expm(skew(times(angle, axis)))

    angles = exact([0.5, -0.75, 2.0])
    for sequence in ("xyz", "zxz", "YZX", "ZYZ", "xzy"):
        m = [elementary(letter, angle) for letter, angle in zip(sequence.lower(), angles, strict=True)]
        m = m[::-1] if sequence.islower() else m
        assert (
            distance(product(product(m[0], m[1]), m[2]), quat.to_matrix(quat.from_euler(sequence, angles)))
            < CLOSE
        )


@pytest.mark.parametrize("sequence", ["xyz", "zxz", "YZX", "ZYZ", "xzy", "yxz", "XZX"])
def test_euler_angles_come_back_also_in_gimbal_lock(sequence):
    quarter = [0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, 0.5], [0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]
    for q in (*quarter, rotation(7), rotation(8)):
        angles = quat.to_euler(exact(q), sequence)
        assert distance(quat.to_matrix(quat.from_euler(sequence, angles)), quat.to_matrix(exact(q))) < CLOSE
        low = 0 if sequence[0] == sequence[2] else -mp.pi / 2
        assert low - CLOSE <= angles[1] <= low + mp.pi + CLOSE


def test_swing_twist_and_from_to_are_what_they_are_called():
    q, axis = unit(exact(rotation(9))), unit(exact(dyadic(10, 3)))
    swing, twist = quat.swing_twist(q, axis)
    assert distance(quat.multiply(swing, twist), q) < CLOSE
    assert abs(quat.dot(swing[:3], axis)) < CLOSE
    assert distance(quat.cross(twist[:3], axis), [mp.mpf(0)] * 3) < CLOSE
    a, b = unit(exact(dyadic(11, 3))), unit(exact(dyadic(12, 3)))
    assert distance(quat.rotate(quat.from_to(a, b), a), b) < CLOSE
    turned = quat.look_rotation(a, b)
    assert distance(quat.rotate(turned, exact([0, 0, 1])), a) < CLOSE
    assert quat.dot(quat.rotate(turned, exact([0, 1, 0])), b) > 0
    assert abs(quat.dot(quat.rotate(turned, exact([1, 0, 0])), b)) < CLOSE


def test_polar_decomposition_is_one():
    for mirror in (1, -1):
        m = [times(mirror, exact(dyadic(13 + i, 3))) for i in range(3)]
        r, p = trs.polar(m)
        assert distance(product(r, p), m) < CLOSE
        assert distance(product(transposed(r), r), exact([[1, 0, 0], [0, 1, 0], [0, 0, 1]])) < CLOSE
        assert distance(p, transposed(p)) < CLOSE
        assert abs(determinant(r) - 1) < CLOSE
        values = mp.eigsy(mp.matrix(p), eigvals_only=True)
        assert all(v > 0 for v in values) or all(v < 0 for v in values)


def test_trs_composes_and_inverts_as_matrices_do():
    a = [*exact(dyadic(16, 3)), *unit(exact(dyadic(17, 4))), *exact([2, 0.5, -1.25])]
    b = [*exact(dyadic(18, 3)), *exact([0.5, 0.5, -0.5, 0.5]), *exact([0.25, 3, 1])]
    assert distance(trs.to_matrix(trs.compose(a, b)), product(trs.to_matrix(a), trs.to_matrix(b))) < CLOSE
    one = product(trs.to_matrix(trs.inverse(b)), trs.to_matrix(b))
    assert distance(one, [[mp.mpf(i == j) for j in range(4)] for i in range(4)]) < CLOSE
    back, shear = trs.from_matrix(trs.to_matrix(b))
    assert shear < CLOSE
    assert distance(trs.to_matrix(back), trs.to_matrix(b)) < CLOSE


def test_numbers_round_to_the_nearest_float():
    assert rounded(mp.mpf(1) / 3) == 1 / 3
    assert rounded(-mp.mpf(2) / 3) == -2 / 3
    assert rounded(mp.mpf(2) ** 53 + 1) == 2.0**53  # a tie, to even
    assert rounded(mp.mpf(2) ** 53 + 1 + mp.mpf(2) ** -100) == 2.0**53 + 2
    assert str(rounded(-mp.mpf(0))) == "0.0"


def test_terms_add_up_the_sizes_of_what_is_summed():
    a = Terms.of([3, -2])
    result = a[0] * a[1] + 5 * a[0] - a[1]
    assert (result.value, result.size) == (11, 23)
