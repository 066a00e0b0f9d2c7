# SPDX-License-Identifier: MIT
"""Weighted blends of dual quaternions, and signs along sequences."""

import numpy as np
import pytest

from dual_quat_samples import DTYPES, TOLERANCE, assert_same_transform, rolled, units
from lissom import dual_quat
from reference import dual_quat as twin


def blends(rng, *shape, n=4, dtype=np.float64):
    weights = rng.uniform(size=(*shape, n))
    weights /= weights.sum(-1, keepdims=True)
    return units(rng, *shape, n, dtype=dtype), weights.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 20])
def test_dlb_matches_the_twin(dtype, n):
    q, weights = blends(np.random.default_rng(n), 50, n=n, dtype=dtype)
    got = dual_quat.dlb(q, weights)
    assert got.dtype == dtype
    expected = np.stack([twin.dlb(one, w) for one, w in zip(q, weights, strict=True)])
    # Blends of many random rotations are short, their sums lose digits.
    np.testing.assert_allclose(got, expected, atol=20 * TOLERANCE[dtype])
    wide = got.astype(np.float64)
    np.testing.assert_allclose(np.linalg.norm(wide[:, :4], axis=-1), 1, atol=TOLERANCE[dtype])
    np.testing.assert_allclose(np.sum(wide[:, :4] * wide[:, 4:], -1), 0, atol=8 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlb_does_not_mind_signs(dtype):
    # dq3d's is 12 units off with mixed signs.
    rng = np.random.default_rng(1)
    q, weights = blends(rng, 100, dtype=dtype)
    expected = dual_quat.dlb(q, weights)
    signs = rng.choice([-1, 1], (100, 4, 1)).astype(dtype)
    got = dual_quat.dlb(signs * q, weights)
    largest = np.argmax(weights, -1)
    np.testing.assert_array_equal(got, signs[np.arange(100), largest] * expected)
    assert (dual_quat.dot(expected, q[np.arange(100), largest]) > 0).all()


def test_dlb_takes_the_first_of_equal_weights_for_pivot():
    # a and b are 100 degrees apart as quaternions, so either is the other's far side.
    a, b = np.zeros(8), np.zeros(8)
    a[3] = 1
    b[[2, 3]] = np.sin(np.radians(100)), np.cos(np.radians(100))
    assert dual_quat.dlb([a, b], [0.5, 0.5])[3] > 0.6
    np.testing.assert_allclose(
        dual_quat.dlb([b, a], [0.5, 0.5]), dual_quat.dlb([-a, b], [0.5, 0.5]), atol=1e-15
    )
    # c's side depends on the pivot: near b, far from a.
    c = np.zeros(8)
    c[[2, 3]] = np.sin(np.radians(170)), np.cos(np.radians(170))
    first = dual_quat.dlb([a, -b, c], [0.4, 0.4, 0.2])
    second = dual_quat.dlb([-b, a, c], [0.4, 0.4, 0.2])
    np.testing.assert_allclose(first, twin.dlb([a, -b, c], [0.4, 0.4, 0.2]), atol=1e-15)
    np.testing.assert_allclose(second, twin.dlb([-b, a, c], [0.4, 0.4, 0.2]), atol=1e-15)


def test_dlb_of_one_and_of_one_weight_is_that_one():
    q, _ = blends(np.random.default_rng(2))
    np.testing.assert_allclose(dual_quat.dlb(q[:1], [0.3]), q[0], atol=1e-15)
    for i in range(4):
        np.testing.assert_allclose(dual_quat.dlb(q, np.eye(4)[i]), q[i], atol=1e-15)
    np.testing.assert_allclose(dual_quat.dlb(np.stack([q[0]] * 4), [0.1, 0.2, 0.3, 0.4]), q[0], atol=1e-15)


def test_dlb_moves_with_its_frame_and_does_not_mind_the_sum_of_weights():
    rng = np.random.default_rng(3)
    q, weights = blends(rng, 30)
    frame = units(rng)
    expected = dual_quat.multiply(frame, dual_quat.dlb(q, weights))
    np.testing.assert_allclose(dual_quat.dlb(dual_quat.multiply(frame, q), weights), expected, atol=1e-13)
    np.testing.assert_allclose(dual_quat.dlb(q, 8 * weights), dual_quat.dlb(q, weights), atol=1e-15)


def test_dlb_stays_as_near_to_sclerp_as_kavan_says():
    # For two, half a turn and a shift of 1 apart: 8.15 degrees and 15 % of the shift at most.
    b = dual_quat.from_screw([0, 0, 1], [0, 0, 0], np.pi - 1e-9, 1.0)
    a = dual_quat.identity(dtype=float)
    t = np.linspace(0, 1, 401)
    blend = dual_quat.dlb(np.stack([a, b]), np.stack([1 - t, t], -1))
    screw = dual_quat.to_screw(dual_quat.multiply(dual_quat.conjugate(dual_quat.sclerp(a, b, t)), blend))
    assert np.degrees(screw.angle).max() == pytest.approx(8.15, abs=0.01)
    assert np.abs(screw.pitch).max() == pytest.approx(0.15, abs=0.005)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlb_broadcasts_and_takes_any_layout(dtype):
    rng = np.random.default_rng(4)
    q, weights = blends(rng, 5, 37, n=3, dtype=dtype)
    expected = dual_quat.dlb(q, weights)
    assert expected.shape == (5, 37, 8)
    for i in (0, 20, 36):
        np.testing.assert_array_equal(dual_quat.dlb(q[2, i], weights[2, i]), expected[2, i])
    np.testing.assert_array_equal(
        dual_quat.dlb(q[:, :1], weights)[3, 7], dual_quat.dlb(q[3, 0], weights[3, 7])
    )
    np.testing.assert_array_equal(
        dual_quat.dlb(q, weights[0, 0])[1, 1], dual_quat.dlb(q[1, 1], weights[0, 0])
    )
    wide = np.full((5, 37, 6, 16), np.nan, dtype)
    wide[..., ::2, ::2] = q
    turned = np.asfortranarray(weights)
    np.testing.assert_array_equal(dual_quat.dlb(wide[..., ::2, ::2], turned), expected)
    by_number = np.moveaxis(np.ascontiguousarray(np.moveaxis(q, -1, 0)), 0, -1)
    np.testing.assert_array_equal(dual_quat.dlb(by_number, weights), expected)
    np.testing.assert_array_equal(
        dual_quat.dlb(rolled(q, 1), weights, scalar_first=True), rolled(expected, 1)
    )
    assert dual_quat.dlb(q[:0], weights[:0]).shape == (0, 37, 8)
    assert dual_quat.dlb(q.tolist(), weights.tolist()).dtype == np.float64


def test_dlb_writes_where_it_is_told_also_over_its_input():
    q, weights = blends(np.random.default_rng(5), 40)
    expected = dual_quat.dlb(q, weights)
    for scalar_first in (False, True):
        given, wanted = (rolled(q, 1), rolled(expected, 1)) if scalar_first else (q, expected)
        out = np.empty((40, 8))
        assert dual_quat.dlb(given, weights, out=out, scalar_first=scalar_first) is out
        np.testing.assert_array_equal(out, wanted)
        for i in range(4):
            mine = given.copy()
            dual_quat.dlb(mine, weights, out=mine[:, i], scalar_first=scalar_first)
            np.testing.assert_array_equal(mine[:, i], wanted)
    buffer = np.empty((41, 4, 8))
    buffer[1:] = q
    np.testing.assert_array_equal(dual_quat.dlb(buffer[1:], weights, out=buffer[:-1, 2]), expected)


def test_dlb_of_single_items_may_be_written_over_them():
    q, weights = blends(np.random.default_rng(11), 40, n=1)
    expected = dual_quat.dlb(q, weights)
    assert dual_quat.dlb(q, weights, out=q[:, 0]).base is q
    np.testing.assert_array_equal(q[:, 0], expected)


def test_dlb_of_no_items_says_nothing_and_writes_nothing():
    out = np.full((2, 8), 5.0)
    with pytest.raises(ValueError, match=r"dual_quat\.dlb: weights must be"):
        dual_quat.dlb(np.empty((2, 0, 8)), np.empty((2, 0)), out=out)
    assert (out == 5).all()


def test_dlb_spreads_nan_over_its_blend_alone_and_without_a_word():
    q, weights = blends(np.random.default_rng(6), 5)
    expected = dual_quat.dlb(q, weights)
    for spoil in ("weight", "item", "item of no weight", "all weights"):
        one, w = q.copy(), weights.copy()
        if spoil == "weight":
            w[2, 1] = np.nan
        elif spoil == "all weights":
            w[2] = np.nan
        else:
            one[2, 3] = np.nan
            w[2, 3] = 0 if spoil.endswith("weight") else w[2, 3]
        got = dual_quat.dlb(one, w)
        assert np.isnan(got[2]).all()
        np.testing.assert_array_equal(np.delete(got, 2, 0), np.delete(expected, 2, 0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlb_refuses_weights_that_say_nothing(dtype):
    q, weights = blends(np.random.default_rng(7), 3, 20, dtype=dtype)
    message = r"dual_quat\.dlb: weights must be at least 0 and not all 0, got {} at index \(1, 18\)$"
    out = np.full((3, 20, 8), 5, dtype)
    for bad, got in (([0] * 4, "only zeros"), ([0.5, -0.1, 0.3, 0.3], "-0.1"), ([-1] * 4, "-1")):
        weights[1, 18] = bad
        for options in ({}, {"out": out}, {"scalar_first": True}):
            with pytest.raises(ValueError, match=message.format(got)):
                dual_quat.dlb(q, weights, **options)
    assert (out == 5).all()
    with pytest.raises(ValueError, match=r"not all 0, got only zeros$"):
        dual_quat.dlb(np.empty((0, 8), dtype), np.empty(0, dtype))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda q, w: (q[..., :7], w), ValueError, r"q must have shape \(\.\.\., n, 8\), got \(5, 4, 7\)"),
        (lambda q, w: (q[0, 0], w), ValueError, r"q must have shape \(\.\.\., n, 8\), got \(8,\)"),
        (lambda q, w: (q, w[:, :3]), ValueError, r"weights must have n = 4, as q has, got 3"),
        (lambda q, w: (q, 1.0), ValueError, r"weights must have shape \(\.\.\., n\), got \(\)"),
        (lambda q, w: (q[:3], w), ValueError, r"leading axes must broadcast, got q \(3,\), weights \(5,\)"),
        (lambda q, w: (q, w.astype(complex)), TypeError, "weights must be an array of real numbers"),
        (lambda q, w: (None, w), TypeError, "q must be an array of real numbers, got NoneType"),
    ],
)  # fmt: skip
def test_dlb_names_what_is_wrong(change, error, message):
    q, weights = blends(np.random.default_rng(8), 5)
    with pytest.raises(error, match=r"^dual_quat\.dlb: " + message):
        dual_quat.dlb(*change(q, weights))


# ---- Signs along a sequence. ----


def spin(count, turns=1.0, dtype=np.float64):
    """Around z by `turns` in equal steps, beside a walk along x."""
    angle = np.linspace(0, 2 * np.pi * turns, count, endpoint=False)
    rotation = np.stack([0 * angle, 0 * angle, np.sin(angle / 2), np.cos(angle / 2)], -1)
    shift = np.stack([angle, 0 * angle, 0 * angle], -1)
    return twin.from_rotation_translation(rotation, shift).astype(dtype)


def flips(q, closed):
    """Which neighbours lie apart."""
    after = np.roll(q, -1, 0) if closed else q[1:]
    return np.flatnonzero(np.sum((q if closed else q[:-1])[:, :4] * after[:, :4], -1) < 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("closed", [False, True])
def test_align_puts_neighbours_on_one_side(dtype, closed):
    rng = np.random.default_rng(10)
    smooth = spin(50, 2, dtype)  # two turns: comes back to its own sign
    signs = rng.choice([-1, 1], (50, 1)).astype(dtype)
    given = signs * smooth
    got = dual_quat.align(given, closed=closed)
    assert got.dtype == dtype
    assert flips(got, closed).size == 0
    np.testing.assert_array_equal(got, signs[0] * smooth)
    assert_same_transform(got, given.astype(float), 0)


def test_align_leaves_one_pair_apart_where_a_loop_cannot_agree():
    once = spin(24)  # one turn: comes back to the other sign
    assert flips(dual_quat.align(once, closed=True), True).size == 1
    uneven = np.delete(once, [10, 11, 12], axis=0)  # the widest gap is after item 9
    got = dual_quat.align(uneven, closed=True)
    assert flips(got, True).tolist() == [9]
    np.testing.assert_array_equal(got[:10], uneven[:10])
    np.testing.assert_array_equal(got[10:], -uneven[10:])
    assert flips(dual_quat.align(uneven), False).size == 0


def test_align_along_any_leading_axis_and_in_place():
    rng = np.random.default_rng(11)
    q = rng.choice([-1, 1], (3, 30, 2, 1)) * spin(30)[:, None]
    expected = np.stack([np.stack([dual_quat.align(q[i, :, j]) for j in range(2)], 1) for i in range(3)])
    for axis in (1, -2):
        np.testing.assert_array_equal(dual_quat.align(q, axis), expected)
    first = dual_quat.align(rolled(q, 1), 1, scalar_first=True)
    np.testing.assert_array_equal(first, rolled(expected, 1))
    mine = q.copy()
    assert dual_quat.align(mine, 1, out=mine) is mine
    np.testing.assert_array_equal(mine, expected)
    assert dual_quat.align(q[:, :0], 1).shape == (3, 0, 2, 8)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda q: dual_quat.align(q[..., :4]), ValueError, r"q must have shape .*, got \(3, 4\)"),
        (lambda q: dual_quat.align(q[0]), ValueError, r"q must have shape \(\.\.\., n, 8\), got \(8,\)"),
        (lambda q: dual_quat.align(q, 1), ValueError, "axis must be at least -1 and less than 1"),
        (lambda q: dual_quat.align(q, 0.5), TypeError, "axis must be an integer, got float"),
        (lambda q: dual_quat.align(q, out=q.astype(np.float32)), TypeError, "out must be an array of"),
    ],
)  # fmt: skip
def test_align_names_what_is_wrong(call, error, message):
    with pytest.raises(error, match=r"^dual_quat\.align: " + message):
        call(units(np.random.default_rng(12), 3))
