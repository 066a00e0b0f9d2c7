# SPDX-License-Identifier: MIT
"""Laws of quaternions and dual quaternions, over examples that hypothesis chooses.

Float64, so the tolerances are a few ulp of the numbers at hand; where a formula loses digits, its line says
how many and why."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from algebra_strategies import (
    EPS,
    angles,
    axes,
    close,
    dual_quaternions,
    equal,
    exponents,
    laws,
    moved,
    quaternions,
    rigids,
    rotations,
    same,
    times,
    vectors,
    within,
)
from lissom import dual_quat, quat
from reference import quat as quat_twin

# ---- The ring. ----


@laws
@given(quaternions(), quaternions(), quaternions())
def test_quaternion_product_is_associative_and_distributes(a, b, c):
    size = max(1, *(np.linalg.norm(v) for v in (a, b, c))) ** 3
    close(quat.multiply(quat.multiply(a, b), c), quat.multiply(a, quat.multiply(b, c)), EPS * size)
    close(quat.multiply(a, b + c), quat.multiply(a, b) + quat.multiply(a, c), EPS * size)


@laws
@given(quaternions())
def test_quaternion_identity_and_inverse(q):
    one = quat.identity(dtype=np.float64)
    equal(quat.multiply(one, q), q)
    equal(quat.multiply(q, one), q)
    close(quat.multiply(q, quat.inverse(q)), one)
    close(quat.multiply(quat.inverse(q), q), one)
    within(quat.inverse(quat.inverse(q)), q, EPS * np.linalg.norm(q))


@laws
@given(quaternions(), quaternions())
def test_quaternion_conjugation_turns_products_round(a, b):
    equal(quat.conjugate(quat.conjugate(a)), a)
    size = np.linalg.norm(a) * np.linalg.norm(b)
    expected = quat.multiply(quat.conjugate(b), quat.conjugate(a))
    within(quat.conjugate(quat.multiply(a, b)), expected, EPS * size)


@laws
@given(quaternions(), quaternions())
def test_lengths_multiply(a, b):
    product = np.linalg.norm(quat.multiply(a, b))
    within(product, np.linalg.norm(a) * np.linalg.norm(b), EPS * product)
    within(quat.dot(a, b), quat.multiply(a, quat.conjugate(b))[3], EPS * product)


@laws
@given(dual_quaternions(), dual_quaternions(), dual_quaternions())
def test_dual_quaternion_product_is_associative_and_distributes(a, b, c):
    left = dual_quat.multiply(dual_quat.multiply(a, b), c)
    right = dual_quat.multiply(a, dual_quat.multiply(b, c))
    size = np.prod([np.abs(q).max() for q in (a, b, c)])
    within(left, right, 10 * EPS * max(1, size))
    summed = dual_quat.multiply(a, dual_quat.add(b, c))
    expected = dual_quat.add(dual_quat.multiply(a, b), dual_quat.multiply(a, c))
    size = np.abs(a).max() * (np.abs(b).max() + np.abs(c).max())
    within(summed, expected, 10 * EPS * max(1, size))


@laws
@given(dual_quaternions(), exponents)
def test_dual_quaternion_identity_inverse_and_scale(q, s):
    one = dual_quat.identity(dtype=np.float64)
    equal(dual_quat.multiply(one, q), q)
    equal(dual_quat.multiply(q, one), q)
    equal(dual_quat.scale(q, s), s * q)
    inverse = dual_quat.inverse(q)
    size = np.abs(q).max() * np.abs(inverse).max()
    within(dual_quat.multiply(q, inverse), one, 10 * EPS * size)
    within(dual_quat.multiply(inverse, q), one, 10 * EPS * size)


@laws
@given(dual_quaternions(), dual_quaternions())
def test_three_conjugations(a, b):
    """The quaternions' and the combined one turn products round, the dual one does not."""
    ab = dual_quat.multiply(a, b)
    size = 10 * EPS * max(1, np.abs(a).max() * np.abs(b).max())
    for conjugate, turns in [
        (dual_quat.conjugate, True),
        (dual_quat.dual_conjugate, False),
        (dual_quat.combined_conjugate, True),
    ]:
        equal(conjugate(conjugate(a)), a)
        pair = (conjugate(b), conjugate(a)) if turns else (conjugate(a), conjugate(b))
        within(conjugate(ab), dual_quat.multiply(*pair), size)
    equal(dual_quat.combined_conjugate(a), dual_quat.conjugate(dual_quat.dual_conjugate(a)))


@laws
@given(rigids())
def test_conjugate_of_a_unit_is_its_inverse(q):
    close(dual_quat.multiply(q, dual_quat.conjugate(q)), dual_quat.identity(dtype=np.float64), EPS * moved(q))
    close(dual_quat.inverse(q), dual_quat.conjugate(q), EPS * moved(q))


@laws
@given(dual_quaternions())
def test_normalize_gives_units_in_both_senses_and_nothing_the_second_time(q):
    unit = dual_quat.normalize(q)
    size = max(1, np.linalg.norm(q[4:]) / np.linalg.norm(q[:4]))  # of what the projection cancels
    assert abs(np.linalg.norm(unit[:4]) - 1) <= EPS
    assert abs(unit[:4] @ unit[4:]) <= EPS * size
    within(dual_quat.normalize(unit), unit, EPS * size)
    within(dual_quat.normalize(4 * q), unit, EPS * size)
    # The sense of the real part is kept: a sign is not normalised away.
    assert unit[:4] @ q[:4] > 0


# ---- Matrices. ----


@laws
@given(rotations(), rotations(), vectors(10))
def test_quaternions_agree_with_matrices(a, b, v):
    ma, mb = quat.to_matrix(a), quat.to_matrix(b)
    close(quat.to_matrix(quat.multiply(a, b)), ma @ mb)
    close(quat.to_matrix(quat.conjugate(a)), ma.T)
    close(quat.rotate(a, v), ma @ v)
    close(ma @ ma.T, np.eye(3))
    same(quat.from_matrix(ma), a)


@laws
@given(rigids(), rigids(), vectors(10))
def test_dual_quaternions_agree_with_matrices(a, b, v):
    ma, mb = dual_quat.to_matrix(a), dual_quat.to_matrix(b)
    # The place of a product is a sum of terms as long as both translations, and may itself be short.
    size = 1 + np.linalg.norm(ma[:3, 3]) + np.linalg.norm(mb[:3, 3])
    close(dual_quat.to_matrix(dual_quat.multiply(a, b)), ma @ mb, EPS * size)
    close(dual_quat.to_matrix(dual_quat.conjugate(a)), np.linalg.inv(ma), 10 * EPS)
    close(dual_quat.transform_point(a, v), (ma @ [*v, 1])[:3])
    close(dual_quat.transform_vector(a, v), ma[:3, :3] @ v)
    close(dual_quat.translation(a), ma[:3, 3])
    same(dual_quat.from_matrix(ma), a)


@laws
@given(rotations(), vectors(10))
def test_quat_and_translation_round_trip(q, t):
    d = dual_quat.from_quat_translation(q, t)
    rotation, translation = dual_quat.to_quat_translation(d)
    equal(rotation, q)
    close(translation, t)
    close(dual_quat.to_trs(d), [*translation, *rotation, 1, 1, 1])
    same(dual_quat.from_trs(dual_quat.to_trs(d)), d)


# ---- q and -q are the same rotation. ----


@laws
@given(rotations(), rotations(), vectors(10), axes, times)
def test_the_sign_of_a_rotation_changes_nothing(a, b, v, axis, t):
    for f in (
        lambda q: quat.rotate(q, v),
        quat.to_matrix,
        lambda q: quat.angle_between(q, b),
        lambda q: quat.angle_between(b, q),
        quat.to_rotation_vector,
        lambda q: np.concatenate([*map(np.atleast_1d, quat.to_axis_angle(q))]),
        lambda q: quat.to_euler(q, "xyz"),
        lambda q: quat.to_euler(q, "ZXZ"),
    ):
        equal(f(-a), f(a))
    for f in (
        lambda q: quat.slerp(q, b, t),
        lambda q: quat.slerp(b, q, t),
        lambda q: quat.nlerp(q, b, t),
        lambda q: quat.swing_twist(q, axis)[0],
        lambda q: quat.swing_twist(q, axis)[1],
        quat.conjugate,
        quat.normalize,
    ):
        given_a, given_minus_a = f(a), f(-a)
        assert np.array_equal(given_a, given_minus_a) or np.array_equal(given_a, -given_minus_a)
    assert quat.same_rotation(a, -a)


@laws
@given(rigids(), rigids(), vectors(10), times)
def test_the_sign_of_a_rigid_motion_changes_nothing(a, b, v, t):
    for f in (
        lambda q: dual_quat.transform_point(q, v),
        lambda q: dual_quat.transform_vector(q, v),
        dual_quat.translation,
        dual_quat.to_matrix,
    ):
        equal(f(-a), f(a))
    for one, other in zip(dual_quat.to_screw(a), dual_quat.to_screw(-a), strict=True):
        equal(one, other)
    for f in (lambda q: dual_quat.sclerp(q, b, t), lambda q: dual_quat.sclerp(b, q, t)):
        given_a, given_minus_a = f(a), f(-a)
        assert np.array_equal(given_a, given_minus_a) or np.array_equal(given_a, -given_minus_a)
    assert dual_quat.same_transform(a, -a)
    assert dual_quat.equal(a, a)
    assert not dual_quat.equal(a, -a)


# ---- Taking rotations apart, and making them. ----


@laws
@given(rotations(), axes)
def test_swing_and_twist_make_the_rotation(q, axis):
    swing, twist = quat.swing_twist(q, axis)
    same(quat.multiply(swing, twist), q)
    assert twist[3] >= 0
    assert abs(np.linalg.norm(swing) - 1) <= EPS
    assert abs(np.linalg.norm(twist) - 1) <= EPS
    close(np.cross(twist[:3], axis), np.zeros(3))  # about the axis
    assert abs(swing[:3] @ axis) <= EPS  # and not about it
    # The swing alone says where the axis goes. At a swing of 180 degrees both are known to the root of eps.
    close(quat.rotate(swing, axis), quat.rotate(q, axis), 4 * EPS)


@laws
@given(vectors(10), vectors(10))
def test_from_to_takes_a_to_b(a, b):
    assume(min(np.linalg.norm(a), np.linalg.norm(b)) > 1e-3)
    a_unit, b_unit = a / np.linalg.norm(a), b / np.linalg.norm(b)
    q = quat.from_to(a, b)
    close(quat.rotate(q, a_unit), b_unit, 4 * EPS)
    close(quat.from_to(a, a), [0, 0, 0, 1])
    close(quat.rotate(quat.from_to(a, -a), a_unit), -a_unit, 4 * EPS)
    # The shortest: no rotation that does it turns less than the angle between them.
    angle = np.arctan2(np.linalg.norm(np.cross(a_unit, b_unit)), a_unit @ b_unit)
    assert abs(2 * np.arctan2(np.linalg.norm(q[:3]), q[3]) - angle) <= 10 * EPS


@laws
@given(vectors(10), vectors(10))
def test_look_rotation_turns_z_forward_and_y_up(forward, up):
    assume(np.linalg.norm(forward) > 1e-3)
    forward_unit = forward / np.linalg.norm(forward)
    side = np.cross(up, forward_unit)
    assume(np.linalg.norm(side) > 1e-3)
    q = quat.look_rotation(forward, up)
    slack = 10 * EPS * np.linalg.norm(up) / np.linalg.norm(side)
    close(quat.rotate(q, [0.0, 0, 1]), forward_unit, 4 * EPS)
    close(quat.rotate(q, [1.0, 0, 0]), side / np.linalg.norm(side), max(4 * EPS, slack))
    assert quat.rotate(q, [0.0, 1, 0]) @ up > 0


_THREE = [a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b != c]
SEQUENCES = _THREE + [sequence.upper() for sequence in _THREE]


@laws
@given(rotations())
def test_euler_angles_round_trip(q):
    for sequence in SEQUENCES:
        turns = quat.to_euler(q, sequence)
        low, high = (0, np.pi) if sequence[0] == sequence[2] else (-np.pi / 2, np.pi / 2)
        assert low <= turns[1] <= high
        assert (np.abs(turns[[0, 2]]) <= np.pi).all()
        same(quat.from_euler(sequence, turns), q, 10 * EPS)
        degrees = quat.to_euler(q, sequence, degrees=True)
        same(quat.from_euler(sequence, degrees, degrees=True), q, 10 * EPS)


@laws
@given(st.sampled_from([*SEQUENCES, "yx", "XZ", "y", "Z"]), st.tuples(angles, angles, angles))
def test_euler_angles_are_products_of_turns_about_axes(sequence, turns):
    turns = np.array(turns[: len(sequence)])
    q = np.array([0.0, 0, 0, 1])
    for letter, turn in zip(sequence, turns, strict=True):
        step = quat_twin.from_axis_angle(np.eye(3)["xyz".index(letter.lower())], turn)
        q = quat_twin.multiply(q, step) if letter.isupper() else quat_twin.multiply(step, q)
    close(quat.from_euler(sequence, turns), q)


@laws
@given(rotations(), rotations(), rotations())
def test_angle_between_is_a_distance(a, b, c):
    ab = quat.angle_between(a, b)
    assert 0 <= ab <= np.pi
    assert abs(ab - quat.angle_between(b, a)) <= EPS
    assert quat.angle_between(a, a) <= 4 * EPS
    assert ab <= quat.angle_between(a, c) + quat.angle_between(c, b) + 10 * EPS
    turned = quat.angle_between(quat.multiply(c, a), quat.multiply(c, b))
    assert abs(turned - ab) <= 10 * EPS
