# SPDX-License-Identifier: MIT
"""Rays and points as users pass them, checked once for all grounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers
from lissom._base.vectors import unit_vectors

Floats = NDArray[np.float64]


def finite(what: str, array: NDArray[Any], advice: str = "") -> Floats:
    """Return `array` as float64; refuse numbers that are not finite, by the index of the first."""
    array = np.asarray(array, np.float64)
    good = np.isfinite(array)
    if not good.all():
        where = tuple(np.argwhere(~good)[0].tolist())
        raise ValueError(f"{what} must be finite, got {array[where]} at index {list(where)}{advice}")
    return array


def vector(what: str, value: ArrayLike) -> Floats:
    """Return three finite numbers as a read-only copy."""
    array = as_numbers(value, what)
    if array.shape != (3,):
        raise ValueError(f"{what} must have shape (3,), got {array.shape}")
    array = finite(what, array).copy()
    array.flags.writeable = False
    return array


def broadcast(what: str, origins: ArrayLike, directions: ArrayLike) -> tuple[Floats, Floats]:
    """Return origins and directions broadcast to one shape (..., 3), neither copied nor checked for NaN."""
    pair = []
    for name, value in (("origins", origins), ("directions", directions)):
        array = as_numbers(value, f"{what}: {name}")
        if array.ndim == 0 or array.shape[-1] != 3:
            raise ValueError(f"{what}: {name} must have shape (..., 3), got {array.shape}")
        pair.append(np.asarray(array, np.float64))
    if pair[0].shape == pair[1].shape:
        return pair[0], pair[1]
    try:
        shape = np.broadcast_shapes(pair[0].shape, pair[1].shape)
    except ValueError:
        raise ValueError(
            f"{what}: origins and directions must have leading axes that broadcast, "
            f"got {pair[0].shape} and {pair[1].shape}"
        ) from None
    return np.broadcast_to(pair[0], shape), np.broadcast_to(pair[1], shape)


def unit(what: str, directions: NDArray[Any]) -> Floats:
    """Return directions (N, 3) at unit length, whatever their size; refuse the zero vector."""
    zero = ~directions.any(axis=-1)
    if zero.any():
        raise ValueError(f"{what} must not be zero, got zero for ray {int(np.argmax(zero))}")
    return unit_vectors(directions)


def rays(what: str, origins: ArrayLike, directions: ArrayLike) -> tuple[Floats, Floats, tuple[int, ...]]:
    """Return finite origins (N, 3), unit directions (N, 3), and the leading axes they had."""
    origins, directions = broadcast(what, origins, directions)
    flat_origins = finite(f"{what}: origins", origins).reshape(-1, 3)
    flat_directions = finite(f"{what}: directions", directions).reshape(-1, 3)
    return flat_origins, unit(f"{what}: directions", flat_directions), origins.shape[:-1]


def shaped(distances: Floats, normals: Floats, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Reshape distances (N,) and normals (N, 3) to the leading axes of the rays."""
    return distances.reshape(shape), normals.reshape(*shape, 3)
