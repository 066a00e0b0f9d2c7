# SPDX-License-Identifier: MIT
"""A million products in a row: how far they come from the right one, and that normalize keeps them unit."""

from itertools import cycle, islice

import numpy as np
import pytest

from lissom import dual_quat, quat
from reference.exact import dual_quat as exact_dual_quat
from reference.exact import quat as exact_quat
from reference.exact.numbers import cross, dot, exact, mp, rounded

PRODUCTS = 1_000_000
STEPS = 64  # different ones, in turn
CENTER = [0.5, -0.25, 1.0]  # every motion turns about this point, so that dual parts stay as small as it
DTYPES = [np.float32, np.float64]

# A product's rounding moves each number, and the length, by about 0.3 eps, up or down. A random walk of n
# such steps ends within sqrt(n) of them: two eps leave room for six standard deviations.
WALK = 2 * PRODUCTS**0.5
# With normalize after each product, only the last rounding is left: half an ulp for each of four numbers.
HELD = 2


def steps(dtype):
    """Turns about one point, each as near to a unit dual quaternion as the precision allows."""
    rng = np.random.default_rng(1)
    axes = rng.normal(size=(STEPS, 3))
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    center = exact(CENTER)
    result = []
    for axis, angle in zip(exact(axes.tolist()), rng.uniform(-np.pi, np.pi, STEPS).tolist(), strict=True):
        q = exact_dual_quat.from_screw(axis, cross(center, axis), mp.mpf(angle), mp.mpf(0))
        result.append(np.array(rounded(q)).astype(dtype))
    return result


def walked(multiply, motions, normalize=None):
    q = motions[0].copy()
    for step in islice(cycle(motions), 1, PRODUCTS + 1):
        multiply(q, step, out=q)
        if normalize:
            normalize(q, out=q)
    return q


def right(multiply, motions):
    """The product of the same steps, rounding of the steps and all, without any of its own."""
    motions = [exact(step.tolist()) for step in motions]
    rounds, rest = divmod(PRODUCTS + 1, STEPS)
    lap = chained(multiply, motions)
    laps = None
    while rounds:  # lap to the power of rounds, by squares
        if rounds & 1:
            laps = multiply(laps, lap) if laps else lap
        lap, rounds = multiply(lap, lap), rounds >> 1
    return chained(multiply, [laps, *motions[:rest]])


def chained(multiply, motions):
    result = motions[0]
    for step in motions[1:]:
        result = multiply(result, step)
    return result


def logarithm_of_length(q):
    """Of |q| = |real| + eps <real, dual> / |real|, two numbers: 0 for unit ones, and of a product the sum."""
    real, dual = exact(np.asarray(q).tolist())[:4], exact(np.asarray(q).tolist())[4:]
    square = dot(real, real)
    return np.array([float(mp.log(square) / 2), float(dot(real, dual) / square) if dual else 0.0])


def growth(motions):
    """The steps are unit up to rounding: what that alone makes of the length grows with their number."""
    lengths = [logarithm_of_length(step) for step in motions]
    rounds, rest = divmod(PRODUCTS + 1, STEPS)
    return rounds * np.sum(lengths, axis=0) + np.sum(lengths[:rest], axis=0)


def assert_drifts_as_a_random_walk(multiply, exact_multiply, motions):
    bar = WALK * np.finfo(motions[0].dtype).eps * max(1, np.linalg.norm(CENTER))
    q = walked(multiply, motions)
    assert np.abs(q - rounded(right(exact_multiply, motions))).max() < bar
    assert np.abs(logarithm_of_length(q) - growth(motions)).max() < bar


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_quaternions_drift_as_a_random_walk(dtype):
    motions = [step[:4].copy() for step in steps(dtype)]
    assert_drifts_as_a_random_walk(quat.multiply, exact_quat.multiply, motions)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_dual_quaternions_drift_as_a_random_walk(dtype):
    assert_drifts_as_a_random_walk(dual_quat.multiply, exact_dual_quat.multiply, steps(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_normalize_holds_products_of_quaternions(dtype):
    q = walked(quat.multiply, [step[:4].copy() for step in steps(dtype)], quat.normalize)
    assert abs(logarithm_of_length(q)[0]) < HELD * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", DTYPES)
def test_normalize_holds_products_of_dual_quaternions(dtype):
    q = walked(dual_quat.multiply, steps(dtype), dual_quat.normalize)
    length, along = logarithm_of_length(q)
    assert abs(length) < HELD * np.finfo(dtype).eps
    assert abs(along) < HELD * np.finfo(dtype).eps * np.linalg.norm(q[4:])
