# SPDX-License-Identifier: MIT
"""What `lissom.trs` still takes from here: arrays of one precision, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._arrays import as_floats, as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def _floats(function: str, *values: ArrayLike) -> list[NDArray[Any]]:
    """Arrays of one dtype: float64 where an array among them is, else float32."""
    double = any(isinstance(v, (np.ndarray, np.generic)) and v.dtype == np.float64 for v in values)
    if double:
        return [as_numbers(v, f"{function}: an argument").astype(np.float64, copy=False) for v in values]
    return [as_floats(v, f"{function}: an argument") for v in values]


def _check(function: str, name: str, array: NDArray[Any], length: int) -> None:
    if array.ndim == 0 or array.shape[-1] != length:
        raise ValueError(f"{function}: {name} must have shape (..., {length}), got {array.shape}")
