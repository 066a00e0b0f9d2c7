# SPDX-License-Identifier: MIT
"""What is compared: two arrays of one shape, finite and not empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["as_doubles", "require_alike"]

Place = Callable[[tuple[int, ...]], str]


def as_doubles(function: str, name: str, value: ArrayLike) -> Floats:
    """Give an array as float64. TypeError for what holds no real numbers."""
    fields = getattr(value, "_fields", ())
    if "positions" in fields:  # vertices and normals, which are no second batch of vertices
        raise TypeError(
            f"{function}: {name}: expected an array, got {type(value).__name__}; pass its .positions"
        )
    doubles: Floats = as_numbers(value, f"{function}: {name}").astype(np.float64)
    return doubles


def require_alike(function: str, actual: Floats, desired: Floats, own_axes: int, place: Place) -> None:
    """Fail where shapes differ, nothing is there to compare, or a number is not finite.

    `own_axes` many last axes belong to one joint or vertex, whose index `place` puts into words.
    """
    __tracebackhide__ = True
    if actual.shape != desired.shape:
        raise AssertionError(f"{function}: shapes differ: actual {actual.shape}, desired {desired.shape}")
    if not desired.size:
        raise AssertionError(f"{function}: nothing to compare: both have shape {desired.shape}")
    for name, array in (("actual", actual), ("desired", desired)):
        finite = np.isfinite(array).all(axis=tuple(range(-own_axes, 0)))
        if not finite.all():
            index = tuple(np.argwhere(~finite)[0].tolist())
            raise AssertionError(
                f"{function}: {name} is not finite in {(~finite).sum()} of {finite.size} places, first at "
                f"{place(index)}: {brief(array[index])}"
            )


def brief(numbers: Any) -> str:
    """Say a few numbers."""
    flat = np.asarray(numbers).reshape(-1)
    return np.array2string(flat, precision=6, suppress_small=True, max_line_width=200)
