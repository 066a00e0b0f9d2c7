# SPDX-License-Identifier: MIT
"""What other packages get wrong, as tests of ours.

Each was seen in dqrobotics, dq3d, dual_quaternions, pymotion, SciPy or the sample code of a book, and is
named after the behaviour that was missing there."""

import numpy as np
import pytest

from lissom import dual_quat, quat, trs
from reference import dual_quat as dual_quat_twin
from reference import quat as quat_twin

EPS = 2e-15


def close(got, expected, tolerance=EPS):
    size = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(got, expected, atol=tolerance * size, rtol=0)


def turn_about(axis, angle):
    return quat_twin.from_axis_angle(np.array(axis, float), angle)


def rigid(axis, angle, translation):
    return dual_quat_twin.from_rotation_translation(turn_about(axis, angle), translation)


def screw_matrix(axis, point, angle, pitch, t):
    """The share t of a motion about and along a line, written as what it does to points."""
    axis, point = np.array(axis, float) / np.linalg.norm(axis), np.array(point, float)
    m = np.eye(4)
    m[:3, :3] = quat_twin.to_matrix(turn_about(axis, t * angle))
    m[:3, 3] = point - m[:3, :3] @ point + t * pitch * axis
    return m


X = rigid([1, 2, 3], 1.0, [2, 4, 6])  # the motion on which peers were tried


# ---- Powers and sclerp are screws. ----


def test_the_square_of_a_root_is_what_it_was_the_root_of():
    root = dual_quat.power(X, 0.5)
    close(dual_quat.multiply(root, root), X)
    close(dual_quat.power(root, 2.0), X)


def test_a_root_is_half_the_way_along_the_screw():
    screw = dual_quat.to_screw(X)
    half = dual_quat.to_screw(dual_quat.power(X, 0.5))
    close(half.axis, screw.axis)
    close(half.moment, screw.moment, 1e-14)
    close(half.angle, screw.angle / 2)
    close(half.pitch, screw.pitch / 2)
    assert screw.angle == pytest.approx(1.0, abs=EPS)
    assert screw.pitch == pytest.approx(np.dot([1, 2, 3], [2, 4, 6]) / np.sqrt(14), rel=EPS)


def test_sclerp_of_an_ordinary_pair_is_the_screw_between_them():
    axis, point, angle, pitch = [2, -1, 2], [0.5, 3, -1], 1.7, 0.8
    a = rigid([0, 1, 1], 0.4, [1, -2, 0.5])
    m = dual_quat_twin.to_matrix(a)
    b = dual_quat.multiply(a, dual_quat.from_matrix(screw_matrix(axis, point, angle, pitch, 1)))
    for t in np.linspace(-0.5, 1.5, 9):
        expected = m @ screw_matrix(axis, point, angle, pitch, t)
        close(dual_quat.to_matrix(dual_quat.sclerp(a, b, t)), expected, 10 * EPS)
        close(dual_quat.to_matrix(dual_quat.sclerp(a, -b, t)), expected, 10 * EPS)


def test_minus_b_takes_the_short_way():
    a, b = rigid([0, 0, 1], 0.3, [1, 0, 0]), rigid([0, 0, 1], 1.1, [1, 2, 0])
    for t in (0.25, 0.5, 0.75):
        got = dual_quat.sclerp(a, -b, t)
        close(got, dual_quat.sclerp(a, b, t))
        close(dual_quat.rotation(got), turn_about([0, 0, 1], 0.3 + 0.8 * t))
        close(quat.slerp(a[:4], -b[:4], t), turn_about([0, 0, 1], 0.3 + 0.8 * t))
        as_given = quat.slerp(a[:4], -b[:4], t, short=False)
        close(as_given, turn_about([0, 0, 1], 0.3 + (0.8 - 2 * np.pi) * t))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sclerp_between_equal_motions_stays_there(dtype):
    for q in (X, rigid([1, 0, 0], 0.0, [0, 0, 0]), rigid([0, 1, 0], np.pi, [5, 0, 0]), -X):
        q = q.astype(dtype)
        for t in (0, 0.3, 1):
            close(dual_quat.sclerp(q, q, t), q, 8 * np.finfo(dtype).eps)
            close(dual_quat.sclerp(q, -q, t), q, 8 * np.finfo(dtype).eps)
            close(quat.slerp(q[:4], q[:4], t), q[:4], 4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("angle", [1e-3, 1e-5, 1e-7, 1e-9, 1e-12, 1e-150])
def test_sclerp_of_near_motions_loses_nothing(angle):
    """The screw axis of a small turn is far away or unknown, the motion between is as well known as ever."""
    for small in ([1e-7, 2e-7, -1e-7], [0, 0, 0], [0.5, 1, -2]):
        step = rigid([3, -1, 2], angle, small)
        b = dual_quat_twin.multiply(X, step)
        for t in (0.25, 0.5, 0.75):
            got = dual_quat.sclerp(X, b, t)
            share = rigid([3, -1, 2], t * angle, t * np.array(small))
            tolerance = 1e-15 + angle * max(map(abs, small))  # the curve of the screw itself
            close(got, dual_quat_twin.multiply(X, share), tolerance * 4)


def test_scipys_cancellation_between_near_motions_is_not_ours():
    """a (a^-1 b)^t by way of the angle's arc cosine errs 1e-8 where this is exact."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        a = rigid(rng.normal(size=3), rng.uniform(0, 3), rng.normal(size=3))
        axis, point = rng.normal(size=3), rng.normal(size=3)
        angle, pitch, t = 1e-7, rng.normal(), rng.uniform()
        m = dual_quat_twin.to_matrix(a)
        b = dual_quat.multiply(
            a,
            dual_quat.from_screw(
                axis / np.linalg.norm(axis), np.cross(point, axis / np.linalg.norm(axis)), angle, pitch
            ),
        )
        expected = m @ screw_matrix(axis, point, angle, pitch, t)
        close(dual_quat.to_matrix(dual_quat.sclerp(a, b, t)), expected, 1e-14)


# ---- Slerp of near pairs, lengths. ----


@pytest.mark.parametrize("angle", [1e-3, 1e-5, 1e-7])
def test_the_middle_of_a_near_pair_is_in_the_middle(angle):
    rng = np.random.default_rng(2)
    for _ in range(50):
        axis = rng.normal(size=3)
        b = turn_about(axis, angle)
        a = np.array([0, 0, 0, 1.0])
        middle = quat.slerp(a, b, 0.5)
        expected = np.sin(angle / 4) * axis / np.linalg.norm(axis)
        assert np.linalg.norm(middle[:3] - expected) < 1e-12 * angle
        quarter = quat.slerp(a, b, 0.25)
        assert np.linalg.norm(quarter[:3] - expected / np.sin(angle / 4) * np.sin(angle / 8)) < 1e-12 * angle


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_normalize_leaves_lengths_within_an_ulp(dtype):
    q = np.random.default_rng(3).normal(size=(2000, 4)) * np.geomspace(1e-9, 1e9, 2000)[:, None]
    eps = float(np.finfo(dtype).eps)
    unit = quat.normalize(q.astype(dtype)).astype(np.longdouble)
    lengths = np.sqrt((unit * unit).sum(-1))
    assert np.abs(lengths.astype(dtype) - 1).max() <= eps
    assert abs((lengths - 1).mean()) <= eps / 10  # nor are they short on the whole
    d = np.concatenate([q, np.random.default_rng(4).normal(size=(2000, 4))], -1).astype(dtype)
    unit = dual_quat.normalize(d)[:, :4].astype(np.longdouble)
    assert np.abs(np.sqrt((unit * unit).sum(-1)).astype(dtype) - 1).max() <= eps


def test_a_batch_of_pairs_takes_a_batch_of_times():
    rng = np.random.default_rng(5)
    a, b = (quat.normalize(rng.normal(size=(7, 4))) for _ in range(2))
    da, db = (
        np.array([rigid(rng.normal(size=3), 1, rng.normal(size=3)) for _ in range(7)]) for _ in range(2)
    )
    t = rng.uniform(size=7)
    for f, start, end in ((quat.slerp, a, b), (quat.nlerp, a, b), (dual_quat.sclerp, da, db)):
        pairs = f(start, end, t)
        table = f(start, end, t[:, None])
        assert pairs.shape == start.shape
        assert table.shape == (7, *start.shape)
        for i in range(7):
            np.testing.assert_array_equal(pairs[i], f(start[i], end[i], t[i]))
            np.testing.assert_array_equal(table[i], f(start, end, t[i]))


# ---- Blends of either sign. ----


def test_dlb_does_not_mind_mixed_signs():
    rng = np.random.default_rng(6)
    q = np.array([rigid(rng.normal(size=3), rng.uniform(0, 1.5), rng.normal(size=3) * 12) for _ in range(6)])
    weights = np.array([0.05, 0.3, 0.25, 0.2, 0.15, 0.05])
    pivot = q[1]
    signed = q * np.where(q[:, :4] @ pivot[:4] < 0, -1, 1)[:, None]
    summed = weights @ signed
    length = np.linalg.norm(summed[:4])
    expected = np.concatenate(
        [summed[:4] / length, summed[4:] / length - (summed[:4] @ summed[4:]) / length**3 * summed[:4]]
    )
    for signs in np.array(np.meshgrid(*[[1, -1]] * 6)).reshape(6, -1).T:
        got = dual_quat.dlb(signs[:, None] * q, weights)
        close(got * signs[1], expected)


def test_dlb_gives_a_unit_in_both_senses_where_plain_division_does_not():
    """Half a turn with a pitch, blended with rest: sum / length alone has <real, dual> of 0.25."""
    q = np.array([[0, 0, 0, 1.0, 0, 0, 0, 0], rigid([0, 0, 1], np.pi, [0, 0, 1.0])])
    blend = dual_quat.dlb(q, np.array([0.5, 0.5]))
    assert abs(blend[:4] @ blend[4:]) < EPS
    summed = q.mean(0) / np.linalg.norm(q[:, :4].mean(0))
    assert abs(summed[:4] @ summed[4:]) == pytest.approx(0.25)
    close(dual_quat.translation(blend), 2 * quat_twin.multiply(blend[4:], quat_twin.conjugate(blend[:4]))[:3])


# ---- The errors of a book's sample code. ----


def test_a_product_applies_its_right_factor_first():
    """Not the reversed one, and the same for quaternions, dual quaternions, trs and matrices."""
    x, z = turn_about([1, 0, 0], np.pi / 2), turn_about([0, 0, 1], np.pi / 2)
    y_axis = np.array([0, 1.0, 0])
    close(quat.rotate(quat.multiply(z, x), y_axis), [0, 0, 1])  # y to z by x, and z stays
    close(quat.rotate(quat.multiply(x, z), y_axis), [-1, 0, 0])  # y to -x by z, and -x stays
    a, b = rigid([1, 0, 0], np.pi / 2, [1, 2, 3]), rigid([0, 0, 1], np.pi / 2, [-4, 5, 6])
    one_by_one = dual_quat.transform_point(a, dual_quat.transform_point(b, y_axis))
    close(dual_quat.transform_point(dual_quat.multiply(a, b), y_axis), one_by_one)
    ta, tb = dual_quat.to_trs(a), dual_quat.to_trs(b)
    close(trs.transform_point(trs.compose(ta, tb), y_axis), one_by_one)
    matrix = trs.to_matrix(ta) @ trs.to_matrix(tb)
    close((matrix @ [*y_axis, 1])[:3], one_by_one)


def test_comparison_looks_at_w():
    rest, other = np.array([0, 0, 0, 1.0]), np.array([0, 0, 0, 0.2])
    dual = np.zeros(4)
    assert not dual_quat.equal(np.concatenate([rest, dual]), np.concatenate([other, dual]))
    turned = turn_about([0, 0, 1], 1.0)
    assert not quat.same_rotation(rest, turned)
    # Alike in x, y, z, and another rotation by its w.
    a, b = np.array([0.6, 0, 0, 0.8]), np.array([0.6, 0, 0, -0.8])
    assert not quat.same_rotation(a, b)
    assert quat.same_rotation(a, -a)
    assert not dual_quat.same_transform(np.concatenate([a, dual]), np.concatenate([b, dual]))
    for i in range(8):
        off = X.copy()
        off[i] += 1e-3
        assert not dual_quat.equal(X, off)


def test_slerp_from_q_to_minus_q_stays_there():
    q = turn_about([1, 2, 3], 2.0)
    for t in (0.25, 0.5, 1):
        close(np.abs(quat.slerp(q, -q, t)), np.abs(q))
        close(np.abs(quat.nlerp(q, -q, t)), np.abs(q))
        assert quat.same_rotation(quat.slerp(q, -q, t), q, tolerance=1e-12)


def test_a_trs_and_its_inverse_compose_to_the_identity_or_say_why_not():
    uneven = trs.from_parts([1.0, 2, 3], turn_about([1, 2, 3], 1.0), [1.0, 2, 3])
    with pytest.raises(ValueError, match=r"trs.inverse: .*to_matrix"):
        trs.inverse(uneven)
    even = trs.from_parts([1.0, 2, 3], turn_about([1, 2, 3], 1.0), [2.0, 2, 2])
    identity = trs.identity(dtype=np.float64)
    close(trs.to_matrix(trs.compose(even, trs.inverse(even))), trs.to_matrix(identity))
    close(trs.to_matrix(trs.compose(trs.inverse(even), even)), trs.to_matrix(identity))
    straight = trs.from_parts([1.0, 2, 3], [0, 0, 0, 1.0], [1.0, 2, 3])  # uneven, yet nothing turns
    close(trs.compose(straight, trs.inverse(straight)), identity)
    quarter = trs.from_parts([1.0, 2, 3], turn_about([0, 1, 0], np.pi / 2), [1.0, 2, 3])  # axes change places
    close(trs.to_matrix(trs.compose(quarter, trs.inverse(quarter))), trs.to_matrix(identity))


def test_scale_comes_back_from_a_matrix_as_it_went_in():
    """From R^-1 M, not M R^-1: (1, 2, 3) became (1.76, 2.30, 1.94) there."""
    given = trs.from_parts([1.0, 2, 3], turn_about([1, 2, 3], 1.0), [1.0, 2, 3])
    close(trs.from_matrix(trs.to_matrix(given)), given)
    mirror = trs.from_parts([1.0, 2, 3], turn_about([1, 2, 3], 1.0), [1.0, 2, -3])
    back = trs.from_matrix(trs.to_matrix(mirror))
    close(trs.to_matrix(back), trs.to_matrix(mirror))
    assert np.prod(trs.scale(back)) == pytest.approx(-6)
    close(np.sort(np.abs(trs.scale(back))), [1, 2, 3])
