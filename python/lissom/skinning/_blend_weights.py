# SPDX-License-Identifier: MIT
"""The one check of what is painted per vertex for the method "blended"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_numbers, read_only
from lissom._base.numbers import check_fraction, check_fractions

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def checked_blend(blend: ArrayLike, vertex_count: int, what: str) -> NDArray[np.float32]:
    """Return a copy of how far each vertex is from linear (0) to dual quaternion skinning (1), read-only.

    One number stands for all. `what` names class and argument in errors: TypeError for what is not a real
    number, ValueError for another shape than ``(V,)`` or a number that is not from 0 to 1.
    """
    values = as_numbers(blend, what).astype(np.float64)
    if values.ndim == 0:
        return read_only(one_for_all(values, vertex_count, what))
    if values.shape != (vertex_count,):
        raise ValueError(f"{what} must have shape ({vertex_count},), got {values.shape}")
    check_fractions(values, what, of="vertex")
    return read_only(values.astype(np.float32))


def one_for_all(value: NDArray[Any], vertex_count: int, what: str) -> NDArray[np.float32]:
    """Return one number from 0 to 1 as one per vertex; ValueError for another."""
    return np.full(vertex_count, check_fraction(float(value), what), np.float32)
