# SPDX-License-Identifier: MIT
"""Points, normals and tangents under an affine transform."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom import _core

__all__ = ["cofactor", "handedness", "moved_differences", "moved_directions", "moved_points"]

Float: TypeAlias = NDArray[np.float64]


# Of the cube of the largest entry: far above the rounding of a determinant.
_SURE = 1e-9


def handedness(linear: Float) -> float:
    """Return -1 where a (3, 3) matrix mirrors, else 1."""
    (a, b, c), (d, e, f), (g, h, i) = linear.tolist()
    determinant = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    # Near zero its sign is that of a rounding: it is then NumPy's.
    size = max(map(abs, (a, b, c, d, e, f, g, h, i)))
    if not abs(determinant) > _SURE * size**3 < math.inf:
        determinant = np.linalg.det(linear)
    return -1.0 if determinant < 0 else 1.0


def cofactor(matrix: Float) -> Float:
    """Return det(M) M^-T of a (3, 3) matrix, which transforms normals and exists for singular ones too."""
    (a, d, g), (b, e, h), (c, f, i) = matrix.tolist()
    return np.array(  # its columns are the cross products of those of the matrix, two by two
        [
            [e * i - f * h, h * c - i * b, b * f - c * e],
            [f * g - d * i, i * a - g * c, c * d - a * f],
            [d * h - e * g, g * b - h * a, a * e - b * d],
        ]
    )


def moved_points(points: NDArray[np.float32], matrix: Float) -> NDArray[np.float32]:
    """Return points (n, 3) under a (4, 4) matrix, computed in double."""
    return _moved(points, matrix[:3, :3], np.ascontiguousarray(matrix[:3, 3]))


def moved_directions(directions: NDArray[np.float32], linear: Float) -> NDArray[np.float32]:
    """Return directions (n, 3) under a (3, 3) matrix, at unit length; zero ones stay."""
    return _moved(directions, linear, None)


def _moved(vectors: NDArray[np.float32], linear: Float, offset: Float | None) -> NDArray[np.float32]:
    moved = np.empty(vectors.shape, np.float32)
    _core.transform_vectors(np.ascontiguousarray(vectors), np.ascontiguousarray(linear), offset, moved)
    return moved


def moved_differences(
    name: str, deltas: NDArray[np.float32], base: NDArray[np.float32] | None, linear: Float
) -> NDArray[np.float32]:
    """Return differences (n, 3) of morph targets under a (3, 3) matrix.

    With the base normal n and what moves normals, the cofactor K: the morphed normal is along K (n + w d), of
    which the mesh holds the first term at unit length. So the difference is K d / |K n|. Tangents likewise.

    Parameters
    ----------
    name : {"positions", "normals", "tangents"}
    deltas : ndarray, shape (n, 3)
    base : ndarray, shape (n, 3), or None
        The normals or tangents of the same vertices, before they are moved; None for unit ones anywhere.
    linear : ndarray of float64, shape (3, 3)
    """
    matrix = handedness(linear) * cofactor(linear) if name == "normals" else linear
    with np.errstate(over="ignore", invalid="ignore"):
        result = _product(matrix, deltas)
        if name != "positions" and base is not None:
            lengths = np.linalg.norm(_product(matrix, base.astype(np.float64)), axis=1, keepdims=True)
            result /= np.where(lengths > 0, lengths, 1)
        return result.astype(np.float32)


def _product(matrix: Float, vectors: NDArray[Any]) -> Float:
    """Return matrix @ vector of rows (n, 3). BLAS would wake its threads for three columns."""
    x, y, z = (vectors[:, i : i + 1] * matrix[:, i] for i in range(3))
    result: Float = x + y + z
    return result
