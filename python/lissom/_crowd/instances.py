# SPDX-License-Identifier: MIT
"""The instances of a crowd: what each plays and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import quat
from lissom._base.arrays import as_numbers, finite_floats, refuse_masked
from lissom._base.numbers import LARGEST, check_number, whole_number
from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom.pose_texture._pose_texture import PoseTexture

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "INSTANCE_DTYPE",
    "NO_CLIP",
    "check_bake",
    "check_dtype",
    "check_instances",
    "check_places",
    "heading",
    "instance_rows",
    "plain_instances",
    "play_at_random",
    "random_times",
    "scattered",
]

NO_CLIP = -1  # next_clip of an instance that does not fade

#: One instance of a crowd: 60 bytes, without padding. docs/api/drawing.rst lists the fields for users.
INSTANCE_DTYPE = np.dtype(
    [
        ("position", "<f4", (3,)),  # world
        ("rotation", "<f4", (4,)),  # world_from_model, x y z w; need not be normalised, but not zero
        ("scale", "<f4"),  # uniform, above 0
        ("clip", "<i2"),  # index into the bake's clips
        ("next_clip", "<i2"),  # clip that the instance fades to, or NO_CLIP
        ("time", "<f4"),  # seconds on the time line of clip
        ("speed", "<f4"),  # clip seconds per second, of both clips; negative plays backwards
        ("next_time", "<f4"),  # seconds on the time line of next_clip
        ("fade", "<f4"),  # weight of next_clip, 0 to 1
        ("fade_duration", "<f4"),  # seconds from fade 0 to fade 1, at least 0
        ("tint", "u1", (4,)),  # r g b in 1/255, multiplies linear base colours; hidden where the fourth is 0
    ]
)


def check_bake(bake: object, caller: str) -> None:
    """Refuse what is not a bake, and say how to make one."""
    if not isinstance(bake, PoseTexture):
        advice = "lissom.load_bake reads one from a file, lissom.bake(character) makes one"
        if isinstance(bake, Character):
            advice = "lissom.bake(character) makes one from it"
        elif type(bake).__name__ == "Stage":
            advice = "pass the stage by name, stage="
        raise TypeError(f"{caller}: bake must be a PoseTexture, got {type(bake).__name__}; {advice}")


def check_dtype(instances: object, caller: str) -> None:
    """Refuse what is not a one-dimensional array of instances."""
    refuse_masked(instances, f"{caller}: instances")
    if not isinstance(instances, np.ndarray) or instances.dtype != INSTANCE_DTYPE:
        got = instances.dtype if isinstance(instances, np.ndarray) else type(instances).__name__
        raise TypeError(
            f"{caller}: instances must be an array with dtype INSTANCE_DTYPE, got {got}; "
            "plain_instances and scattered make one"
        )
    if instances.ndim != 1:
        raise ValueError(f"{caller}: instances must have shape (count,), got {instances.shape}")


def check_instances(instances: NDArray[Any], clip_count: int, caller: str) -> None:
    """Refuse instances that cannot be drawn, by the field and the first such instance.

    Parameters
    ----------
    instances : ndarray of `INSTANCE_DTYPE`, shape (count,)
        C-contiguous.
    clip_count : int
        Clips of the bake.
    caller : str
        Function that errors name.

    Raises
    ------
    ValueError
        If a number is not finite, a clip does not exist, or a field is out of its range.
    """
    check_places(instances, caller)
    flat = _words(instances)
    if not np.isfinite(flat[:, 9:14]).all():
        _refuse_not_finite(instances, ("time", "speed", "next_time", "fade", "fade_duration"), caller)
    clip, following = instances["clip"], instances["next_clip"]
    _refuse(instances, (clip < 0) | (clip >= clip_count), "clip", f"be in [0, {clip_count})", caller)
    _refuse(
        instances,
        (following < NO_CLIP) | (following >= clip_count),
        "next_clip",
        f"be in [0, {clip_count}), or {NO_CLIP} for none",
        caller,
    )
    _refuse(instances, (flat[:, 12] < 0) | (flat[:, 12] > 1), "fade", "lie in [0, 1]", caller)
    _refuse(instances, flat[:, 13] < 0, "fade_duration", "be at least 0 seconds", caller)


def check_places(instances: NDArray[Any], caller: str) -> None:
    """Refuse instances that stand nowhere: by position, rotation and scale alone."""
    flat = _words(instances)
    if not np.isfinite(flat[:, :8]).all():
        _refuse_not_finite(instances, ("position", "rotation", "scale"), caller)
    _refuse(instances, ~flat[:, 3:7].any(axis=1), "rotation", "be a quaternion of length above 0", caller)
    _refuse(instances, flat[:, 7] <= 0, "scale", "be above 0", caller)


def _words(instances: NDArray[Any]) -> NDArray[np.float32]:
    """Return instances as words of four bytes, ``(count, 15)``."""
    return instances.view(np.float32).reshape(len(instances), INSTANCE_DTYPE.itemsize // 4)


def _refuse_not_finite(instances: NDArray[Any], names: tuple[str, ...], caller: str) -> None:
    for name in names:
        values = instances[name].reshape(len(instances), -1)
        _refuse(instances, ~np.isfinite(values).all(axis=1), name, "be finite", caller)


def _refuse(instances: NDArray[Any], bad: Any, name: str, condition: str, caller: str) -> None:
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        value = instances[name][i]
        got = value.tolist() if value.ndim else value
        raise ValueError(f"{caller}: instances: {name} must {condition}, got {got} at instance {i}")


def instance_rows(which: Any, count: int, what: str) -> NDArray[np.intp]:
    """Return which of `count` instances an index, a slice, or an array of indices or bools means; None: all.

    Raises
    ------
    TypeError
        If it is something else.
    IndexError
        If an instance does not exist.
    """
    every = np.arange(count)
    if which is None:
        return every
    if isinstance(which, slice):
        return np.asarray(every[which])
    wanted = "an index, a slice, or an array of indices or bools, (n,)"
    if isinstance(which, bool):
        raise TypeError(f"{what} must be {wanted}, got {which}")
    rows = np.atleast_1d(as_numbers(which, what))
    if rows.ndim > 1:
        raise TypeError(f"{what} must be {wanted}, got shape {rows.shape}")
    if rows.dtype == np.bool_:
        if len(rows) != count:
            raise IndexError(f"{what} must have a bool for each of the {count} instances, got {len(rows)}")
        return np.flatnonzero(rows)
    if not len(rows):
        return every[:0]
    if not np.issubdtype(rows.dtype, np.integer):
        raise TypeError(f"{what} must be {wanted}, got {rows.dtype}")
    missing = rows[(rows < -count) | (rows >= count)]
    if len(missing):
        raise IndexError(f"{what} must name instances in [0, {count}), got {missing[0]}")
    return np.asarray(every[rows])


@set_module("lissom.gpu")
def heading(angle: ArrayLike) -> NDArray[np.float32]:
    """Return the rotation of an instance that faces a direction on the ground.

    Parameters
    ----------
    angle : array_like of float, shape (...)
        Radians about y: 0 faces +z, pi / 2 faces +x.

    Returns
    -------
    ndarray of float32, shape (..., 4)
        Unit quaternions x, y, z, w, for ``instances["rotation"]``.

    Raises
    ------
    ValueError
        If an angle is not finite.

    Examples
    --------
    >>> lissom.gpu.heading([0.0, np.pi / 2]).round(3)
    array([[0.   , 0.   , 0.   , 1.   ],
           [0.   , 0.707, 0.   , 0.707]], dtype=float32)
    """
    angles = finite_floats(angle, "heading: angle")
    return np.asarray(quat.from_axis_angle((0, 1, 0), angles), np.float32)


@set_module("lissom.gpu")
def plain_instances(count: int) -> NDArray[Any]:
    """Return instances at the origin that play the first clip from time 0.

    Parameters
    ----------
    count : int
        Number of instances.

    Returns
    -------
    ndarray of `INSTANCE_DTYPE`, shape (count,)
        Facing +z, with scale and speed 1, no fade and a white tint.

    Raises
    ------
    TypeError
        If `count` is not a whole number.
    ValueError
        If it is negative.

    Examples
    --------
    >>> instances = lissom.gpu.plain_instances(3)
    >>> instances["position"] = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    >>> instances["rotation"] = lissom.gpu.heading(np.radians(180))
    >>> instances["speed"]
    array([1., 1., 1.], dtype=float32)
    """
    instances = np.zeros(whole_number(count, "plain_instances: count"), INSTANCE_DTYPE)
    instances["rotation"][:, 3] = 1
    instances["scale"] = instances["speed"] = 1
    instances["next_clip"] = NO_CLIP
    instances["tint"] = 255
    return instances


@set_module("lissom.gpu")
def scattered(bake: PoseTexture, count: int, *, spacing: float = 1.0, seed: int = 0) -> NDArray[Any]:
    """Return instances spread over the ground, with random variation.

    Parameters
    ----------
    bake : PoseTexture
        What they play; its widest clip sets the spacing.
    count : int
        Number of instances.
    spacing : float
        Distance between neighbours, in widths of the character in its widest clip.
    seed : int
        Of the random numbers; the same seed gives the same crowd.

    Returns
    -------
    ndarray of `INSTANCE_DTYPE`, shape (count,)
        In rows around the origin, facing roughly +z, each with a random clip, time, speed, scale and tint.

    Raises
    ------
    TypeError
        If `bake` is not a PoseTexture, or `count` not a whole number.
    ValueError
        If `count` is negative.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.humanoid(), ["idle", "walk"], rate=30)
    >>> instances = lissom.gpu.scattered(bake, 100, seed=7)
    >>> instances.shape, np.unique(instances["clip"])
    ((100,), array([0, 1], dtype=int16))
    """
    check_bake(bake, "scattered")
    count = whole_number(count, "scattered: count")
    spacing = check_number(spacing, "scattered: spacing", largest=LARGEST)
    rng = np.random.default_rng(seed)
    bounds = np.array([clip.bounds for clip in bake.clips.values()], np.float64)
    width = float(np.ptp(bounds, axis=1)[:, [0, 2]].max()) * spacing
    columns = max(1, round(np.sqrt(count * 1.7)))
    row, column = np.divmod(np.arange(count), columns)
    x = (column - (columns - 1) / 2 + 0.5 * (row % 2) - 0.25) * width
    z = ((row - row.max(initial=0) / 2) * -0.9) * width
    instances = plain_instances(count)
    jitter = rng.uniform(-0.16, 0.16, (2, count)) * width
    instances["position"] = np.stack([x + jitter[0], np.zeros(count), z + jitter[1]], axis=1)
    play_at_random(bake, instances, rng)
    instances["rotation"] = heading(rng.normal(0, 0.35, count))
    instances["scale"] = rng.uniform(0.93, 1.07, count)
    tint = rng.uniform(0.72, 1.0, (count, 1)) * rng.uniform(0.88, 1.0, (count, 3))
    instances["tint"][:, :3] = np.rint(255 * tint)
    return instances


def play_at_random(bake: PoseTexture, instances: NDArray[Any], rng: np.random.Generator) -> None:
    """Set random clips, times and speeds of 0.9 to 1.1, in place, and end fades."""
    count = len(instances)
    instances["clip"] = rng.integers(0, len(bake.clips), count)
    instances["time"] = random_times(bake, instances["clip"], rng)
    instances["speed"] = rng.uniform(0.9, 1.1, count)
    instances["next_clip"] = NO_CLIP
    instances["fade"] = 0


def random_times(bake: PoseTexture, clip: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a random time within each clip, given by its index."""
    starts, durations = np.array([(c.start, c.duration) for c in bake.clips.values()], np.float64)[clip].T
    return np.asarray(starts + rng.uniform(0, 1, len(clip)) * durations)
