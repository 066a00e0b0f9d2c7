# SPDX-License-Identifier: MIT
"""Clips made from poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_floats, as_numbers
from lissom._rig.skeleton import Skeleton
from lissom.clip._tracks import COLUMNS, LINEAR, ROTATION, Track, packed

if TYPE_CHECKING:
    from lissom.clip import Clip
    from lissom.clip._loop import Loop


def from_poses(
    cls: type[Clip],
    skeleton: Skeleton,
    times: ArrayLike,
    poses: ArrayLike,
    *,
    name: str = "clip",
    loop: Loop | None = None,
) -> Clip:
    """Make a clip that passes through poses.

    Parameters
    ----------
    skeleton : Skeleton
    times : array_like of float, shape (F,)
        Seconds, strictly increasing.
    poses : array_like of float, shape (F, J, 10)
        The local trs at each time; float64 makes a float64 clip. Copied.
    name : str
    loop : bool or "ping_pong", optional
        As for `Clip`.

    Returns
    -------
    Clip
        One LINEAR track for each joint and path that is not at rest in all poses. Where all are at rest, the
        rotation of the first joint has a track, so that the clip keeps its times.

    Raises
    ------
    TypeError
        If `skeleton` is not a Skeleton, or an array does not hold real numbers.
    ValueError
        If shapes do not match, there is no pose, times do not increase, or a value is not finite.

    Examples
    --------
    >>> skeleton = lissom.samples.humanoid().skeleton
    >>> low = skeleton.rest
    >>> high = skeleton.rotate(low, "UpperArm.L", lissom.quat.from_axis_angle([0, 0, 1], 1.0))
    >>> lissom.Clip.from_poses(skeleton, [0, 0.5], [low, high], name="raise")
    <Clip 'raise': 0.500 s from 0.000 s, 1 track for 34 joints, does not loop>
    """
    if not isinstance(skeleton, Skeleton):
        raise TypeError(f"Clip.from_poses: skeleton must be a Skeleton, got {type(skeleton).__name__}")
    poses = as_floats(poses, "Clip.from_poses: poses")
    with np.errstate(over="ignore"):  # infinite times are refused below
        key_times = as_numbers(times, "Clip.from_poses: times").astype(poses.dtype)
    count = len(skeleton)
    if key_times.ndim != 1 or key_times.size == 0:
        raise ValueError(f"Clip.from_poses: times must have shape (F,), F at least 1, got {key_times.shape}")
    check_increasing(key_times, "Clip.from_poses: times")
    frames = len(key_times)
    if poses.shape != (frames, count, 10):
        raise ValueError(
            f"Clip.from_poses: poses must have shape ({frames}, {count}, 10) for {frames} times and "
            f"{count} joints, got {poses.shape}; poses of another skeleton need that one"
        )
    moved = (poses != skeleton.rest).any(axis=0)
    chosen = [(j, p) for p, columns in COLUMNS.items() for j in np.flatnonzero(moved[:, columns].any(axis=1))]
    if not chosen and count:
        chosen = [(np.intp(0), ROTATION)]
    tracks = [Track(int(j), p, LINEAR, key_times, poses[:, j, COLUMNS[p]]) for j, p in chosen]
    clip = cls(name, skeleton, *packed(tracks, poses.dtype), loop=loop)
    clip._ready()
    return clip


def check_increasing(times: NDArray[Any], what: str) -> None:
    """Refuse key times, (F,), that are not finite or do not increase; `what` names function and argument."""
    wrong = ~np.isfinite(times)
    wrong[1:] |= ~(times[1:] > times[:-1])
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{what} must be finite and increase strictly in {times.dtype}, got {times[at]} at {at}"
        )
