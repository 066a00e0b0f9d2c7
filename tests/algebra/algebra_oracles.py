# SPDX-License-Identifier: MIT
"""What the comparisons with SciPy and pytransform3d share: samples, orders of components, what is close."""

import numpy as np

from lissom import dual_quat

EPS = 4e-15  # a few roundings on either side
COUNT = 60


def units(seed, count=COUNT):
    """Rotations by all angles, small and near pi too, of either sign."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=(count, 3))
    axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
    half = rng.uniform(-np.pi, np.pi, (count, 1))
    half[:8, 0] = [0, 1e-9, 1e-5, 1e-3, np.pi / 4, np.pi / 2 - 1e-4, np.pi / 2, 2]
    return np.concatenate([axis * np.sin(half), np.cos(half)], -1)


def vectors(seed, count=COUNT, size=3.0):
    return size * np.random.default_rng(seed).normal(size=(count, 3))


def rigids(seed, count=COUNT):
    return dual_quat.from_quat_translation(units(seed, count), vectors(seed + 100, count))


def first(q):
    """pytransform3d's order."""
    halves = np.asarray(q).reshape(*np.shape(q)[:-1], -1, 4)
    return np.roll(halves, 1, -1).reshape(np.shape(q))


def last(q):
    halves = np.asarray(q).reshape(*np.shape(q)[:-1], -1, 4)
    return np.roll(halves, -1, -1).reshape(np.shape(q))


def one_by_one(function, *arrays):
    return np.array([function(*row) for row in zip(*arrays, strict=True)])


def close(got, expected, tolerance=EPS):
    size = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(got, expected, atol=tolerance * size, rtol=0)


def same(got, expected, tolerance=EPS):
    """Equal row by row up to the sign."""
    got, expected = np.asarray(got), np.asarray(expected)
    sign = np.where(np.sum(got[..., :4] * expected[..., :4], -1, keepdims=True) < 0, -1, 1)
    close(sign * got, expected, tolerance)
