# SPDX-License-Identifier: MIT
import math
import warnings

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


# Every function with its arguments: q for quaternions, u for unit ones, v for vectors, t for numbers.
FUNCTIONS = {
    "multiply": "qq",
    "conjugate": "q",
    "inverse": "q",
    "normalize": "q",
    "dot": "qq",
    "rotate": "uv",
    "angle_between": "uu",
    "same_rotation": "uu",
    "slerp": "uut",
    "nlerp": "uut",
    "log": "q",
    "exp": "q",
    "power": "qt",
}
EVERY = pytest.mark.parametrize("name", FUNCTIONS)


def arguments(name, *batch, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    make = {
        "q": lambda: rng.normal(size=(*batch, 4)).astype(dtype),
        "u": lambda: units(rng, *batch, dtype=dtype),
        "v": lambda: rng.normal(size=(*batch, 3)).astype(dtype),
        "t": lambda: rng.uniform(size=batch).astype(dtype),
    }
    return [make[letter]() for letter in FUNCTIONS[name]]


@EVERY
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_alone_is_the_row_of_the_batch(name, dtype):
    call, args = getattr(quat, name), arguments(name, 37, dtype=dtype)
    batch = call(*args)
    assert batch.dtype == (np.bool_ if name == "same_rotation" else dtype)
    for i in range(37):
        np.testing.assert_array_equal(call(*(a[i] for a in args)), batch[i])


@EVERY
def test_leading_axes_broadcast(name):
    call, args = getattr(quat, name), arguments(name, 3)
    if len(args) > 1:
        grid = call(args[0][:, None], *args[1:])
        assert grid.shape[:2] == (3, 3)
        np.testing.assert_array_equal(grid[np.arange(3), np.arange(3)], call(*args))


@EVERY
def test_writes_where_it_is_told(name):
    call, args = getattr(quat, name), arguments(name, 5, 3)
    expected = call(*args)
    out = np.empty_like(expected)
    assert call(*args, out=out) is out
    np.testing.assert_array_equal(out, expected)
    apart = np.full((5, 6, *expected.shape[2:]), 7, expected.dtype)
    between = apart[:, 1::2].copy()
    call(*args, out=apart[:, ::2])
    np.testing.assert_array_equal(apart[:, ::2], expected)
    np.testing.assert_array_equal(apart[:, 1::2], between)


@EVERY
def test_writes_over_its_arguments(name):
    call = getattr(quat, name)
    for i, array in enumerate(arguments(name, 40)):
        args = arguments(name, 40)
        expected = call(*args)
        if expected.shape != array.shape or expected.dtype != array.dtype:
            continue
        call(*args, out=args[i])
        np.testing.assert_array_equal(args[i], expected)
        # One row further on: each is read before it is overwritten.
        args = arguments(name, 40)
        long = np.concatenate([args[i], args[i][:1]])
        args[i] = long[:-1]
        call(*args, out=long[1:])
        np.testing.assert_array_equal(long[1:], expected)


@EVERY
def test_refuses_an_out_that_does_not_fit(name):
    call, args = getattr(quat, name), arguments(name, 5)
    expected = call(*args)
    out = np.empty_like(expected)
    with pytest.raises(
        TypeError, match=rf"quat.{name}: out must have the precision.* {expected.dtype}, got int"
    ):
        call(*args, out=np.zeros(expected.shape, np.int32))
    with pytest.raises(ValueError, match=rf"quat.{name}: out must have shape .*, got \(1, 5"):
        call(*args, out=out[None])
    with pytest.raises(TypeError, match=rf"quat.{name}: out must be an array of .*, got list"):
        call(*args, out=[])
    out.flags.writeable = False
    with pytest.raises(ValueError, match=rf"quat.{name}: out must be writeable, got a read-only array"):
        call(*args, out=out)


@EVERY
def test_takes_scalar_first(name):
    call, args = getattr(quat, name), arguments(name, 4, 3)
    expected = call(*args)
    rolled = [
        np.roll(a, 1, -1) if letter in "qu" else a for a, letter in zip(args, FUNCTIONS[name], strict=True)
    ]
    got = call(*rolled, scalar_first=True)
    gives_quat = name not in ("dot", "rotate", "angle_between", "same_rotation")
    np.testing.assert_array_equal(got, np.roll(expected, 1, -1) if gives_quat else expected)
    out = np.empty_like(got)
    assert call(*rolled, scalar_first=True, out=out) is out
    np.testing.assert_array_equal(out, got)


@EVERY
def test_takes_arrays_of_every_kind(name):
    call, args = getattr(quat, name), arguments(name, 6)
    expected = call(*args)
    for change in (
        lambda a: np.asfortranarray(np.stack([a, a], 1))[:, 1],
        lambda a: np.repeat(a, 2, 0)[::2],
        lambda a: a[::-1].copy()[::-1],
        lambda a: a.astype(a.dtype.newbyteorder()),
        lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
        lambda a: a.tolist(),
    ):
        np.testing.assert_array_equal(call(*map(change, args)), expected)
    for args in (arguments(name, 0), arguments(name, 2, 0, 3)):
        assert call(*args).shape[: args[0].ndim - 1] == args[0].shape[:-1]
        assert call(*args, scalar_first=True).shape == call(*args).shape


@EVERY
def test_passes_not_a_number_on_without_a_warning(name):
    call, args = getattr(quat, name), arguments(name, 5)
    expected = call(*args)
    for i, array in enumerate(args):
        changed = [a.copy() for a in args]
        changed[i][2] = np.nan if array.ndim == 1 else [np.nan, *array[2][1:]]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            got = call(*changed)
        if name == "same_rotation":
            assert not got[2]
        elif name != "conjugate":
            assert np.isnan(got[2]).all()
        np.testing.assert_array_equal(np.delete(got, 2, 0), np.delete(expected, 2, 0))


@EVERY
def test_says_which_argument_is_wrong(name):
    call, args = getattr(quat, name), arguments(name, 5)
    names = {"same_rotation": "ab", "angle_between": "ab", "rotate": "qv", "power": "qt"}
    names = names.get(name, "q" if len(args) == 1 else "abt")
    for i, (argument, array) in enumerate(zip(names, args, strict=False)):
        if array.ndim > 1:
            with pytest.raises(
                ValueError, match=rf"quat.{name}: {argument} must have shape .*, got \(5, 5\)"
            ):
                call(*args[:i], np.ones((5, 5)), *args[i + 1 :])
        for bad in ("word", array.astype(complex), [None] * 5):
            with pytest.raises(
                TypeError, match=f"quat.{name}: {argument} must be an array of real numbers, got"
            ):
                call(*args[:i], bad, *args[i + 1 :])
        if len(args) > 1:
            with pytest.raises(ValueError, match=rf"quat.{name}: leading axes must broadcast, got .*\(3,\)"):
                call(*args[:i], array[:3], *args[i + 1 :])


@pytest.mark.parametrize("dtype", DTYPES)
def test_algebra_matches_the_twins(dtype):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 200, 4)).astype(dtype)
    u, v = units(rng, 2, 200, dtype=dtype)
    for got, expected in [
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
