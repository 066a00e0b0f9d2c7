# SPDX-License-Identifier: MIT
"""Poses, weights and masks whose leading axes broadcast: the arguments of functions that mix poses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._arrays import as_floats, as_numbers

Shape = tuple[int, ...]


def as_poses(value: ArrayLike, what: str, joint_count: int | None = None) -> NDArray[Any]:
    """Give `value` as an array (..., J, 10), float32 or float64."""
    poses = as_floats(value, what)
    if poses.ndim < 2 or poses.shape[-1] != 10:
        raise ValueError(f"{what} must have shape (..., J, 10), got {poses.shape}")
    if joint_count is not None and poses.shape[-2] != joint_count:
        raise ValueError(
            f"{what} must have {joint_count} joints like the other poses, got {poses.shape[-2]}; poses of "
            "another skeleton do not mix (Clip.bind plays a clip on another)"
        )
    return poses


def as_mask(value: ArrayLike, what: str, joint_count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Give `value` as an array (..., J) of the precision of the poses."""
    mask = as_weights(value, what, dtype)
    if mask.shape[-1:] != (joint_count,):
        raise ValueError(f"{what} must have shape ({joint_count},), one number per joint, got {mask.shape}")
    return mask


def as_weights(value: ArrayLike, what: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Give `value` as an array of the precision of the poses."""
    return np.require(as_numbers(value, what), dtype, ["C", "A"])


def common_batch(function: str, leading: Iterable[Shape]) -> Shape:
    """Give the leading axes of the result."""
    shapes = [shape for shape in leading if shape]
    if not shapes:
        return ()
    if all(shape == shapes[0] for shape in shapes):
        return shapes[0]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shown = ", ".join(dict.fromkeys(map(str, shapes)))
        raise ValueError(f"{function}: leading axes must broadcast together, got {shown}") from None


def spread(array: NDArray[Any], batch: Shape, own_axes: int) -> NDArray[Any]:
    """Give `array` with the leading axes `batch`, or with none where it is the same for all of it.

    What is neither is copied.
    """
    split = array.ndim - own_axes
    leading, own = array.shape[:split], array.shape[split:]
    if not leading or leading == batch:
        return array
    if all(length == 1 for length in leading):
        return array.reshape(own)
    return np.ascontiguousarray(np.broadcast_to(array, batch + own))
