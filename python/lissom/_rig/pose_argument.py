# SPDX-License-Identifier: MIT
"""The argument `pose` of functions that take a single pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom._base.arrays import as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.skeleton import Skeleton

__all__ = ["one_pose"]


def one_pose(pose: ArrayLike | None, skeleton: Skeleton, what: str) -> NDArray[Any]:
    """Return a pose (J, 10) of real numbers, the rest pose for None; refuse another shape.

    `what` names function and argument in errors.
    """
    local = as_numbers(skeleton.rest if pose is None else pose, what)
    expected = (len(skeleton), 10)
    if local.shape != expected:
        raise ValueError(f"{what} must have shape {expected}, one pose, got {local.shape}")
    return local
