# SPDX-License-Identifier: MIT
"""Clips made from poses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_floats, as_numbers
from lissom._base.names import unknown_name
from lissom._rig.skeleton import Skeleton
from lissom.clip._morphs import checked_morph_defaults, checked_morph_names, names_and_defaults
from lissom.clip._tracks import COLUMNS, LINEAR, ROTATION, WEIGHT, Track, packed

if TYPE_CHECKING:
    from lissom.clip import Clip
    from lissom.clip._loop import Loop
    from lissom.clip._morphs import MorphNames


def from_poses(
    cls: type[Clip],
    skeleton: Skeleton,
    times: ArrayLike,
    poses: ArrayLike,
    *,
    name: str = "clip",
    loop: Loop | None = None,
    morphs: ArrayLike | Mapping[str, ArrayLike] | None = None,
    morph_names: MorphNames | None = None,
) -> Clip:
    """Make a clip that passes through poses, and weights of morph targets.

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
    morphs : array_like of float, shape (F, M), or mapping of str to array_like, shape (F,), optional
        The weights at each time: of all morph targets, or of some by name. Stored in the type of the poses.
    morph_names : sequence of str or Morphs, optional
        The morph targets, M of them; `Morphs` have default weights, too. Of a mapping its own names if
        omitted.

    Returns
    -------
    Clip
        One LINEAR track for each joint and path that is not at rest in all poses, and for each morph target
        that has not its default in all. Where there is none, the rotation of the first joint has a track, so
        that the clip keeps its times.

    Raises
    ------
    TypeError
        If `skeleton` is not a Skeleton, or an array does not hold real numbers.
    ValueError
        If shapes do not match, there is no pose, times do not increase, a value is not finite, or a name is
        not in `morph_names`.

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
    names, defaults, weights = _weights(morphs, morph_names, frames)
    moving = np.flatnonzero((weights != defaults).any(axis=0)).tolist()
    if not chosen and not moving and count:
        chosen = [(np.intp(0), ROTATION)]
    tracks = [Track(int(j), p, LINEAR, key_times, poses[:, j, COLUMNS[p]]) for j, p in chosen]
    tracks += [Track(m, WEIGHT, LINEAR, key_times, weights[:, m, None]) for m in moving]
    options: dict[str, Any] = {"loop": loop, "morph_names": names, "morph_defaults": defaults}
    with np.errstate(over="ignore"):  # weights beyond the type are refused below
        keys, table = packed(tracks, poses.dtype)
    clip = cls(name, skeleton, keys, table, **options)
    clip._ready()
    return clip


def _weights(
    morphs: ArrayLike | Mapping[str, ArrayLike] | None, morph_names: MorphNames | None, frames: int
) -> tuple[tuple[str, ...], NDArray[np.float32], NDArray[np.float64]]:
    """Return names and defaults of the morph targets, and the weights (F, M)."""
    what = "Clip.from_poses: morphs"
    stated, stated_defaults = names_and_defaults(() if morph_names is None else morph_names)
    if morph_names is None and morphs is not None:
        if not isinstance(morphs, Mapping):
            raise ValueError(f"{what} must come with morph_names, got an array without; a mapping has names")
        stated = tuple(morphs)
    names = checked_morph_names(stated)
    defaults = checked_morph_defaults(stated_defaults, len(names))
    weights = np.tile(defaults.astype(np.float64), (frames, 1))
    if isinstance(morphs, Mapping):
        for name, value in morphs.items():
            if name not in names:
                raise ValueError(f"{what}: {unknown_name('morph target', str(name), names)}")
            column = as_numbers(value, f"{what}: {name!r}")
            if column.shape != (frames,):
                raise ValueError(
                    f"{what} must have shape ({frames},) for {frames} times, got {column.shape} for {name!r}"
                )
            weights[:, names.index(name)] = column
    elif morphs is not None:
        array = as_numbers(morphs, what)
        if array.shape != weights.shape:
            raise ValueError(
                f"{what} must have shape {weights.shape} for {frames} times and {len(names)} morph targets, "
                f"got {array.shape}"
            )
        weights[:] = array
    return names, defaults, weights


def check_increasing(times: NDArray[Any], what: str) -> None:
    """Refuse key times, (F,), that are not finite or do not increase; `what` names function and argument."""
    wrong = ~np.isfinite(times)
    wrong[1:] |= ~(times[1:] > times[:-1])
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{what} must be finite and increase strictly in {times.dtype}, got {times[at]} at {at}"
        )
