# SPDX-License-Identifier: MIT
"""Vectors (..., 3): unit length, angles, and axes perpendicular to one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def lengths(vectors: NDArray[np.floating]) -> Floats:
    """Return lengths (...) of vectors (..., 3): many times as fast as `np.linalg.norm` along a short axis."""
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))


def unit_vectors(vectors: Floats) -> Floats:
    """Return finite vectors (N, 3), none of them zero, at unit length, whatever their size."""
    # Divided by the largest component first, so that squares neither over- nor underflow.
    scaled = vectors / np.abs(vectors).max(axis=-1, keepdims=True)
    return np.asarray(scaled / np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None])


def angles_between(first: Floats, second: Floats) -> Floats:
    """Return the angles between vectors, radians, exact for small and flat ones; lengths do not count."""
    sines = np.linalg.norm(np.cross(first, second), axis=-1)
    return np.asarray(np.arctan2(sines, np.sum(first * second, axis=-1)))


def perpendicular_axes(axes: Floats) -> tuple[Floats, Floats]:
    """Return two unit vectors that form a right-handed frame with each unit axis: first, second, axis.

    The first is nearest to the coordinate axis that is least parallel to the axis.
    """
    first = np.eye(3)[np.abs(axes).argmin(axis=-1)]
    first = first - np.sum(first * axes, axis=-1, keepdims=True) * axes
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    return first, np.cross(axes, first)
