# SPDX-License-Identifier: MIT
import math

import numpy as np
import pytest

from lissom import quat
from reference import quat as twin
from reference import rounding as exact

DTYPES = [np.float32, np.float64]
# A few roundings: in these units, the length of the error as a share of the length of the result.
EPSILON = {np.float32: 2.0**-24, np.float64: 2.0**-53}
TOLERANCE = {np.float32: 1e-6, np.float64: 1e-14}


def units(rng, *shape, dtype=np.float64):
    q = rng.normal(size=(*shape, 4))
    return (q / np.linalg.norm(q, axis=-1, keepdims=True)).astype(dtype)


def worst(got, expected):
    return max(exact.error(row, other) for row, other in zip(got, expected, strict=True))


@pytest.mark.parametrize("dtype", DTYPES)
def test_algebra_matches_the_twins(dtype):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 200, 4)).astype(dtype)
    u, v = units(rng, 2, 200, dtype=dtype)
    for got, expected in [
        (quat.multiply(a, b), twin.multiply(a, b)),
        (quat.conjugate(a), twin.conjugate(a)),
        (quat.rotate(u, a[:, :3]), twin.rotate(u, a[:, :3])),
        (quat.inverse(a), twin.inverse(a)),
        (quat.normalize(a), twin.normalize(a)),
        (quat.dot(a, b), np.sum(a.astype(float) * b, -1)),
        (quat.angle_between(u, v), twin.angle_between(u, v)),
    ]:
        assert got.dtype == dtype
        np.testing.assert_allclose(got, expected, atol=5 * TOLERANCE[dtype], rtol=5 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_and_quotients_are_right_to_rounding(dtype):
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 200, 4)).astype(dtype)
    epsilon = EPSILON[dtype]
    assert worst(quat.multiply(a, b), map(exact.multiply, a, b)) < 4 * epsilon
    assert worst(quat.normalize(a), map(exact.normalize, a)) < 3 * epsilon
    assert worst(quat.inverse(a), map(exact.inverse, a)) < 4 * epsilon
    # Per component: four products and three sums of numbers near one.
    products = quat.multiply(a, b)
    for row, p, q in zip(products, a, b, strict=True):
        bound = np.sum(np.abs(p.astype(float))) * np.max(np.abs(q))
        for got, expected in zip(row, exact.multiply(p, q), strict=True):
            assert abs(float(expected - exact.mp.mpf(float(got)))) <= 4 * epsilon * bound


@pytest.mark.parametrize("dtype", DTYPES)
def test_lengths_of_every_size_are_taken_out(dtype):
    rng = np.random.default_rng(3)
    unit = units(rng, 50)
    sizes = [1e-37, 1e-30, 1e-20, 1e20, 1e30, 1e37]
    if dtype == np.float64:
        sizes += [1e-307, 1e-200, 1e-120, 1e120, 1e200, 1e307]
    for size in sizes:
        q = (size * unit).astype(dtype)
        assert worst(quat.normalize(q), map(exact.normalize, q)) < 4 * EPSILON[dtype]
        assert worst(quat.inverse(q), map(exact.inverse, q)) < 4 * EPSILON[dtype]
    smallest = np.array([0, 0, np.finfo(dtype).smallest_subnormal, 0], dtype)
    np.testing.assert_array_equal(quat.normalize(smallest), [0, 0, 1, 0])
    np.testing.assert_array_equal(quat.normalize(np.full(4, np.finfo(dtype).max, dtype)), np.full(4, 0.5))


def test_zero_is_refused_or_becomes_one():
    zero = np.zeros((2, 3, 4))
    zero[:] = [0, 0, 0, 2]
    zero[1, 2] = [0, -0.0, 0, 0]
    for call in (quat.normalize, quat.inverse):
        with pytest.raises(ValueError, match=r"q must not be zero, got zero at index \(1, 2\)"):
            call(zero)
        with pytest.raises(ValueError, match=f"quat.{call.__name__}: q must not be zero"):
            call([0, 0, 0, 0])
        out = np.full((2, 3, 4), 7.0)
        for scalar_first in (False, True):
            with pytest.raises(ValueError, match="must not be zero"):
                call(zero, scalar_first=scalar_first, out=out)
            assert (out == 7).all()
    np.testing.assert_array_equal(quat.normalize(zero, zero="identity"), quat.identity((2, 3)))
    first = quat.normalize(np.roll(zero, 1, -1), zero="identity", scalar_first=True)
    np.testing.assert_array_equal(first, quat.identity((2, 3), scalar_first=True))
    with pytest.raises(ValueError, match='normalize: zero must be "error" or "identity", got None'):
        quat.normalize([0, 0, 0, 1], zero=None)


def test_known_values():
    half = math.sqrt(0.5)
    i, j, k = np.eye(4)[:3]
    for a, b, product in [(i, j, k), (j, k, i), (k, i, j), (i, i, [0, 0, 0, -1])]:  # Hamilton 1843
        np.testing.assert_array_equal(quat.multiply(a, b), product)
    np.testing.assert_array_equal(quat.conjugate([1, 2, 3, 4]), [-1, -2, -3, 4])
    np.testing.assert_array_equal(quat.inverse([0, 0, 4, 0]), [0, 0, -0.25, 0])
    np.testing.assert_array_equal(quat.normalize([0, 3, 0, -4]), [0, 0.6, 0, -0.8])
    assert quat.dot([1, 2, 3, 4], [5, 6, 7, 8]) == 70
    np.testing.assert_allclose(quat.rotate([half, 0, 0, half], [0, 1, 0]), [0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(quat.angle_between([half, 0, 0, half], [0, 0, 0, 1]), np.pi / 2, rtol=1e-15)


def test_laws_of_the_algebra():
    a, b, c = np.random.default_rng(4).normal(size=(3, 100, 4))
    product = quat.multiply
    np.testing.assert_allclose(product(product(a, b), c), product(a, product(b, c)), atol=1e-13)
    np.testing.assert_allclose(product(a, quat.inverse(a)), quat.identity(100, float), atol=1e-14)
    np.testing.assert_allclose(product(quat.inverse(a), a), quat.identity(100, float), atol=1e-14)
    np.testing.assert_allclose(
        quat.conjugate(product(a, b)), product(quat.conjugate(b), quat.conjugate(a)), atol=1e-14
    )
    np.testing.assert_allclose(quat.dot(a, b), product(quat.conjugate(a), b)[:, 3], atol=1e-13)
    unit, v = quat.normalize(a), c[:, :3]
    pure = np.concatenate([v, np.zeros((100, 1))], -1)
    np.testing.assert_allclose(
        quat.rotate(unit, v), product(product(unit, pure), quat.conjugate(unit))[:, :3], atol=1e-14
    )
    np.testing.assert_array_equal(quat.rotate(-unit, v), quat.rotate(unit, v))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("angle", [0, 1e-30, 1e-12, 1e-6, 0.1, 1, 3, np.pi - 1e-6, np.pi - 1e-12, np.pi])
def test_angle_between_is_right_to_rounding_at_every_angle(dtype, angle):
    rng = np.random.default_rng(5)
    a = units(rng, 50, dtype=dtype)
    v = rng.normal(size=(50, 3))
    v *= np.sin(angle / 2) / np.linalg.norm(v, axis=-1, keepdims=True)
    b = twin.multiply(a, np.concatenate([v, np.full((50, 1), np.cos(angle / 2))], -1)).astype(dtype)
    for p, q in ((a, b), (a, -b), (b, a), (-b, a)):
        got = quat.angle_between(p, q)
        assert (got >= 0).all()
        assert (got <= dtype(np.pi)).all()
        expected = [[exact.angle_between(x, y)] for x, y in zip(p, q, strict=True)]
        assert worst(got[:, None], expected) < 6 * EPSILON[dtype]
    assert (quat.angle_between(a, a) == 0).all()
    assert (quat.angle_between(a, -a) == 0).all()


def test_angle_between_of_the_smallest_angles():
    one, near = np.array([0, 0, 0, 1.0]), np.array([1e-300, 0, 0, 1])
    np.testing.assert_allclose(quat.angle_between(one, near), 2e-300, rtol=1e-15)
    np.testing.assert_allclose(
        quat.angle_between(one.astype(np.float32), np.float32([1e-30, 0, 0, 1])), 2e-30, rtol=1e-6
    )


def test_infinity_leaves_no_number_of_a_normalized_row():
    assert np.isnan(quat.normalize([[np.inf, 0, 0, 1], [0, -np.inf, np.inf, 0]])).all()


def test_a_zero_quaternion_is_never_the_same_rotation():
    for other in ([0, 0, 0, 1.0], np.zeros(4)):
        assert not quat.same_rotation(np.zeros(4), other)
        assert not quat.same_rotation(other, np.zeros(4))


def test_same_rotation_measures_the_angle():
    one = np.array([0, 0, 0, 1.0])
    angle = np.array([0, 0.9e-5, 1.1e-5, 0.1])
    q = np.stack([0 * angle, np.sin(angle / 2), 0 * angle, np.cos(angle / 2)], -1)
    for sign in (1, -1):
        np.testing.assert_array_equal(quat.same_rotation(one, sign * q), [True, True, False, False])
        np.testing.assert_array_equal(
            quat.same_rotation(one, sign * q, tolerance=[0, 0.8e-5, 1.2e-5, 1]), [True, False, True, True]
        )
    assert quat.same_rotation(one.astype(np.float32), -one.astype(np.float32), tolerance=0)
    assert not quat.same_rotation(one, [0, 0, 0, np.nan], tolerance=np.inf)
    assert not quat.same_rotation(one, one, tolerance=np.nan)
    assert quat.same_rotation(one, one).dtype == np.bool_


def test_identity_changes_nothing():
    np.testing.assert_array_equal(quat.identity(), [0, 0, 0, 1])
    assert quat.identity().dtype == np.float32
    assert quat.identity((2, 3), np.float64).shape == (2, 3, 4)
    assert quat.identity((2, 3), "float64").dtype == np.float64
    np.testing.assert_array_equal(quat.identity(2, scalar_first=True), [[1, 0, 0, 0]] * 2)
    q = units(np.random.default_rng(6), 5)
    np.testing.assert_array_equal(quat.multiply(q, quat.identity()), q)


def test_random_is_uniform_and_repeatable():
    q = quat.random(200_000, seed=7, dtype=float)
    np.testing.assert_allclose(np.linalg.norm(q, axis=-1), 1, atol=1e-15)
    # Of a uniform direction in four dimensions: mean 0, squares 1/4, fourth powers 1/8, products 0.
    bound = 5 / np.sqrt(len(q))
    np.testing.assert_allclose(q.mean(0), 0, atol=bound)
    np.testing.assert_allclose(q.T @ q / len(q), np.eye(4) / 4, atol=bound)
    np.testing.assert_allclose((q**4).mean(0), 1 / 8, atol=bound)
    # The angle has the density (1 - cos) / pi on [0, pi] (Miles 1965).
    angle = np.sort(quat.angle_between(q, quat.identity()))
    rank = np.arange(len(q)) / len(q)
    np.testing.assert_allclose((angle - np.sin(angle)) / np.pi, rank, atol=2 / np.sqrt(len(q)))
    assert quat.random().shape == (4,)
    assert quat.random().dtype == np.float32
    single = quat.random((3, 2), seed=8)
    np.testing.assert_array_equal(single, quat.random((3, 2), seed=8, dtype=float).astype(np.float32))
    np.testing.assert_array_equal(quat.random((3, 2), seed=8, scalar_first=True), np.roll(single, 1, -1))
    generator = np.random.default_rng(8)
    np.testing.assert_array_equal(quat.random((3, 2), seed=generator), single)
    assert (quat.random((3, 2), seed=generator) != single).any()
    assert (quat.random(3) != quat.random(3)).any()
    assert quat.random((0, 2)).shape == (0, 2, 4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: quat.identity(dtype=int), TypeError, "identity: dtype must be float32 or float64, got int"),
        (lambda: quat.identity(dtype="word"), TypeError, "dtype must be float32 or float64, got 'word'"),
        (lambda: quat.identity(dtype=">f8"), TypeError, "dtype must be float32 or float64, got >f8"),
        (lambda: quat.identity(1.5), TypeError, "shape must be an integer or a tuple of them, got 1.5"),
        (lambda: quat.identity(-1), ValueError, "quat.identity: shape must not be negative, got -1"),
        (lambda: quat.random(dtype="f2"), TypeError, "random: dtype must be float32 or float64, got float16"),
        (lambda: quat.random("3"), TypeError, "random: shape must be an integer or a tuple of them, got '3'"),
        (lambda: quat.random(seed=-1), ValueError, "quat.random: seed must not be negative, got -1"),
        (lambda: quat.random(seed="x"), TypeError, "seed must be an integer, a numpy.* or None, got str"),
    ],
)  # fmt: skip
def test_making_quaternions_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
