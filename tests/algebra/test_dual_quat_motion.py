# SPDX-License-Identifier: MIT
"""Logarithm, exponential, powers, screws and the screw path between two dual quaternions."""

import numpy as np
import pytest

from dual_quat_samples import DTYPES, TOLERANCE, assert_same_transform, units
from lissom import dual_quat
from reference import dual_quat as twin
from reference.exact import dual_quat as precise
from reference.exact import numbers

# What the results may be off by, of the size of the half they are in: away from singularities, and near them.
ACCURACY = {np.float32: 4e-7, np.float64: 1e-14}
NEAR = {np.float32: 4e-7, np.float64: 1e-12}
TINY_ANGLES = [0, 1e-300, 1e-160, 1e-20, 1e-12, 1e-9, 1e-7, 1e-4, 0.01]
# Either side of where the series end: sin(angle / 2) = 1/8 and angle / 2 = 1/4.
SERIES_ENDS = [0.2506556, 0.2506557, 0.4999999, 0.5000001]
LARGE_ANGLES = [1, 2, 3, np.pi - 1e-7, np.pi, np.pi + 1e-7, 4, 5, 6]


def digits(q):
    return numbers.exact(q.tolist())


def turned(angle, axis, shift):
    """Rotation by `angle` about `axis` (any length), then a translation."""
    axis = np.asarray(axis) / np.linalg.norm(axis)
    rotation = np.array([*(np.sin(angle / 2) * axis), np.cos(angle / 2)])
    return twin.from_rotation_translation(rotation, shift)


def error(got, exact, sizes=None):
    """The larger error of the halves, each as a share of its size."""
    worst = 0.0
    for half in (slice(0, 4), slice(4, 8)):
        off = [numbers.mp.mpf(float(g)) - e for g, e in zip(got[half], exact[half], strict=True)]
        size = numbers.norm(exact[half]) if sizes is None else sizes[half.start // 4]
        if size == 0:
            assert not any(off)
            continue
        worst = max(worst, float(numbers.norm(off) / size))
    return worst


def growth(q):
    """By what a logarithm magnifies the rounding of its input towards a turn by 2 pi: 1 / sin(angle / 2)."""
    return 1 / np.linalg.norm(q[:3].astype(float)) if q[3] < 0 else 1.0


def motions(rng, dtype):
    """200 of any kind."""
    return units(rng, 200, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_log_of_known_screws(dtype):
    # Half a turn about z through (1, 0, 0), and 2 along it: line z, moment (1, 0, 0) x z = -y.
    q = dual_quat.from_screw(np.array([0, 0, 1], dtype), np.array([0, -1, 0], dtype), dtype(np.pi), dtype(2))
    log = dual_quat.log(q)
    np.testing.assert_allclose(log, [0, 0, np.pi / 2, 0, 0, -np.pi / 2, 1, 0], atol=TOLERANCE[dtype])
    np.testing.assert_array_equal(
        dual_quat.log(np.array([0, 0, 0, 1, 1, 2, 3, 0], dtype)), [0, 0, 0, 0, 1, 2, 3, 0]
    )
    np.testing.assert_array_equal(
        dual_quat.exp(np.array([0, 0, 0, 0, 1, 2, 3, 0], dtype)), [0, 0, 0, 1, 1, 2, 3, 0]
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_log_is_accurate(dtype):
    for q in motions(np.random.default_rng(1), dtype):
        exact = precise.log(precise.normalize(digits(q)))
        assert error(dual_quat.log(q), exact) < ACCURACY[dtype] * growth(q)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("angle", TINY_ANGLES + SERIES_ENDS + LARGE_ANGLES)
def test_log_is_accurate_at_every_angle(dtype, angle):
    rng = np.random.default_rng(2)
    for shift in (rng.normal(size=3), np.zeros(3), np.array([1.0, 0, 0])):
        for axis in (rng.normal(size=3), [1.0, 0, 0]):
            q = turned(angle, axis, shift).astype(dtype)
            exact = precise.log(precise.normalize(digits(q)))
            assert error(dual_quat.log(q), exact) < NEAR[dtype] * growth(q)


@pytest.mark.parametrize("dtype", DTYPES)
def test_exp_is_accurate(dtype):
    rng = np.random.default_rng(3)
    for scale in (1e-20, 1e-7, 1e-3, 0.124, 0.126, 0.249, 0.251, 1, 3):
        for _ in range(25):
            pure = rng.normal(size=8)
            pure[:3] *= scale / np.linalg.norm(pure[:3])
            pure = pure.astype(dtype)
            exact = precise.exp(digits(pure))
            # Towards a turn by 2 pi the result is far smaller than the sums it is made of.
            sizes = (1, np.linalg.norm(pure[4:7])) if scale > 2 else None
            assert error(dual_quat.exp(pure), exact, sizes) < ACCURACY[dtype]


def test_exp_ignores_scalars_and_gives_units():
    pure = np.random.default_rng(4).normal(size=(100, 8))
    q = dual_quat.exp(pure)
    pure[:, [3, 7]] = 0
    np.testing.assert_array_equal(dual_quat.exp(pure), q)
    np.testing.assert_allclose(np.linalg.norm(q[:, :4], axis=-1), 1, atol=1e-15)
    np.testing.assert_allclose(np.sum(q[:, :4] * q[:, 4:], -1), 0, atol=1e-15)


@pytest.mark.parametrize("dtype", DTYPES)
def test_exp_undoes_log(dtype):
    rng = np.random.default_rng(5)
    q = motions(rng, dtype)
    q = q[q[:, 3] > -0.999]
    np.testing.assert_allclose(dual_quat.exp(dual_quat.log(q)), q, atol=8 * TOLERANCE[dtype])
    for angle in TINY_ANGLES + SERIES_ENDS + LARGE_ANGLES:
        q = turned(angle, rng.normal(size=3), rng.normal(size=3)).astype(dtype)
        np.testing.assert_allclose(dual_quat.exp(dual_quat.log(q)), q, atol=8 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_turn_by_two_pi_takes_the_axis_of_its_translation(dtype):
    minus = np.array([0, 0, 0, -1, 0, 0, 0, 0], dtype)
    np.testing.assert_allclose(dual_quat.log(minus), [np.pi, 0, 0, 0, 0, 0, 0, 0], rtol=1e-6)
    shifted = dual_quat.from_quat_translation(minus[:4], np.array([0, 0, 3], dtype))
    log = dual_quat.log(shifted)
    np.testing.assert_allclose(log, [0, 0, np.pi, 0, 0, 0, 1.5, 0], rtol=1e-6)
    for q in (minus, shifted):
        np.testing.assert_allclose(dual_quat.exp(dual_quat.log(q)), q, atol=TOLERANCE[dtype])
    half = dual_quat.power(shifted, dtype(0.5))
    np.testing.assert_allclose(dual_quat.multiply(half, half), shifted, atol=TOLERANCE[dtype])
    # In a batch, beside others.
    both = np.stack([shifted, np.array([0, 0, 0, 1, 1, 0, 0, 0], dtype)])
    np.testing.assert_array_equal(dual_quat.log(both)[0], log)
    np.testing.assert_array_equal(dual_quat.log(both)[1], [0, 0, 0, 0, 1, 0, 0, 0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_powers_are_screw_powers(dtype):
    # dqrobotics and dq3d fail these: (x^0.5)^2 is off by 1.1 and 0.84 there.
    x = turned(1.0, [1, 2, 3], [2, 4, 6]).astype(dtype)
    half, third = dual_quat.power(x, dtype(0.5)), dual_quat.power(x, dtype(1 / 3))
    np.testing.assert_allclose(dual_quat.multiply(half, half), x, atol=2 * TOLERANCE[dtype])
    cube = dual_quat.multiply(third, dual_quat.multiply(third, third))
    np.testing.assert_allclose(cube, x, atol=2 * TOLERANCE[dtype])
    rng = np.random.default_rng(6)
    q = units(rng, 100)
    q = (q * np.where(q[:, 3:4] < 0, -1, 1)).astype(dtype)
    s, t = rng.uniform(-1, 1, (2, 100)).astype(dtype)
    product = dual_quat.multiply(dual_quat.power(q, s), dual_quat.power(q, t))
    np.testing.assert_allclose(product, dual_quat.power(q, s + t), atol=8 * TOLERANCE[dtype])
    np.testing.assert_array_equal(dual_quat.power(q, dtype(0)), np.tile(np.eye(8)[3], (100, 1)))
    np.testing.assert_allclose(dual_quat.power(q, dtype(1)), q, atol=4 * TOLERANCE[dtype])
    np.testing.assert_allclose(
        dual_quat.power(q, dtype(-1)), dual_quat.conjugate(q), atol=4 * TOLERANCE[dtype]
    )


def test_power_takes_the_sign_as_given():
    q = turned(1.0, [0, 0, 1], [0, 0, 2])
    half = dual_quat.power(-q, 0.5)
    # -q turns by 1 - 2 pi about z: half of that is a turn by 0.5 + pi, up to the sign.
    screw = dual_quat.to_screw(half)
    np.testing.assert_allclose(screw.angle, np.pi - 0.5, atol=1e-14)
    np.testing.assert_allclose(dual_quat.multiply(half, half), -q, atol=1e-14)


def pairs(rng, dtype, count=200):
    return units(rng, count, dtype=dtype), units(rng, count, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sclerp_is_accurate(dtype):
    rng = np.random.default_rng(7)
    a, b = pairs(rng, dtype)
    t = rng.uniform(-0.5, 1.5, 200).astype(dtype)
    got = dual_quat.sclerp(a, b, t)
    for i in range(200):
        p, q = precise.normalize(digits(a[i])), precise.normalize(digits(b[i]))
        sizes = 1, max(np.linalg.norm(a[i, 4:]), np.linalg.norm(b[i, 4:]))
        assert error(got[i], precise.sclerp(p, q, numbers.mp.mpf(float(t[i]))), sizes) < ACCURACY[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("angle", TINY_ANGLES + SERIES_ENDS + [1, 2, 3, np.pi - 1e-7, np.pi - 1e-12])
def test_sclerp_is_accurate_near_singularities(dtype, angle):
    rng = np.random.default_rng(8)
    for t in (0.25, 0.5, 0.9):
        a = units(rng)
        for shift in (rng.normal(size=3), np.zeros(3)):
            b = twin.multiply(a, turned(angle, rng.normal(size=3), shift))
            for end in (b, -b):
                x, y, moment = a.astype(dtype), end.astype(dtype), dtype(t)
                p, q = precise.normalize(digits(x)), precise.normalize(digits(y))
                # Rounding decides which of two equally long ways half a turn takes.
                sure = abs(numbers.dot(p[:4], q[:4])) > 2 * np.finfo(dtype).eps
                ways = [q] if sure else [q, [-number for number in q]]
                exact = [precise.sclerp(p, way, numbers.mp.mpf(float(moment)), short=sure) for way in ways]
                sizes = 1, max(np.linalg.norm(x[4:]), np.linalg.norm(y[4:]))
                got = dual_quat.sclerp(x, y, moment)
                assert min(error(got, way, sizes) for way in exact) < NEAR[dtype]


def test_sclerp_goes_along_the_screw_of_the_matrices():
    rng = np.random.default_rng(9)
    for _ in range(50):
        a, b = units(rng, 2)
        for t in (-0.3, 0, 0.2, 0.5, 0.8, 1, 1.3):
            got = dual_quat.to_matrix(dual_quat.sclerp(a, b, t))
            np.testing.assert_allclose(got, twin.sclerp_matrix(a, b, t), atol=1e-10)  # eig near half turns


@pytest.mark.parametrize("dtype", DTYPES)
def test_sclerp_meets_its_ends_to_the_bit(dtype):
    rng = np.random.default_rng(10)
    a, b = pairs(rng, dtype)
    np.testing.assert_array_equal(dual_quat.sclerp(a, b, dtype(0)), a)
    side = np.where(dual_quat.dot(a, b)[:, None] < 0, -1, 1)
    np.testing.assert_array_equal(dual_quat.sclerp(a, b, dtype(1)), side * b)
    np.testing.assert_array_equal(dual_quat.sclerp(a, b, dtype(1), short=False), b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sclerp_between_equals_stays(dtype):
    # dual_quaternions 0.4.0 raises here.
    a = units(np.random.default_rng(11), 50, dtype=dtype)
    for t in np.linspace(0, 1, 5).astype(dtype):
        np.testing.assert_allclose(dual_quat.sclerp(a, a, t), a, atol=TOLERANCE[dtype] / 4)
        np.testing.assert_allclose(dual_quat.sclerp(a, -a, t), a, atol=TOLERANCE[dtype] / 4)


@pytest.mark.parametrize("angle", [1e-7, 1e-12])
def test_sclerp_between_near_equals_keeps_its_digits(angle):
    # dual_quaternions 0.4.0 errs by 1e-8 here, scipy's a * (a.inv() * b)**t by 3e-8.
    a = turned(0.7, [1, 2, 3], [2, 4, 6])
    b = twin.multiply(a, turned(angle, [1, 0, 0], [0.1, 0.2, 0.3]))
    for t in (0.25, 0.5, 0.75):
        exact = precise.sclerp(*(precise.normalize(digits(q)) for q in (a, b)), numbers.mp.mpf(t))
        assert error(dual_quat.sclerp(a, b, t), exact, (1, 1)) < 1e-14


@pytest.mark.parametrize("dtype", DTYPES)
def test_sclerp_takes_the_short_way_or_the_one_given(dtype):
    # dqrobotics and dq3d take the long way to -b (1.2 and 2.0 off).
    rng = np.random.default_rng(12)
    a, b = pairs(rng, dtype)
    t = rng.uniform(size=200).astype(dtype)
    short = dual_quat.sclerp(a, b, t)
    np.testing.assert_array_equal(dual_quat.sclerp(a, -b, t), short)
    turn = np.arccos(np.abs(np.sum(a[:, :4].astype(float) * b[:, :4], -1)))
    part = np.arccos(np.clip(np.abs(np.sum(a[:, :4].astype(float) * short[:, :4], -1)), 0, 1))
    np.testing.assert_allclose(part, t * turn, atol=4 * np.sqrt(np.finfo(dtype).eps))
    far = dual_quat.dot(a, b) < 0
    assert far.any()
    given = dual_quat.sclerp(a, b, t, short=False)
    np.testing.assert_array_equal(given[~far], short[~far])
    exact = dual_quat.multiply(a, dual_quat.power(dual_quat.multiply(dual_quat.conjugate(a), b), t))
    keep = dual_quat.dot(a, b) > -0.99
    np.testing.assert_allclose(given[keep], exact[keep], atol=40 * TOLERANCE[dtype])


def test_sclerp_moves_at_constant_speed_and_with_its_frame():
    rng = np.random.default_rng(13)
    a, b, frame = units(rng, 3)
    path = dual_quat.sclerp(a, b, np.linspace(0, 1, 11))
    steps = dual_quat.multiply(dual_quat.conjugate(path[:-1]), path[1:])
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), atol=1e-14)
    moved = dual_quat.sclerp(
        dual_quat.multiply(frame, a), dual_quat.multiply(frame, b), np.linspace(0, 1, 11)
    )
    np.testing.assert_allclose(moved, dual_quat.multiply(frame, path), atol=1e-14)
    back = dual_quat.sclerp(b, a, 1 - np.linspace(0, 1, 11))
    assert_same_transform(back, path, 1e-14)


def test_pure_translations_go_straight():
    a = twin.from_rotation_translation([0, 0, 0, 1], [1, 2, 3])
    b = twin.from_rotation_translation([0, 0, 0, 1], [5, 2, -1])
    q = dual_quat.sclerp(a, b, 0.25)
    np.testing.assert_array_equal(q[:4], [0, 0, 0, 1])
    np.testing.assert_allclose(dual_quat.translation(q), [2, 2, 2], atol=1e-15)


# ---- Screws. ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_screws_match_those_of_the_matrices_and_come_back(dtype):
    rng = np.random.default_rng(14)
    q = motions(rng, dtype)
    screw = dual_quat.to_screw(q)
    assert isinstance(screw, dual_quat.Screw)
    assert all(part.dtype == dtype for part in screw)
    assert (screw.angle >= 0).all()
    assert (screw.angle <= np.pi + 1e-6).all()
    assert_same_transform(dual_quat.from_screw(*screw), q.astype(float), 8 * TOLERANCE[dtype])
    for opposite, part in zip(dual_quat.to_screw(-q), screw, strict=True):
        np.testing.assert_array_equal(opposite, part)
    for i in range(50):
        axis, point, angle, shift = twin.screw_of_matrix(twin.to_matrix(q[i]))
        near = 40 * TOLERANCE[dtype] / np.sin(angle / 2) / np.sin(angle) ** 2
        np.testing.assert_allclose(screw.axis[i], axis, atol=near)
        np.testing.assert_allclose(screw.moment[i], np.cross(point, axis), atol=near)
        np.testing.assert_allclose(screw.angle[i], angle, atol=near)
        np.testing.assert_allclose(screw.pitch[i], shift, atol=near)
        m = twin.screw_matrix(axis, point, angle, shift)
        np.testing.assert_allclose(dual_quat.to_matrix(q[i]), m, atol=near)


def test_screw_of_half_a_turn_about_a_line():
    q = dual_quat.from_quat_translation([0.0, 1, 0, 0], [2.0, 3, 0])
    axis, moment, angle, pitch = dual_quat.to_screw(q)
    np.testing.assert_array_equal(axis, [0, 1, 0])
    np.testing.assert_array_equal(np.cross(axis, moment), [1, 0, 0])
    assert (float(angle), float(pitch)) == (np.pi, 3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_screw_of_translations_and_of_the_identity(dtype):
    tiny = 1e-30 if dtype == np.float32 else 1e-200
    for shift, length in (([0, 3, -4], 5), ([0, 3 * tiny, -4 * tiny], 5 * tiny)):
        q = dual_quat.from_quat_translation(np.array([0, 0, 0, 1], dtype), np.array(shift, dtype))
        for sign in (1, -1):
            screw = dual_quat.to_screw(sign * q)
            np.testing.assert_allclose(screw.axis, [0, 0.6, -0.8], rtol=1e-6)
            assert screw.moment.tolist() == [0, 0, 0]
            assert screw.angle == 0
            np.testing.assert_allclose(screw.pitch, length, rtol=1e-6)
            assert_same_transform(dual_quat.from_screw(*screw), q.astype(float), TOLERANCE[dtype])
    screw = dual_quat.to_screw(np.array([0, 0, 0, 1, 0, 0, 0, 0], dtype))
    assert [part.tolist() for part in screw] == [[1, 0, 0], [0, 0, 0], 0, 0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("angle", [1e-12, 1e-9, 1e-7, 1e-6, 1e-4, 0.1, np.pi - 1e-7, np.pi])
def test_screws_come_back_at_every_angle(dtype, angle):
    rng = np.random.default_rng(15)
    for shift in (rng.normal(size=3), np.zeros(3), 1e-9 * rng.normal(size=3)):
        q = turned(angle, rng.normal(size=3), shift).astype(dtype)
        again = dual_quat.from_screw(*dual_quat.to_screw(q))
        assert_same_transform(again, q.astype(float), 2 * TOLERANCE[dtype])


def test_a_tiny_turn_that_does_not_move_keeps_its_axis():
    screw = dual_quat.to_screw(turned(1e-20, [0, 1, 0], [0, 0, 0]))
    np.testing.assert_array_equal(screw.axis, [0, 1, 0])
    np.testing.assert_allclose(screw.angle, 1e-20, rtol=1e-15)


@pytest.mark.parametrize("factor", [1, 3, -2, 1e-200, 1e200])
def test_from_screw_takes_any_length_of_line(factor):
    axis, moment = np.array([0, 0.6, 0.8]), np.array([1.0, 0.8, -0.6])
    expected = dual_quat.from_screw(axis, moment, 1.0, 2.0)
    if factor > 0:
        got = dual_quat.from_screw(factor * axis, factor * moment, 1.0, 2.0)
    else:  # the line the other way, turned the other way
        got = dual_quat.from_screw(factor * axis, factor * moment, -1.0, -2.0)
    np.testing.assert_allclose(got, expected, atol=1e-15)
    along = dual_quat.from_screw(axis, moment + 5 * axis, 1.0, 2.0)
    np.testing.assert_allclose(along, expected, atol=1e-14)
    np.testing.assert_allclose(dual_quat.normalize(got), got, atol=1e-15)


def test_from_screw_refuses_no_axis():
    axes = np.ones((2, 3, 3))
    axes[1, 0] = 0
    for options in ({}, {"scalar_first": True}, {"out": np.empty((2, 3, 8))}):
        with pytest.raises(
            ValueError, match=r"dual_quat\.from_screw: axis must not be zero, got zero at index \(1, 0\)"
        ):
            dual_quat.from_screw(axes, np.zeros(3), 1.0, 0.0, **options)
