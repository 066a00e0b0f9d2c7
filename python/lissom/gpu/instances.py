# SPDX-License-Identifier: MIT
"""The instances of a crowd: what each plays, where it stands, and which of them a camera sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._numbers import whole_number
from lissom.character import Character
from lissom.pose_texture import PoseTexture

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["INSTANCE_DTYPE", "check_bake", "in_view", "placed_corners", "scattered", "whole_count"]

#: One instance of a crowd. ``clip``: index in the order of the bake's clips; ``offset``: seconds into it at
#: time 0; ``speed``: of time; ``position``: world; ``heading``: radians about y, from +z towards +x;
#: ``scale``: of lengths; ``tint``: multiplies the base colours, linear light.
INSTANCE_DTYPE = np.dtype(
    [
        ("clip", "<i4"),
        ("offset", "<f8"),
        ("speed", "<f8"),
        ("position", "<f4", (3,)),
        ("heading", "<f4"),
        ("scale", "<f4"),
        ("tint", "<f4", (3,)),
    ]
)


def check_bake(bake: object, caller: str) -> None:
    """Refuse what is no bake, and say how to come by one."""
    if not isinstance(bake, PoseTexture):
        advice = "lissom.load_bake reads one of a file, lissom.bake(character) makes one"
        if isinstance(bake, Character):
            advice = "lissom.bake(character) makes one of it"
        elif type(bake).__name__ == "Stage":
            advice = "a stage goes in by name, stage="
        raise TypeError(f"{caller}: bake: expected a PoseTexture, got {type(bake).__name__}; {advice}")


def whole_count(count: object, caller: str) -> int:
    """Return a number of instances, refusing what is none."""
    return whole_number(count, f"{caller}: count")


def scattered(bake: PoseTexture, count: int, *, spacing: float = 1.0, seed: int = 0) -> NDArray[Any]:
    """Return instances that stand about on the ground, each a little different.

    Parameters
    ----------
    bake : PoseTexture
        Whose clips they play and whose width they keep apart.
    count : int
        How many.
    spacing : float
        Distance between neighbours, in widths of the character.
    seed : int
        Of the random numbers; the same seed gives the same crowd.

    Returns
    -------
    ndarray of `INSTANCE_DTYPE`, shape (count,)
        In rows around the origin, facing +z more or less, clips at random.

    Raises
    ------
    TypeError
        If `bake` is none, or `count` is no whole number.
    ValueError
        If `count` is negative.
    """
    check_bake(bake, "scattered")
    count = whole_count(count, "scattered")
    rng = np.random.default_rng(seed)
    clips = list(bake.clips.values())
    bounds = np.array([clip.bounds for clip in clips], np.float64)
    width = float(np.median(np.ptp(bounds, axis=1)[:, [0, 2]].max(axis=1))) * spacing
    columns = max(1, round(np.sqrt(count * 1.7)))
    row, column = np.divmod(np.arange(count), columns)
    across = (column - (columns - 1) / 2 + 0.5 * (row % 2) - 0.25) * width
    away = ((row - row.max(initial=0) / 2) * -0.9) * width
    instances = np.zeros(count, INSTANCE_DTYPE)
    jitter = rng.uniform(-0.16, 0.16, (2, count)) * width
    instances["position"] = np.stack([across + jitter[0], np.zeros(count), away + jitter[1]], axis=1)
    instances["clip"] = rng.integers(0, len(clips), count)
    durations = np.array([clip.duration for clip in clips])[instances["clip"]]
    instances["offset"] = rng.uniform(0, 1, count) * durations
    instances["speed"] = rng.uniform(0.9, 1.1, count)
    instances["heading"] = rng.normal(0, 0.35, count)
    instances["scale"] = rng.uniform(0.93, 1.07, count)
    instances["tint"] = rng.uniform(0.72, 1.0, (count, 1)) * rng.uniform(0.88, 1.0, (count, 3))
    return instances


def placed_corners(bake: PoseTexture, instances: NDArray[Any]) -> NDArray[np.float64]:
    """Return the corners of the instances' boxes: those of their clips, placed.

    Parameters
    ----------
    bake : PoseTexture
        Whose clips have bounds.
    instances : ndarray of `INSTANCE_DTYPE`, shape (count,)
        Where they stand.

    Returns
    -------
    ndarray, shape (count, 8, 3)
        World space.
    """
    bounds = np.array([clip.bounds for clip in bake.clips.values()], np.float64)
    ends = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)])
    corners = bounds[:, ends, [0, 1, 2]][instances["clip"]]
    c, s = np.cos(instances["heading"])[:, None], np.sin(instances["heading"])[:, None]
    x, y, z = np.moveaxis(corners, -1, 0)
    turned = np.stack([c * x + s * z, y, c * z - s * x], axis=-1)
    placed: NDArray[np.float64] = instances["position"][:, None] + instances["scale"][:, None, None] * turned
    return placed


def in_view(
    corners: NDArray[np.float64], clip_from_world: NDArray[Any], eye: NDArray[Any]
) -> NDArray[np.intp]:
    """Return the instances whose bounding spheres touch the picture, nearest first: near ones hide far ones.

    Parameters
    ----------
    corners : ndarray, shape (count, 8, 3)
        Of their boxes, world space.
    clip_from_world : ndarray, shape (4, 4)
        The camera's; all zeros for no camera: then all instances come, in their own order.
    eye : ndarray, shape (3,)
        World space.
    """
    centers = corners.mean(axis=1)
    radii = np.linalg.norm(corners - centers[:, None], axis=2).max(axis=1, initial=0)
    # Left, right, bottom, top: a point is inside where row 3 plus or minus row k of the matrix is positive.
    planes = np.stack([clip_from_world[3] + sign * clip_from_world[k] for k in (0, 1) for sign in (1, -1)])
    lengths = np.linalg.norm(planes[:, :3], axis=1)
    inside = centers @ planes[:, :3].T + planes[:, 3] >= -radii[:, None] * lengths
    visible = np.flatnonzero(inside.all(axis=1))
    if not lengths.any():
        return visible
    return visible[np.argsort(np.linalg.norm(centers[visible] - eye, axis=1), kind="stable")]
