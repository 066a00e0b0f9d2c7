# SPDX-License-Identifier: MIT
"""Blend weights per vertex for the method "blended", checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_numbers, read_only

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
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(bad):
        raise ValueError(f"{what} must be from 0 to 1, got {values[bad[0]]} at vertex {bad[0]}")
    return read_only(values.astype(np.float32))


def one_for_all(value: NDArray[Any], vertex_count: int, what: str) -> NDArray[np.float32]:
    """Return one number from 0 to 1 as one per vertex; ValueError for another."""
    share = float(value)
    if not 0 <= share <= 1:
        raise ValueError(f"{what} must be a number from 0 to 1, got {share:g}")
    return np.full(vertex_count, share, np.float32)
