# SPDX-License-Identifier: MIT
"""Axes: checked, normalized, made perpendicular to each other."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers
from lissom._base.vectors import unit_vectors

Floats: TypeAlias = NDArray[np.float64]
Vector: TypeAlias = tuple[float, float, float]


def unit_axis(what: str, value: ArrayLike) -> Vector:
    """Return an axis as three numbers of length 1; refuse zero. `what` names function and argument."""
    axis = as_numbers(value, what).astype(np.float64)
    if axis.shape != (3,) or not np.isfinite(axis).all():
        raise ValueError(f"{what} must be three finite numbers, got {value!r}")
    if not axis.any():
        raise ValueError(f"{what} must not be zero, got {value!r}")
    return three_numbers(unit_vectors(axis[None])[0])


def three_numbers(vector: Floats) -> Vector:
    """Return a vector as a tuple of Python floats."""
    x, y, z = vector.tolist()
    return x, y, z


def perpendicular_to(axis: Floats, preferred: Floats | None) -> Floats:
    """Return the unit vector perpendicular to a unit `axis` and nearest to `preferred`.

    Where that is None or nearly parallel to `axis`, the first of x, y and z that is not.
    """
    for vector in ([] if preferred is None else [preferred]) + list(np.eye(3)):
        part = vector - (vector @ axis) * axis
        length = np.linalg.norm(part)
        if length > 0.1:
            return np.asarray(part / length)
    raise AssertionError("one of x, y and z is far from any axis")
