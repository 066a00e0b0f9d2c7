# SPDX-License-Identifier: MIT
"""Surfaces and handles as users pass them, checked once for all methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._arrays import as_numbers
from lissom.mesh import Mesh
from lissom.weights._bones import Bones

__all__ = ["Handles", "Surface", "as_handles", "as_positions", "as_surface"]

Surface = tuple[ArrayLike, ArrayLike] | Mesh
"""How functions take a surface: positions (V, 3) and triangles (F, 3), or a mesh."""

Handles = Sequence[ArrayLike] | NDArray[Any] | Bones
"""How functions take handles: points (3,) and bones (2, 3) in any order, or what `bones` gives."""


def as_surface(what: str, surface: Surface) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Give positions and triangles as the core takes them. `what` names the function in errors."""
    if isinstance(surface, Mesh):
        pair: Any = surface.positions, surface.triangles
    else:
        try:
            positions, triangles = surface
        except (TypeError, ValueError):
            raise TypeError(
                f"{what}: surface must be a pair (positions, triangles) or a Mesh, "
                f"got {type(surface).__name__}"
            ) from None
        pair = positions, triangles
    points = as_positions(what, pair[0])
    return points, _triangles(what, pair[1], len(points))


def as_positions(what: str, values: ArrayLike, name: str = "positions") -> NDArray[np.float64]:
    """Give points (V, 3), at least one of them, all finite."""
    array = as_numbers(values, f"{what}: {name}")
    if array.size == 0 and (array.ndim == 1 or array.shape[-1:] == (3,)):
        raise ValueError(f"{what}: {name} must hold at least one vertex, got none")
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{what}: {name} must have shape (V, 3), got {array.shape}")
    points = np.require(array, np.float64, ["C", "A"])
    good = np.isfinite(points)
    if not good.all():
        row, column = np.argwhere(~good)[0].tolist()
        raise ValueError(
            f"{what}: {name} must be finite, got {points[row, column]} in vertex {row}; remove or repair it"
        )
    return points


def _triangles(what: str, values: ArrayLike, vertex_count: int) -> NDArray[np.uint32]:
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros((0, 3), np.uint32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what}: triangles must be an array of integers, got {array.dtype}")
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{what}: triangles must have shape (F, 3), got {array.shape}")
    if array.min() < 0 or array.max() >= vertex_count:
        row = int(np.argwhere((array < 0) | (array >= vertex_count))[0, 0])
        raise ValueError(
            f"{what}: triangles must be in [0, {vertex_count}), the number of vertices, "
            f"got {array[row].tolist()} in row {row}"
        )
    return np.require(array, np.uint32, ["C", "A"])


def as_handles(what: str, handles: Handles) -> NDArray[np.float64]:
    """Give handles as bones from head to tail, shape (H, 2, 3); in a point both are one."""
    if isinstance(handles, Bones):
        return np.array(handles.handles)
    try:
        each = list(handles)
    except TypeError:
        raise TypeError(
            f"{what}: handles must be a sequence of points (3,) and bones (2, 3), "
            f"got {type(handles).__name__}"
        ) from None
    if not each:
        raise ValueError(f"{what}: handles must be at least one, got none")
    ends = np.empty((len(each), 2, 3))
    for index, handle in enumerate(each):
        array = as_numbers(handle, f"{what}: handles[{index}]")
        if array.shape not in ((3,), (2, 3)):
            raise ValueError(
                f"{what}: handles must be points of shape (3,) and bones of shape (2, 3), "
                f"got {array.shape} for handle {index}"
            )
        if not np.isfinite(array).all():
            raise ValueError(f"{what}: handles must be finite, got {array.tolist()} for handle {index}")
        ends[index] = array
    return ends
