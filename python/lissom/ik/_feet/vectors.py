# SPDX-License-Identifier: MIT
"""Vectors (..., 3), computed component by component: the same bits for one vector and for many."""

from __future__ import annotations

import numpy as np

from lissom.ik._axes import Floats


def dot(first: Floats, second: Floats) -> Floats:
    """Return dot products, (...); with the up axis they are heights."""
    product = first * second
    return np.asarray(product[..., 0] + product[..., 1] + product[..., 2])


def cross(first: Floats, second: Floats) -> Floats:
    """Return cross products, (..., 3)."""
    return np.stack(
        [
            first[..., 1] * second[..., 2] - first[..., 2] * second[..., 1],
            first[..., 2] * second[..., 0] - first[..., 0] * second[..., 2],
            first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0],
        ],
        axis=-1,
    )


def squared_length(vectors: Floats) -> Floats:
    """Return squared lengths, (...)."""
    return dot(vectors, vectors)


def horizontal(vectors: Floats, up: Floats) -> Floats:
    """Return vectors without their components along `up`."""
    return np.asarray(vectors - dot(vectors, up)[..., None] * up)


def rotated_and_scaled(matrices: Floats, vectors: Floats) -> Floats:
    """Return vectors multiplied by the linear part of matrices (..., 4, 4)."""
    x, y, z = vectors[..., 0, None], vectors[..., 1, None], vectors[..., 2, None]
    return np.asarray(matrices[..., :3, 0] * x + matrices[..., :3, 1] * y + matrices[..., :3, 2] * z)


def transformed_points(matrices: Floats, points: Floats) -> Floats:
    """Return points multiplied by matrices (..., 4, 4)."""
    return np.asarray(rotated_and_scaled(matrices, points) + matrices[..., :3, 3])


def horizontal_axes(axis: Floats) -> tuple[Floats, Floats]:
    """Return two unit vectors perpendicular to the up axis and to each other."""
    seed = np.array([0.0, 0.0, 1.0]) if abs(axis[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    side = np.cross(axis, seed)
    side /= np.linalg.norm(side)
    return side, np.cross(side, axis)
