# SPDX-License-Identifier: MIT
"""Poses, weights and masks whose leading axes broadcast: the arguments of functions that mix poses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import FLOAT32, FLOAT64, as_floats, as_numbers

Shape = tuple[int, ...]


def as_poses(value: ArrayLike, what: str, joint_count: int | None = None) -> NDArray[Any]:
    """Return `value` as an array (..., J, 10), float32 or float64."""
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
    """Return `value` as an array (..., J) of the precision of the poses."""
    mask = as_weights(value, what, dtype)
    if mask.shape[-1:] != (joint_count,):
        raise ValueError(f"{what} must have shape ({joint_count},), one number per joint, got {mask.shape}")
    return mask


def as_weights(value: ArrayLike, what: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return `value` as an array of the precision of the poses."""
    if isinstance(value, (float, int, np.floating)):  # ten times as fast as any other
        try:
            return np.array(value, dtype)
        except OverflowError:  # a whole number beyond all floats
            return np.array(math.inf if value > 0 else -math.inf, dtype)
    if (
        type(value) is np.ndarray
        and value.dtype == dtype
        and value.flags.c_contiguous
        and value.flags.aligned
    ):
        return value
    return np.require(as_numbers(value, what), dtype, ["C", "A"])


def not_finite_at(rows: NDArray[Any], names: Sequence[str]) -> str | None:
    """Say where `rows`, (..., J, N) of the joints `names`, first hold NaN or infinity; None where nowhere."""
    bad = np.argwhere(~np.isfinite(rows).all(axis=-1))
    if not len(bad):
        return None
    *pose, joint = map(int, bad[0])
    place = f"joint {joint}, {names[joint]!r}"
    return f"pose {pose[0] if len(pose) == 1 else tuple(pose)}, {place}" if pose else place


def common_dtype(*arrays: NDArray[Any]) -> np.dtype[Any]:
    """Return float64 where one of these float32 or float64 arrays is, else float32."""
    return FLOAT64 if any(array.dtype == FLOAT64 for array in arrays) else FLOAT32


def common_batch(what: str, leading: Iterable[Shape]) -> Shape:
    """Return the leading axes of the result; `what` names the function, or it and one of its arguments."""
    shapes = dict.fromkeys(shape for shape in leading if shape)
    if len(shapes) < 2:
        return next(iter(shapes), ())
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shown = ", ".join(map(str, shapes))
        function = what.partition(":")[0]
        raise ValueError(f"{function}: leading axes must broadcast together, got {shown}") from None


def spread(array: NDArray[Any], batch: Shape, own_axes: int) -> NDArray[Any]:
    """Return `array` with the leading axes `batch`, or with none where it is the same for all of it.

    What is neither is copied.
    """
    split = array.ndim - own_axes
    if split == 0:
        return array
    leading, own = array.shape[:split], array.shape[split:]
    if leading == batch:
        return array
    if all(length == 1 for length in leading):
        return array.reshape(own)
    return np.ascontiguousarray(np.broadcast_to(array, batch + own))


def two_poses(
    whats: tuple[str, str, str, str],
    first: ArrayLike,
    second: ArrayLike,
    weight: ArrayLike,
    mask: ArrayLike | None,
    out: NDArray[Any] | None,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any] | None, NDArray[Any]]:
    """Return the arguments of a function of two poses as the core takes them; `out` is allocated where None.

    `whats` name function and argument of the poses, the weight and the mask: "blend: a" and so on.
    """
    a = as_poses(first, whats[0])
    joint_count = a.shape[-2]
    b = as_poses(second, whats[1], joint_count)
    if a.dtype != b.dtype:
        a, b = a.astype(np.float64), b.astype(np.float64)
    weights = as_weights(weight, whats[2], a.dtype)
    leading = [a.shape[:-2], b.shape[:-2], weights.shape]
    masks = None
    if mask is not None:
        masks = as_mask(mask, whats[3], joint_count, a.dtype)
        leading.append(masks.shape[:-1])
    batch = common_batch(whats[0], leading)
    if masks is not None:
        masks = spread(masks, batch, 1)
    if out is None:
        out = np.empty((*batch, joint_count, 10), a.dtype)
    return spread(a, batch, 2), spread(b, batch, 2), spread(weights, batch, 0), masks, out
