# SPDX-License-Identifier: MIT
import itertools

import numpy as np
import pytest

from lissom import quat
from reference import quat as twin

DTYPES = [np.float32, np.float64]


def units(rng, *shape, dtype=np.float64):
    q = rng.normal(size=(*shape, 4))
    return (q / np.linalg.norm(q, axis=-1, keepdims=True)).astype(dtype)


def turns_about_z(degrees):
    half = np.radians(degrees) / 2
    return np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], -1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_align_matches_the_twin_along_every_axis(dtype, closed, axis):
    q = units(np.random.default_rng(1), 3, 5, 7, dtype=dtype)
    got = quat.align(q, axis, closed=closed)
    assert got.dtype == dtype
    expected = np.moveaxis(twin.align(np.moveaxis(q, axis % 3, -2), closed), -2, axis % 3)
    np.testing.assert_array_equal(got, expected)


def test_align_makes_neighbours_agree_and_keeps_the_first():
    q = units(np.random.default_rng(2), 1000, 4)
    got = quat.align(q)
    assert (np.sum(got[1:] * got[:-1], -1) >= 0).all()
    np.testing.assert_array_equal(got[0], q[0])
    np.testing.assert_array_equal(np.abs(got), np.abs(q))


def test_closed_align_leaves_the_pair_apart_that_is_farthest_apart():
    # A full turn about z in unequal steps comes back as -1: no signs agree all the way round.
    degrees = np.array([0, 40, 80, 200, 250, 300])
    expected = turns_about_z(degrees)
    expected[3:] *= -1
    np.testing.assert_array_equal(quat.align(turns_about_z(degrees), closed=True), expected)
    # Wherever the sequence starts, the gap from 80 to 200 degrees is the one.
    for shift, signs in itertools.product(range(6), itertools.product([1, -1], repeat=6)):
        q = np.roll(turns_about_z(degrees) * np.array(signs)[:, None], shift, axis=0)
        got = quat.align(q, closed=True)
        cosines = np.sum(got * np.roll(got, -1, axis=0), -1)
        assert np.flatnonzero(cosines < 0).tolist() == [(2 + shift) % 6]
        np.testing.assert_array_equal(got[0], q[0])


def test_closed_align_puts_equal_gaps_at_the_seam():
    q = turns_about_z(np.array([0.0, 90, 180, 270]))
    q[:, 2:] = np.round(q[:, 2:], 12)
    np.testing.assert_array_equal(quat.align(q, closed=True), quat.align(q))


def test_closed_align_that_can_agree_changes_nothing():
    q = turns_about_z(np.array([0.0, 30, 60, 30]))
    np.testing.assert_array_equal(quat.align(q * [[1], [-1], [1], [-1]], closed=True), q)


def test_align_works_in_place_backwards_and_scalar_first():
    q = units(np.random.default_rng(3), 6, 5)
    expected = quat.align(q, 1)
    np.testing.assert_array_equal(quat.align(q[::-1, ::2], 1), quat.align(q[::-1, ::2].copy(), 1))
    first = np.roll(q, 1, -1)
    np.testing.assert_array_equal(quat.align(first, 1, scalar_first=True), np.roll(expected, 1, -1))
    out = np.empty_like(q)
    assert quat.align(q, 1, out=out) is out
    np.testing.assert_array_equal(out, expected)
    long = np.concatenate([q, q])
    shifted = quat.align(long[:-1], 1)
    quat.align(long[:-1], 1, out=long[1:])
    np.testing.assert_array_equal(long[1:], shifted)
    assert quat.align(q, 1, out=q) is q
    np.testing.assert_array_equal(q, expected)


def test_align_takes_nothing_and_one():
    assert quat.align(np.empty((0, 4), np.float32)).shape == (0, 4)
    assert quat.align(np.empty((0, 4)), scalar_first=True, closed=True).shape == (0, 4)
    assert quat.align(np.empty((3, 0, 4)), 0).shape == (3, 0, 4)
    np.testing.assert_array_equal(quat.align([[0, 0, 0, -1]], closed=True), [[0, 0, 0, -1]])


def test_align_passes_not_a_number_on():
    q = np.array([[0, 0, 0, 1], [0, 0, 0, np.nan], [0, 0, 0, -1], [0, 0, 0, 1]])
    np.testing.assert_array_equal(quat.align(q), q * [[1], [1], [1], [-1]])


PAIR = np.ones((2, 4))
GRID = np.ones((2, 3, 4))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: quat.align([0, 0, 0, 1]), ValueError, r"align: q must have shape \(..., n, 4\), got \(4,\)"),
        (lambda: quat.align(np.ones((3, 3))), ValueError, r"q must have shape \(..., n, 4\), got \(3, 3"),
        (lambda: quat.align(GRID, 2), ValueError, r"align: axis must be at least -2 and less than 2.* got 2"),
        (lambda: quat.align(GRID, -3), ValueError, r"number of leading axes of shape \(2, 3, 4\), got -3"),
        (lambda: quat.align(PAIR, 0.0), TypeError, "quat.align: axis must be an integer, got float"),
        (lambda: quat.align("q"), TypeError, "quat.align: q must be an array of real numbers, got <U1"),
        (lambda: quat.align(PAIR, out=PAIR.astype(np.float32)), TypeError, "out must be an array of"),
        (lambda: quat.align(PAIR, out=np.ones((3, 4))), ValueError, r"out must have shape \(2, 4\), got"),
        (lambda: quat.align(PAIR, out=[]), TypeError, "align: out must be an array of float64, got list"),
    ],
)  # fmt: skip
def test_align_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_mean_matches_the_twin_along_every_axis(dtype, axis):
    rng = np.random.default_rng(4)
    center = units(rng, 6, 5)
    q = center + 0.5 * rng.normal(size=(6, 5, 4))
    q = (q / np.linalg.norm(q, axis=-1, keepdims=True)).astype(dtype)
    weights = rng.uniform(size=(6, 5)).astype(dtype)
    got = quat.mean(q, weights, axis=axis)
    assert got.dtype == dtype
    expected = twin.mean(np.moveaxis(q, axis % 2, -2), np.moveaxis(weights, axis % 2, -1))
    np.testing.assert_allclose(got, expected, atol=1e-6 if dtype == np.float32 else 1e-13)
    assert (got[..., 3] >= 0).all()
    alone = weights[:, 0] if axis == 0 else weights[0]
    by_item = np.moveaxis(np.broadcast_to(alone[:, None], (len(alone), 30 // len(alone))), 0, axis % 2)
    np.testing.assert_array_equal(quat.mean(q, alone, axis=axis), quat.mean(q, by_item, axis=axis))
    np.testing.assert_array_equal(quat.mean(q, axis=axis), quat.mean(q, np.ones((6, 5), dtype), axis=axis))


def test_mean_does_not_see_signs_or_how_weights_are_scaled():
    rng = np.random.default_rng(5)
    q, weights = quat.normalize(rng.normal([1, 2, 3, 4], size=(40, 4))), rng.uniform(size=40)
    mean = quat.mean(q, weights)
    signs = rng.choice([-1, 1], (40, 1))
    np.testing.assert_allclose(quat.mean(signs * q, 1e30 * weights), mean, atol=1e-14)
    # Turning everything turns the mean; neither order nor items of weight 0 matter.
    turn = units(rng)
    turned = quat.mean(quat.multiply(turn, q), weights)
    assert quat.same_rotation(turned, quat.multiply(turn, mean), tolerance=1e-13)
    order = rng.permutation(40)
    np.testing.assert_allclose(quat.mean(q[order], weights[order]), mean, atol=1e-14)
    more = np.concatenate([q, units(rng, 3)])
    np.testing.assert_allclose(quat.mean(more, [*weights, 0, 0, 0]), mean, atol=1e-14)


def test_known_means():
    # Of two, the middle; and by weights on the chord between their matrices: tan(2 x) of the circle's sum.
    q = turns_about_z(np.array([10.0, 50]))
    np.testing.assert_allclose(quat.mean(q * [[1], [-1]]), turns_about_z(np.array(30.0)), atol=1e-15)
    angle = np.arctan2(
        3 * np.sin(np.radians(50)) + np.sin(np.radians(10)),
        3 * np.cos(np.radians(50)) + np.cos(np.radians(10)),
    )
    np.testing.assert_allclose(quat.mean(q, [1, 3]), turns_about_z(np.degrees(angle)), atol=1e-15)
    np.testing.assert_array_equal(quat.mean([[0, 0, 0, -1]]), [0, 0, 0, 1])
    np.testing.assert_array_equal(quat.mean([[0, -1, 0, 0]] * 3), [0, 1, 0, 0])
    # Half a turn apart: one of the equally good.
    half = quat.mean([[0, 0, 0, 1], [1, 0, 0, 0]])
    assert np.isclose(np.linalg.norm(half), 1)
    assert half[1] == half[2] == 0


@pytest.mark.parametrize("apart", [1e-3, 1e-7, 1e-12])
def test_mean_of_the_nearly_equal_is_between_them(apart):
    rng = np.random.default_rng(6)
    q = units(rng)
    near = quat.normalize(q + apart * rng.normal(size=(50, 4)))
    np.testing.assert_allclose(
        quat.mean(near), np.sign(q[3]) * quat.normalize(near.mean(0)), atol=apart**2 + 5e-16
    )


def test_mean_takes_lists_scalar_first_out_and_not_a_number():
    q = units(np.random.default_rng(7), 5, 3)
    expected = quat.mean(q)
    np.testing.assert_array_equal(quat.mean(q.tolist()), expected)
    np.testing.assert_array_equal(quat.mean(np.roll(q, 1, -1), scalar_first=True), np.roll(expected, 1, -1))
    np.testing.assert_array_equal(quat.mean(q[::-1, ::2][::-1]), expected[::2])
    out = np.empty((3, 4))
    assert quat.mean(q, out=out) is out
    np.testing.assert_array_equal(out, expected)
    quat.mean(q, out=q[0])
    np.testing.assert_array_equal(q[0], expected)
    assert quat.mean(np.ones((5, 0, 4))).shape == (0, 4)
    q[2, 1, 0] = np.nan
    np.testing.assert_array_equal(np.isnan(quat.mean(q)).all(-1), [False, True, False])
    assert np.isnan(quat.mean(quat.identity(2), [1, np.nan])).all()
    assert quat.mean(np.float32(q)).dtype == np.float32
    assert quat.mean(np.float32(q), np.ones(5)).dtype == np.float64


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: quat.mean([0, 0, 0, 1]), ValueError, r"mean: q must have shape \(..., n, 4\), got \(4,\)"),
        (lambda: quat.mean(np.ones((2, 3))), ValueError, r"q must have shape \(..., n, 4\), got \(2, 3"),
        (lambda: quat.mean(np.ones((0, 4))), ValueError, r"hold something along axis 0, got shape \(0, 4"),
        (lambda: quat.mean(GRID, axis=2), ValueError, r"axis must be at least -2 and less than 2.* got 2"),
        (lambda: quat.mean(GRID, axis="x"), TypeError, "quat.mean: axis must be an integer, got str"),
        (lambda: quat.mean(GRID, [1, 2, 3]), ValueError, r"must have shape \(2,\) or \(2, 3\), got \(3"),
        (lambda: quat.mean(PAIR, [1]), ValueError, r"mean: weights must have shape \(2,\), got \(1,\)"),
        (lambda: quat.mean(PAIR, [1, -1]), ValueError, "weights must be at least 0 and not all 0, got -1$"),
        (lambda: quat.mean(PAIR, [0, 0]), ValueError, "must be at least 0 and not all 0, got only zeros$"),
        (lambda: quat.mean(GRID, [[1, 0, 1], [1, 0, 1]]), ValueError, "got only zeros at index 1$"),
        (lambda: quat.mean(PAIR, "ab"), TypeError, "weights must be an array of real numbers, got <U2"),
        (lambda: quat.mean(PAIR, out=np.ones(4, "f4")), TypeError, "mean: out must be an array of"),
        (lambda: quat.mean(PAIR, out=PAIR), ValueError, r"mean: out must have shape \(4,\), got \(2"),
    ],
)  # fmt: skip
def test_mean_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
