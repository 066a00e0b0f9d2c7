# SPDX-License-Identifier: MIT
"""Motions as arguments: a clip, or times and poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_floats, as_numbers
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.clip._frames import checked_interval_count
from lissom.ik._axes import Floats
from lissom.ik._feet.checks import refuse_not_finite

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip


def regular_times(function: str, clip: Clip, rate: float) -> Floats:
    """Return regular times from the start of a clip to its end, at least `rate` a second; one for a pose."""
    checked_interval_count(function, clip, rate)
    count = max(int(np.ceil(clip.duration * rate - 1e-6)), 1)
    seconds = clip.start + clip.duration * np.arange(count + 1) / count
    return np.asarray(seconds if clip.duration > 0 else seconds[:1])


def checked_motion(
    function: str, motion: tuple[ArrayLike, ArrayLike], skeleton: Skeleton
) -> tuple[Floats, NDArray[Any]]:
    """Return times (F,) and poses (F, J, 10), in the type of the poses."""
    times = as_numbers(motion[0], f"{function}: times").astype(np.float64)
    poses = as_floats(motion[1], f"{function}: poses")
    count = len(skeleton)
    if times.ndim != 1 or not len(times) or poses.shape != (len(times), count, 10):
        raise ValueError(
            f"{function}: times must have shape (F,) and poses (F, {count}, 10), F at least 1, got "
            f"{times.shape} and {poses.shape}"
        )
    if not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise ValueError(
            f"{function}: times must be finite and increase strictly, got some that do not; sort them, each "
            "once"
        )
    refuse_not_finite(function, skeleton, poses)
    return times, poses


def require_poses_of(function: str, skeleton: Skeleton, clip: Clip) -> None:
    """Refuse a clip of another skeleton, and an additive one."""
    check_same_skeleton(skeleton, clip.skeleton, f"{function}: clip {clip.name!r}")
    if clip.additive:
        raise ValueError(
            f"{function}: clip {clip.name!r} must hold poses, got an additive clip; add it to a pose first "
            "(add_layer)"
        )
