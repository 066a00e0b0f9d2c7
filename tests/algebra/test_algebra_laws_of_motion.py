# SPDX-License-Identifier: MIT
"""Laws of interpolation, logarithms, powers, sequences and blends, over examples that hypothesis chooses.

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
    equal,
    exponents,
    laws,
    moved,
    quaternions,
    rigids,
    rotations,
    same,
    signs,
    times,
    vectors,
    within,
)
from lissom import dual_quat, quat
from reference import quat as quat_twin

# ---- Interpolation. ----


@laws
@given(rotations(), rotations())
def test_slerp_and_nlerp_reach_both_ends(a, b):
    for short in (True, False):
        equal(quat.slerp(a, b, 0.0, short=short), a)
        end = quat.slerp(a, b, 1.0, short=short)
        assert np.array_equal(end, b) or (short and np.array_equal(end, -b))
        assume(short or a @ b > -0.999)  # as given, nlerp has no way through the zero between a and -a
        close(quat.nlerp(a, b, 0.0, short=short), a)
        same(quat.nlerp(a, b, 1.0, short=short), b)


@laws
@given(rotations(), axes, st.floats(-3.1, 3.1), times)
def test_slerp_goes_at_constant_speed_the_short_way(a, axis, angle, t):
    b = quat_twin.multiply(a, quat_twin.from_axis_angle(axis, angle))
    expected = quat_twin.multiply(a, quat_twin.from_axis_angle(axis, t * angle))
    same(quat.slerp(a, b, t), expected, 4 * EPS)
    same(quat.slerp(a, -b, t), expected, 4 * EPS)


@laws
@given(rotations(), axes, st.floats(-6.2, 6.2), times)
def test_slerp_as_given_goes_the_way_of_the_signs(a, axis, angle, t):
    b = quat_twin.multiply(a, quat_twin.from_axis_angle(axis, angle))
    expected = quat_twin.multiply(a, quat_twin.from_axis_angle(axis, t * angle))
    # Towards -a every great circle leads: the one that is taken is known to eps / (pi - angle / 2).
    close(quat.slerp(a, b, t, short=False), expected, 4 * EPS / (np.pi - abs(angle) / 2))


@laws
@given(rotations(), rotations(), times)
def test_slerp_may_be_walked_from_either_side_and_seen_from_anywhere(a, b, t):
    assume(abs(a @ b) > 1e-6)  # at a half turn the two sides choose different ways
    same(quat.slerp(a, b, t), quat.slerp(b, a, 1 - t), 4 * EPS)
    turned = quat.multiply(b, quat.slerp(a, b, t))
    same(quat.slerp(quat.multiply(b, a), quat.multiply(b, b), t), turned, 10 * EPS)


@laws
@given(rotations(), rotations(), times)
def test_nlerp_is_a_unit_on_the_arc_of_slerp(a, b, t):
    assume(abs(a @ b) > 1e-6)
    q = quat.nlerp(a, b, t)
    assert abs(np.linalg.norm(q) - 1) <= EPS
    whole = quat.angle_between(a, b)
    assert abs(quat.angle_between(a, q) + quat.angle_between(q, b) - whole) <= 10 * EPS
    close(quat.nlerp(a, b, 0.5), quat.slerp(a, b, 0.5), 4 * EPS)


@laws
@given(rigids(), rigids())
def test_sclerp_reaches_both_ends(a, b):
    for short in (True, False):
        same(dual_quat.sclerp(a, b, 0.0, short=short), a, EPS * moved(b))
        assume(short or a[:4] @ b[:4] > -0.999)
        same(dual_quat.sclerp(a, b, 1.0, short=short), b, 10 * EPS * moved(a))


@laws
@given(rigids(), axes, vectors(5), st.floats(-3, 3), st.floats(-5, 5), times)
def test_sclerp_goes_along_a_screw_at_constant_speed(a, axis, point, angle, pitch, t):
    def motion(share):
        return dual_quat.from_screw(axis, np.cross(point, axis), share * angle, share * pitch)

    expected = dual_quat.multiply(a, motion(t))
    b = dual_quat.multiply(a, motion(1.0))
    # A screw of small angle is known to eps / angle in its place, yet the motion is not.
    same(dual_quat.sclerp(a, b, t), expected, 40 * EPS * moved(a))
    same(dual_quat.sclerp(a, -b, t), expected, 40 * EPS * moved(a))


@laws
@given(rigids(), rigids(), rigids(), times)
def test_sclerp_does_not_depend_on_the_frame(a, b, frame, t):
    assume(abs(a[:4] @ b[:4]) > 1e-3)
    moved_by = lambda q: dual_quat.multiply(frame, q)  # noqa: E731
    expected = moved_by(dual_quat.sclerp(a, b, t))
    same(dual_quat.sclerp(moved_by(a), moved_by(b), t), expected, 100 * EPS * moved(frame))


# ---- Logarithms and powers. ----


@laws
@given(quaternions())
def test_exp_takes_log_back(q):
    size = np.linalg.norm(q)
    within(quat.exp(quat.log(q)), q, 10 * EPS * size)


@laws
@given(vectors(1.8), st.floats(-3, 3))
def test_log_takes_exp_back_below_half_a_turn(v, w):
    p = np.array([*v, w])
    assume(np.linalg.norm(v) < 3.1)
    close(quat.log(quat.exp(p)), p, 10 * EPS)


@laws
@given(rotations(st.floats(-3.1, 3.1)))
def test_log_of_a_unit_is_half_its_rotation_vector(q):
    close(quat.log(q), [*quat.to_rotation_vector(q) / 2, 0] if q[3] >= 0 else quat.log(q))
    assert abs(quat.log(q)[3]) <= EPS


@laws
@given(vectors(2))
def test_rotation_vectors_round_trip_below_pi(v):
    assume(np.linalg.norm(v) < np.pi - 1e-6)
    close(quat.to_rotation_vector(quat.from_rotation_vector(v)), v)


@laws
@given(axes, angles)
def test_axis_and_angle_round_trip(axis, angle):
    q = quat.from_axis_angle(axis, angle)
    back_axis, back_angle = quat.to_axis_angle(q)
    assert 0 <= back_angle <= np.pi
    assert abs(np.linalg.norm(back_axis) - 1) <= EPS
    same(quat.from_axis_angle(back_axis, back_angle), q)


@laws
@given(rigids())
def test_dual_exp_takes_log_back(q):
    log = dual_quat.log(q)
    # Towards a whole turn the logarithm grows without bound, and its errors with it.
    slack = 100 * EPS if q[3] >= 0 else 100 * EPS / max(np.linalg.norm(q[:3]), 1e-300)
    same(dual_quat.exp(log), q, slack)
    assert log[3] == 0
    assert log[7] == 0


@laws
@given(vectors(0.8), vectors(5))
def test_dual_log_takes_exp_back(u, v):
    p = np.array([*u, 0, *v, 0])
    close(dual_quat.log(dual_quat.exp(p)), p, 20 * EPS)


@laws
@given(rotations(st.floats(-3, 3)), exponents, exponents)
def test_powers_of_quaternions(q, s, t):
    close(quat.power(q, 1.0), q)
    close(quat.power(q, 0.0), [0, 0, 0, 1])
    close(quat.power(q, -1.0), quat.conjugate(q))
    close(quat.power(q, 2.0), quat.multiply(q, q))
    close(quat.multiply(quat.power(q, s), quat.power(q, t)), quat.power(q, s + t), 10 * EPS)


@laws
@given(rigids(st.floats(-3, 3)), exponents, exponents)
def test_powers_of_dual_quaternions(q, s, t):
    close(dual_quat.power(q, 1.0), q, 20 * EPS)
    close(dual_quat.power(q, 0.0), [0, 0, 0, 1, 0, 0, 0, 0])
    close(dual_quat.power(q, -1.0), dual_quat.conjugate(q), 20 * EPS)
    close(dual_quat.power(q, 2.0), dual_quat.multiply(q, q), 40 * EPS)
    product = dual_quat.multiply(dual_quat.power(q, s), dual_quat.power(q, t))
    close(product, dual_quat.power(q, s + t), 100 * EPS * moved(q))


@laws
@given(rigids())
def test_screws_round_trip(q):
    screw = dual_quat.to_screw(q)
    assert 0 <= screw.angle <= np.pi
    assert abs(np.linalg.norm(screw.axis) - 1) <= EPS
    # The place of the axis of a small turn is known to eps / angle, the motion as well as ever.
    size = moved(q) / max(np.sin(screw.angle / 2), 1e-300)
    assert abs(screw.axis @ screw.moment) <= 10 * EPS * size
    same(dual_quat.from_screw(*screw), q, 20 * EPS)


# ---- Sequences and blends. ----

few_rotations = st.lists(rotations(), min_size=1, max_size=6).map(np.array)
few_rigids = st.lists(rigids(size=3), min_size=1, max_size=5).map(np.array)


def some_weights(count, seed):
    return np.random.default_rng(seed).uniform(0.1, 1, count)


@laws
@given(few_rotations)
def test_align_only_changes_signs_and_makes_neighbours_agree(q):
    aligned = quat.align(q)
    equal(aligned[0], q[0])
    equal(np.abs(aligned), np.abs(q))
    assert (np.sum(aligned * q, -1) != 0).all()
    assert (np.sum(aligned[1:] * aligned[:-1], -1) >= 0).all()
    equal(quat.align(aligned), aligned)


@laws
@given(few_rotations)
def test_align_of_a_cycle_disagrees_at_most_once(q):
    aligned = quat.align(q, closed=True)
    dots = np.sum(aligned * np.roll(aligned, -1, 0), -1)
    wrong = np.flatnonzero(dots < 0)
    assert len(wrong) <= 1
    if len(wrong):  # between the neighbours farthest apart
        assert abs(dots[wrong[0]]) <= np.abs(dots).min() + EPS


@laws
@given(few_rigids)
def test_align_of_rigid_motions_goes_by_the_real_part(q):
    for closed in (False, True):
        aligned = dual_quat.align(q, closed=closed)
        real = quat.align(np.ascontiguousarray(q[:, :4]), closed=closed)
        equal(aligned[:, :4], real)
        flips = np.where(np.sum(aligned[:, :4] * q[:, :4], -1) < 0, -1, 1)[:, None]
        equal(aligned, flips * q)


near_rotations = st.lists(rotations(st.floats(-1.2, 1.2)), min_size=1, max_size=6).map(np.array)


@laws
@given(near_rotations, st.integers(0, 2**32), rotations(), st.data())
def test_mean_does_not_depend_on_sign_order_or_frame(q, seed, turn, data):
    """Within 1.2 rad of one rotation the mean is unique, by far: the largest eigenvalue stands alone."""
    weights = some_weights(len(q), seed)
    mean = quat.mean(q, weights)
    tolerance = 50 * EPS
    assert mean[3] >= 0
    assert abs(np.linalg.norm(mean) - 1) <= EPS
    flips = np.array(data.draw(st.lists(signs, min_size=len(q), max_size=len(q))))
    order = data.draw(st.permutations(range(len(q))))
    same(quat.mean(flips[:, None] * q, weights), mean, tolerance)
    same(quat.mean(q[order], weights[order]), mean, tolerance)
    same(quat.mean(quat.multiply(turn, q), weights), quat.multiply(turn, mean), tolerance)
    same(quat.mean(quat.multiply(q, turn), weights), quat.multiply(mean, turn), tolerance)
    same(quat.mean(q, 7 * weights), mean, tolerance)
    same(quat.mean(q), quat.mean(q, np.ones(len(q))), tolerance)
    one_hot = np.eye(len(q))[len(q) // 2]
    same(quat.mean(q, one_hot), q[len(q) // 2], tolerance)


@laws
@given(few_rigids, st.integers(0, 2**32), rigids(), st.data())
def test_dlb_does_not_depend_on_sign_order_or_frame(q, seed, frame, data):
    weights = some_weights(len(q), seed)  # no two alike, so that no tie decides
    # Which side of the pivot an item at a right angle lies on is a matter of rounding.
    assume((np.abs(q[:, :4] @ q[np.argmax(weights), :4]) > 1e-9).all())
    blend = dual_quat.dlb(q, weights)
    size = EPS * 20 * moved(frame) / weights.max()
    assert abs(np.linalg.norm(blend[:4]) - 1) <= EPS
    assert abs(blend[:4] @ blend[4:]) <= 10 * EPS * moved(blend)
    flips = np.array(data.draw(st.lists(signs, min_size=len(q), max_size=len(q))))
    order = data.draw(st.permutations(range(len(q))))
    flipped = dual_quat.dlb(flips[:, None] * q, weights)
    assert np.array_equal(flipped, blend) or np.array_equal(flipped, -blend)
    same(dual_quat.dlb(q[order], weights[order]), blend, size)
    same(dual_quat.dlb(dual_quat.multiply(frame, q), weights), dual_quat.multiply(frame, blend), size)
    same(dual_quat.dlb(dual_quat.multiply(q, frame), weights), dual_quat.multiply(blend, frame), size)
    same(dual_quat.dlb(q, 7 * weights), blend, size)
    for i in range(len(q)):
        same(dual_quat.dlb(q, np.eye(len(q))[i]), q[i])


@laws
@given(rigids(), rigids())
def test_dlb_of_equal_weights_takes_the_lowest_index_for_pivot(a, b):
    assume(abs(a[:4] @ b[:4]) > 1e-9)
    blend = dual_quat.dlb(np.array([a, b]), np.array([0.5, 0.5]))
    assert blend[:4] @ a[:4] > 0
    close(blend[:4], quat.nlerp(a[:4], b[:4], 0.5))
