# SPDX-License-Identifier: MIT
"""Surfaces, handles and cage faces as users pass them, checked and in one form each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._arrays import as_numbers

__all__ = ["Handles", "as_cage_faces", "as_handles", "as_indices", "as_points", "as_surface"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Handles:
    """All handles as segments; a point has equal ends.

    Attributes
    ----------
    heads, tails : ndarray of float64, shape (H, 3)
    is_point : ndarray of bool, shape (H,)
    """

    heads: Floats
    tails: Floats
    is_point: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.heads)


def as_points(value: ArrayLike, what: str) -> Floats:
    """Give finite points as a fresh array (N, 3) of float64."""
    points = as_numbers(value, what)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"{what} must have shape (N, 3), got {points.shape}")
    points = np.array(points, np.float64, order="C")
    if not np.isfinite(points).all():
        row = int(np.argwhere(~np.isfinite(points))[0, 0])
        raise ValueError(f"{what} must be finite, got {points[row].tolist()} in row {row}")
    return points


def as_indices(value: ArrayLike, width: int, count: int, what: str, of: str) -> Indices:
    """Give rows of `width` indices below `count` as a fresh array of int64."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what} must be an array of equally long rows ({error})") from None
    if array.size == 0:
        array = np.empty((0, width), np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} must be an array of integers, got {array.dtype}")
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"{what} must have shape (N, {width}), got {array.shape}")
    if array.size and (array.min() < 0 or array.max() >= count):
        row = int(np.argwhere((array < 0) | (array >= count))[0, 0])
        raise ValueError(
            f"{what} must be in [0, {count}), the number of {of}, got {array[row].tolist()} in row {row}"
        )
    return np.array(array, np.int64, order="C")


def as_surface(surface: Any, function: str) -> tuple[Floats, Indices]:
    """Give positions (V, 3) and triangles (F, 3) of a surface."""
    if not isinstance(surface, Sequence) or len(surface) != 2:
        raise TypeError(
            f"{function}: surface must be the pair (positions, triangles), got {type(surface).__name__}"
        )
    positions = as_points(surface[0], f"{function}: surface positions")
    if len(positions) == 0:
        raise ValueError(f"{function}: surface positions must hold at least one vertex, got none")
    triangles = as_indices(
        surface[1], 3, len(positions), f"{function}: surface triangles", "vertices of the surface"
    )
    return positions, triangles


def as_handles(handles: Any, function: str) -> Handles:
    """Give a sequence of points (3,) and bones (2, 3) as segments."""
    if isinstance(handles, (str, bytes)) or not hasattr(handles, "__len__"):
        raise TypeError(
            f"{function}: handles must be a sequence of points (3,) and bones (head, tail), "
            f"got {type(handles).__name__}"
        )
    if len(handles) == 0:
        raise ValueError(f"{function}: handles must hold at least one point or bone, got none")
    heads, tails, is_point = [], [], []
    for index, handle in enumerate(handles):
        what = f"{function}: handle {index}"
        array = np.array(as_numbers(handle, what), np.float64)
        if array.shape not in ((3,), (2, 3)):
            raise ValueError(f"{what} must be a point (3,) or a bone (2, 3), got shape {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{what} must be finite, got {array.tolist()}")
        ends = array.reshape(-1, 3)
        heads.append(ends[0])
        tails.append(ends[-1])
        is_point.append(array.ndim == 1)
    return Handles(np.array(heads), np.array(tails), np.array(is_point))


def as_cage_faces(faces: ArrayLike | None, handles: Handles, function: str) -> Indices:
    """Give cage faces (K, 3): triangles between point handles."""
    if faces is None:
        return np.empty((0, 3), np.int64)
    what = f"{function}: cage_faces"
    corners = as_indices(faces, 3, len(handles), what, "handles")
    for row, corner in enumerate(corners):
        if not handles.is_point[corner].all():
            bone = int(corner[~handles.is_point[corner]][0])
            raise ValueError(f"{what} must join point handles, got bone {bone} in row {row}")
        a, b, c = handles.heads[corner]
        longest = max(np.linalg.norm(b - a), np.linalg.norm(c - a), np.linalg.norm(c - b))
        if not np.linalg.norm(np.cross(b - a, c - a)) > 1e-9 * longest**2:  # flat within rounding
            raise ValueError(f"{what} must have an area, got {corner.tolist()} in row {row}")
    return corners
