# SPDX-License-Identifier: MIT
"""What a skeleton is made of, checked: names, indices and the rest pose."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import as_numbers, read_only, refuse_masked

__all__ = ["UNIT_TOLERANCE", "Joint", "checked_rest", "each_joint", "index_array", "unique_indices"]


Joint = str | int
"""How functions take a joint: its name, or its index."""

# A float32 quaternion that was normalised once is unit within 2e-7; 1e-4 still means "meant to be unit".
UNIT_TOLERANCE = 1e-4

STORAGE_TOLERANCE = 2e-7


def each_joint(joints: Joint | Iterable[Joint]) -> Iterable[Joint]:
    """Return joints that come alone or in a row as a row."""
    return [joints] if isinstance(joints, str) or not isinstance(joints, Iterable) else joints


def unique_indices(names: tuple[str, ...]) -> dict[str, int]:
    indices: dict[str, int] = {}
    for index, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"Skeleton: names[{index}] must be a string, got {type(name).__name__}")
        if name in indices:
            raise ValueError(
                f"Skeleton: joints {indices[name]} and {index} are both named {name!r}; make names unique"
            )
        indices[name] = index
    return indices


def index_array(argument: str, value: ArrayLike, count: int) -> NDArray[np.int32]:
    plain: NDArray[np.int32] | None = _core.plain_indices(value, count)
    if plain is not None:
        return plain
    refuse_masked(value, f"Skeleton: {argument}")
    array = np.asarray(value)
    if array.shape != (count,):
        raise ValueError(
            f"Skeleton: {argument} must have shape ({count},) for {count} names, got {array.shape}"
        )
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"Skeleton: {argument} must be integers, got {array.dtype}")
    limits = np.iinfo(np.int32)
    if array.size and not (limits.min <= array.min() and array.max() <= limits.max):
        raise ValueError(f"Skeleton: {argument} must fit in 32 bits, got {array.min()} to {array.max()}")
    return read_only(array.astype(np.int32))


def checked_rest(value: ArrayLike, count: int) -> NDArray[np.float32]:
    plain: NDArray[np.float32] | None = _core.plain_rest(value, count, UNIT_TOLERANCE, STORAGE_TOLERANCE)
    if plain is not None:
        return plain
    numbers = as_numbers(value, "Skeleton: rest")
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite and is refused below
        rest = np.array(numbers, np.float32, order="C")
    if rest.shape != (count, 10):
        raise ValueError(f"Skeleton: rest must have shape ({count}, 10) for {count} names, got {rest.shape}")
    if not np.isfinite(rest).all():
        joint = int(np.argwhere(~np.isfinite(rest))[0, 0])
        raise ValueError(f"Skeleton: rest must be finite, got {rest[joint]} at joint {joint}")
    length = np.linalg.norm(rest[:, 3:7].astype(np.float64), axis=1)
    wrong = np.flatnonzero(np.abs(length - 1) > UNIT_TOLERANCE)
    if wrong.size:
        joint = int(wrong[0])
        raise ValueError(
            f"Skeleton: rest rotations must be unit within {UNIT_TOLERANCE}, got length {length[joint]:.6g} "
            f"at joint {joint}; divide the quaternion by its length"
        )
    # Exactly, where they are off by more than the rounding of storage: what samples at rest is unit, too.
    rough = np.abs(length - 1) > STORAGE_TOLERANCE
    rest[rough, 3:7] = rest[rough, 3:7] / length[rough, None]
    return read_only(rest)
