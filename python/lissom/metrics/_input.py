# SPDX-License-Identifier: MIT
"""Arguments of measures: vertices as float64 and triangles as int64, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_numbers, quads_advice

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def vertices(value: ArrayLike, what: str, *, count: int | None = None, one: bool = False) -> Floats:
    """Return points as finite float64, shape (..., V, 3), or (V, 3) if `one`."""
    array = as_numbers(value, what)
    shape = f"({'' if one else '..., '}{'V' if count is None else count}, 3)"
    fits = array.ndim >= 2 and array.shape[-1] == 3 and count in (None, array.shape[-2])
    if not fits or (one and array.ndim > 2):
        raise ValueError(f"{what} must have shape {shape}, got {array.shape}")
    points = array.astype(np.float64)
    if not points.shape[-2]:
        raise ValueError(f"{what} must hold at least one vertex, got shape {array.shape}")
    finite = np.isfinite(points).all(axis=-1)
    if not finite.all():
        index = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(f"{what} must be finite, got {points[index]} at {_place(index)}")
    return points


def triangles(value: ArrayLike, what: str, vertex_count: int) -> Ints:
    """Return triangles as int64, shape (F, 3), each index that of a vertex."""
    array = as_numbers(value, what)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} must hold integers, got {array.dtype}")
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{what} must have shape (F, 3), got {array.shape}{quads_advice(array.shape)}")
    if not len(array):
        raise ValueError(f"{what} must hold at least one triangle, got none")
    result = array.astype(np.int64)
    bad = np.flatnonzero(((result < 0) | (result >= vertex_count)).any(axis=1))
    if len(bad):
        raise ValueError(
            f"{what} must hold indices in [0, {vertex_count}), got {array[bad[0]].tolist()} at "
            f"triangle {bad[0]}"
        )
    return result


def plain(value: Any) -> Any:
    """Return the value of one pose as a Python number, those of several as an array."""
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array


def _place(index: tuple[int, ...]) -> str:
    pose = f"pose {index[:-1] if len(index) > 2 else index[0]}, " if len(index) > 1 else ""
    return f"{pose}vertex {index[-1]}"
