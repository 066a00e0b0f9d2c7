# SPDX-License-Identifier: MIT
"""The two arrays that are compared: of one shape, finite and not empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["Label", "as_doubles", "numbers_text", "require_comparable"]

Label = Callable[[tuple[int, ...]], str]
"""From the index of an element to its name in messages."""


def as_doubles(function: str, name: str, value: ArrayLike) -> Floats:
    """Return an array as float64. TypeError for what does not hold real numbers."""
    fields = getattr(value, "_fields", ())
    if "positions" in fields:  # a tuple of positions and normals is not a batch of two meshes
        raise TypeError(
            f"{function}: {name} must be an array, got {type(value).__name__}; pass its .positions"
        )
    doubles: Floats = as_numbers(value, f"{function}: {name}").astype(np.float64)
    return doubles


def require_comparable(function: str, actual: Floats, desired: Floats, own_axes: int, label: Label) -> None:
    """Fail where shapes differ, arrays are empty, or a number is not finite.

    The last `own_axes` axes belong to one joint or vertex, whose index `label` names.
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
                f"{label(index)}: {numbers_text(array[index])}"
            )


def numbers_text(numbers: Any) -> str:
    """Return the text of a few numbers."""
    flat = np.asarray(numbers).reshape(-1)
    return np.array2string(flat, precision=6, suppress_small=True, max_line_width=200)
