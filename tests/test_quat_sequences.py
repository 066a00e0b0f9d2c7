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
        (lambda: quat.align(PAIR, out=PAIR.astype(np.float32)), TypeError, "out must have the precision"),
        (lambda: quat.align(PAIR, out=np.ones((3, 4))), ValueError, r"out must have shape \(2, 4\), got"),
        (lambda: quat.align(PAIR, out=[]), TypeError, "align: out must be an array of float64, got list"),
    ],
)  # fmt: skip
def test_align_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
