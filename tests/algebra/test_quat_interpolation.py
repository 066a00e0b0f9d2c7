# SPDX-License-Identifier: MIT
import numpy as np
import pytest

from lissom import quat
from reference import quat as twin
from reference import rounding as exact

DTYPES = [np.float32, np.float64]
# Errors are lengths, as shares of the length of the result: what is asked, and what rounding leaves here.
ASKED = {np.float32: 4e-7, np.float64: 1e-14}
ROUNDING = {np.float32: 2.5e-7, np.float64: 1e-15}


def units(rng, *shape, dtype=np.float64):
    q = rng.normal(size=(*shape, 4))
    return (q / np.linalg.norm(q, axis=-1, keepdims=True)).astype(dtype)


def turns(rng, count, angle, dtype):
    """Rotations by `angle` about random axes."""
    axis = rng.normal(size=(count, 3))
    axis *= np.sin(angle / 2) / np.linalg.norm(axis, axis=-1, keepdims=True)
    return np.concatenate([axis, np.full((count, 1), np.cos(angle / 2))], -1).astype(dtype)


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.itemsize}")


def worst(got, expected):
    return max(exact.error(row, other) for row, other in zip(got, expected, strict=True))


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_match_the_twins(dtype):
    rng = np.random.default_rng(1)
    a, b = units(rng, 2, 300, dtype=dtype)
    q, t = rng.normal(size=(300, 4)).astype(dtype), rng.uniform(-1, 2, 300).astype(dtype)
    for got, expected in [
        (quat.slerp(a, b, t), twin.slerp(a, b, t)),
        (
            quat.slerp(a, b, t, short=False),
            twin.multiply(a, twin.power(twin.multiply(twin.conjugate(a), b), t)),
        ),
        (quat.nlerp(a, b, t), twin.nlerp(a, b, t)),
        (quat.log(q), twin.log(q)),
        (quat.exp(q), twin.exp(q)),
        (quat.power(q, t), twin.power(q, t)),
    ]:
        assert got.dtype == dtype
        np.testing.assert_allclose(got, expected, atol=20 * ASKED[dtype], rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "angle", [0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1, 2, 3, np.pi - 1e-6, np.pi - 1e-12, np.pi]
)
def test_slerp_is_right_to_rounding_at_every_angle(dtype, angle):
    rng = np.random.default_rng(2)
    a, t = units(rng, 20, dtype=dtype), rng.uniform(size=20).astype(dtype)
    b = twin.multiply(a, turns(rng, 20, angle, np.float64)).astype(dtype)
    # At a right angle of the quaternions to rounding, either way is short.
    either = np.abs(np.sum(a.astype(float) * b, -1)) < 4 * np.finfo(dtype).eps
    for end in (b, -b):
        for x, y, s, got, tie in zip(a, end, t, quat.slerp(a, end, t), either, strict=True):
            errors = [exact.error(got, exact.slerp(x, y, s))]
            if tie:
                errors += [exact.error(got, exact.slerp(x, z, s, short=False)) for z in (y, -y)]
            assert min(errors) < 2 * ROUNDING[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rest", [1, 0.1, 1e-3, 1e-5, 1e-9, 1e-12])
def test_slerp_as_given_is_right_up_to_a_full_turn(dtype, rest):
    if rest < np.sqrt(np.finfo(dtype).eps) and dtype == np.float32:
        return  # closer to -a than float32 tells apart
    rng = np.random.default_rng(3)
    a, t = units(rng, 20, dtype=dtype), rng.uniform(size=20).astype(dtype)
    b = twin.multiply(a, turns(rng, 20, 2 * np.pi - rest, np.float64)).astype(dtype)
    for p, q in ((a, b), (b, a), (a, -b)):
        long = [exact.slerp(x, y, s, short=False) for x, y, s in zip(p, q, t, strict=True)]
        assert worst(quat.slerp(p, q, t, short=False), long) < 3 * ROUNDING[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
def test_slerp_from_a_to_minus_a_turns_about_its_x_axis(dtype):
    a = units(np.random.default_rng(4), 30, dtype=dtype)
    t = np.linspace(0, 1, 9, dtype=dtype)[:, None]
    turn = np.concatenate([np.sin(np.pi * t), 0 * t, 0 * t, np.cos(np.pi * t)], -1)[:, None]
    expected = twin.multiply(a, turn)
    np.testing.assert_allclose(quat.slerp(a, -a, t, short=False), expected, atol=4 * ASKED[dtype])
    # Beside it by a rounding: on the same path, not on one that the rounding chose.
    beside = np.nextafter(-a, 0)
    np.testing.assert_allclose(
        quat.slerp(a, beside, t[1:-1], short=False), expected[1:-1], atol=4 * ASKED[dtype]
    )
    np.testing.assert_allclose(
        np.linalg.norm(quat.slerp(a, -a, t, short=False), axis=-1), 1, atol=ASKED[dtype]
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("short", [True, False])
def test_slerp_ends_to_the_bit(dtype, short):
    rng = np.random.default_rng(5)
    a, b = units(rng, 2, 500, dtype=dtype)
    a[:9, :3], b[:9, 1:] = [[-0.0, 0, -0.0]], [[0, -0.0, -0.0]]
    b[9:20] = a[9:20]
    b[20:30] = -a[20:30]
    b[30:40] = np.nextafter(a[30:40], 0)
    a[40:50] *= dtype(1.001)  # unit or not
    sign = np.where(short & (quat.dot(a, b) < 0), -1, 1).astype(dtype)[:, None]
    np.testing.assert_array_equal(bits(quat.slerp(a, b, 0.0, short=short)), bits(a))
    np.testing.assert_array_equal(bits(quat.slerp(a, b, 1, short=short)), bits(sign * b))
    assert np.isnan(quat.slerp(a, np.full(4, np.nan, dtype), 0, short=short)).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_slerp_keeps_speed_and_goes_on_beyond_its_ends(dtype):
    rng = np.random.default_rng(6)
    a, turn = units(rng, 20, dtype=dtype), turns(rng, 20, 2.0, np.float64)
    b = twin.multiply(a, turn).astype(dtype)
    t = np.linspace(-2, 3, 41).astype(dtype)
    got = quat.slerp(a, b, t[:, None])
    expected = twin.multiply(a, twin.power(turn, t[:, None]))
    np.testing.assert_allclose(got, expected, atol=10 * ASKED[dtype])
    np.testing.assert_allclose(quat.angle_between(got[1:], got[:-1]), 2.0 / 8, rtol=20 * ASKED[dtype])
    np.testing.assert_allclose(quat.slerp(b, a, 1 - t[:, None]), got, atol=10 * ASKED[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_slerp_as_given_is_a_power_and_agrees_with_the_short_way(dtype):
    rng = np.random.default_rng(7)
    a, b = units(rng, 2, 100, dtype=dtype)
    t = rng.uniform(size=100).astype(dtype)
    given = quat.slerp(a, b, t, short=False)
    power = quat.multiply(a, quat.power(quat.multiply(quat.conjugate(a), b), t))
    np.testing.assert_allclose(given, power, atol=4 * ASKED[dtype])
    near = quat.align(np.stack([a, b]))[1]
    np.testing.assert_allclose(
        quat.slerp(a, near, t, short=False), quat.slerp(a, b, t), atol=2 * ASKED[dtype]
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_slerp_of_lengths_that_are_nearly_one_has_no_jump(dtype):
    a, b = dtype(1.001) * units(np.random.default_rng(8), 2, 100, dtype=dtype)
    b *= dtype(0.998)
    step = dtype(1e-5)
    np.testing.assert_allclose(quat.slerp(a, b, step), a, atol=4e-5)
    near = np.where(quat.dot(a, b)[:, None] < 0, -b, b)
    np.testing.assert_allclose(quat.slerp(a, b, 1 - step), near, atol=4e-5)


def test_nlerp_takes_the_path_of_slerp():
    rng = np.random.default_rng(9)
    a, b = units(rng, 2, 200)
    t = np.linspace(0, 1, 11)[:, None]
    between = quat.nlerp(a, b, t)
    np.testing.assert_allclose(np.linalg.norm(between, axis=-1), 1, atol=1e-15)
    np.testing.assert_allclose(between[5], quat.slerp(a, b, 0.5), atol=1e-14)
    np.testing.assert_allclose(quat.nlerp(a, -b, t), between, atol=0)
    np.testing.assert_allclose(between[[0, 10]], quat.slerp(a, b, t[[0, 10]]), atol=1e-15)
    # The figures of the docstring.
    for angle, most in ((np.pi / 2, 0.011), (np.pi, 0.046)):
        t = np.linspace(0, 1, 1001)[:, None]
        end = [0, np.sin(angle / 2), 0, np.cos(angle / 2)]
        off = quat.angle_between(quat.nlerp([0, 0, 0, 1], end, t), quat.slerp([0, 0, 0, 1], end, t))
        assert 0.9 * most < off.max() / angle < most


def test_nlerp_as_given_takes_the_signs_as_they_are():
    a, b = units(np.random.default_rng(10), 2, 200)
    sign = np.where(quat.dot(a, b) < 0, -1, 1)[:, None]
    np.testing.assert_array_equal(quat.nlerp(a, sign * b, 0.3, short=False), quat.nlerp(a, b, 0.3))
    far = quat.nlerp(a, -sign * b, 0.3, short=False)
    np.testing.assert_allclose(far, twin.normalize(0.7 * a - 0.3 * sign * b), atol=1e-13)
    one = np.array([0, 0, 0, 1.0])
    assert np.isnan(quat.nlerp(one, -one, 0.5, short=False)).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_log_exp_and_power_are_right_to_rounding(dtype):
    rng = np.random.default_rng(11)
    unit, t = units(rng, 150, dtype=dtype), rng.uniform(size=150).astype(dtype)
    q = (rng.normal(size=(150, 4)) * 10.0 ** rng.uniform(-2, 2, (150, 1))).astype(dtype)
    e = rng.normal(size=(150, 4)).astype(dtype)
    assert worst(quat.log(unit), map(exact.log, unit)) < ROUNDING[dtype]
    assert worst(quat.log(q), map(exact.log, q)) < ROUNDING[dtype]
    assert worst(quat.exp(e), map(exact.exp, e)) < 1.5 * ROUNDING[dtype]
    assert worst(quat.power(unit, t), map(exact.power, unit, t)) < 2 * ROUNDING[dtype]
    assert worst(quat.power(q, t), map(exact.power, q, t)) < 2 * ROUNDING[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("angle", [1e-3, 1e-6, 1e-8, 1e-12, 1e-20, 1e-30])
def test_log_exp_and_power_lose_nothing_at_the_smallest_angles(dtype, angle):
    rng = np.random.default_rng(12)
    q, t = turns(rng, 30, angle, dtype), rng.uniform(size=30).astype(dtype)
    for near in (q, -q):  # no rotation, and a full turn
        got, expected = quat.log(near), [exact.log(x) for x in near]
        assert worst(got[:, :3], [x[:3] for x in expected]) < ROUNDING[dtype]
        assert np.abs(got[:, 3]).max() <= np.finfo(dtype).eps
    got, expected = quat.power(q, t), [exact.power(x, s) for x, s in zip(q, t, strict=True)]
    assert worst(got[:, :3], [x[:3] for x in expected]) < 2 * ROUNDING[dtype]
    pure = quat.log(q) * np.array([1, 1, 1, 0], dtype)
    got, expected = quat.exp(pure), [exact.exp(x) for x in pure]
    assert worst(got[:, :3], [x[:3] for x in expected]) < ROUNDING[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
def test_real_exponential_and_logarithm_are_right_to_an_ulp(dtype):
    rng = np.random.default_rng(13)
    most = {np.float32: 87, np.float64: 708}[dtype]
    w = np.concatenate([rng.uniform(-most, most, 300), rng.uniform(-1, 1, 300)]).astype(dtype)
    q = np.zeros((600, 4), dtype)
    q[:, 3] = w
    ulp = np.finfo(dtype).eps
    assert worst(quat.exp(q)[:, 3:], [[exact.mp.exp(float(x))] for x in w]) < 0.8 * ulp
    q[:, 3] = np.exp(w.astype(float)).astype(dtype)
    got = quat.log(q)[:, 3:]
    assert worst(got, [[exact.mp.log(float(x))] for x in q[:, 3]]) < 1.5 * ulp
    np.testing.assert_array_equal(quat.log(quat.identity(3, dtype)), np.zeros((3, 4)))
    # Beyond the normal numbers on both sides.
    tiny, huge = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    for x in (tiny, 3 * tiny, np.finfo(dtype).tiny, huge):
        np.testing.assert_allclose(
            quat.log(np.array([0, 0, 0, x], dtype)), [0, 0, 0, np.log(np.float64(x))], rtol=2 * ulp
        )
    for x in (np.log(np.float64(tiny)), np.log(np.float64(5 * tiny)), most + 0.5):
        expected = dtype(np.exp(np.float64(dtype(x))))
        np.testing.assert_allclose(
            quat.exp(np.array([0, 0, 0, x], dtype))[3], expected, rtol=2 * ulp, atol=tiny
        )


@pytest.mark.parametrize("dtype", DTYPES)
def test_log_of_nearly_unit_lengths_is_what_they_are_off(dtype):
    off = np.array([2.0**-20, -(2.0**-22), 2.0**-18, 0], dtype)
    q = np.zeros((4, 4), dtype)
    q[:, 3] = 1 + off
    np.testing.assert_allclose(quat.log(q)[:, 3], np.log1p(off.astype(float)), rtol=4 * np.finfo(dtype).eps)


def test_known_logarithms_and_their_edges():
    half = np.sqrt(0.5)
    np.testing.assert_allclose(quat.log([0, 0, half, half]), [0, 0, np.pi / 4, 0], atol=3e-16)
    np.testing.assert_array_equal(quat.log([0, 0, 0, 1.0]), [0, 0, 0, 0])
    np.testing.assert_array_equal(quat.log([0, 0, 0, -1.0]), [np.pi, 0, 0, 0])
    np.testing.assert_allclose(quat.log([0, 0, 0, -np.e]), [np.pi, 0, 0, 1], atol=3e-16)
    np.testing.assert_allclose(quat.log([0, 2.0, 0, 0]), [0, np.pi / 2, 0, np.log(2)], rtol=3e-16)
    for zero in ([0, 0, 0, 0.0], [0, 0, 0, -0.0]):
        np.testing.assert_array_equal(quat.log(zero), [0, 0, 0, -np.inf])
    np.testing.assert_array_equal(quat.exp([0, 0, 0, 0.0]), [0, 0, 0, 1])
    np.testing.assert_array_equal(quat.exp([0, 0, 0, -np.inf]), [0, 0, 0, 0])
    np.testing.assert_array_equal(quat.exp([0, 0, 0, 1000.0]), [0, 0, 0, np.inf])
    np.testing.assert_array_equal(quat.exp([0, 0, 0, -1000.0]), [0, 0, 0, 0])
    np.testing.assert_allclose(quat.exp([0, 0, 1e7, 0.0]), [0, 0, np.sin(1e7), np.cos(1e7)], rtol=1e-13)
    assert np.isnan(quat.exp([np.inf, 0, 0, 0.0])).any()
    smallest = [0, 5e-324, 0, 1.0]
    np.testing.assert_array_equal(quat.log(smallest), [0, 5e-324, 0, 0])
    np.testing.assert_array_equal(quat.exp([0, 5e-324, 0, 0]), smallest)


def test_powers_and_their_edges():
    q = units(np.random.default_rng(14), 50)
    np.testing.assert_allclose(quat.power(q, 1), q, atol=1e-15)
    np.testing.assert_allclose(quat.power(q, 2), quat.multiply(q, q), atol=2e-15)
    np.testing.assert_allclose(quat.power(q, -1), quat.conjugate(q), atol=1e-15)
    np.testing.assert_allclose(quat.power(3 * q, -1), quat.inverse(3 * q), atol=1e-15)
    np.testing.assert_array_equal(quat.power(q, 0), quat.identity(50))
    np.testing.assert_allclose(quat.power([0, 0, 0, -1], 0.5), [1, 0, 0, 0], atol=1e-16)
    np.testing.assert_array_equal(
        quat.power([0, 0, 0, 0], [0.5, 0, -1]), [[0] * 4, [0, 0, 0, 1], [0, 0, 0, np.inf]]
    )
    assert np.isnan(quat.power([0, np.nan, 0, 0], 0)).all()


def test_exp_undoes_log():
    rng = np.random.default_rng(15)
    q = rng.normal(size=(100, 4)) * 10.0 ** rng.uniform(-100, 100, (100, 1))
    size = np.linalg.norm(q, axis=-1, keepdims=True)
    np.testing.assert_allclose(quat.exp(quat.log(q)) / size, q / size, atol=1e-13)
    v = rng.normal(size=(100, 3))
    v *= rng.uniform(0, np.pi, (100, 1)) / np.linalg.norm(v, axis=-1, keepdims=True)
    p = np.concatenate([v, rng.normal(size=(100, 1))], -1)
    np.testing.assert_allclose(quat.log(quat.exp(p)), p, atol=1e-13)
