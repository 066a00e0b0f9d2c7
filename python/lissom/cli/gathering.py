# SPDX-License-Identifier: MIT
"""A crowd of several builds of the humanoid, as the demo and the README show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Literal

import numpy as np

import lissom
from lissom.gpu import Camera, Crowd, Stage, scattered
from lissom.gpu.instances import random_times

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom.picture import Picture
    from lissom.pose_texture import PoseTexture

__all__ = ["BUILDS", "CLIPS", "bakes", "camera_of", "draw", "draw_alike", "standing"]

Build = Literal["adult", "child", "giant"]
# Share of the people and scale of each build: the giant stands in for tall people.
BUILDS: dict[Build, tuple[float, float]] = {"adult": (0.5, 1.0), "child": (0.25, 1.0), "giant": (0.25, 0.62)}
# Without the lean, which is there to be added to others.
CLIPS = ("idle", "walk", "run", "wave")
# Degrees: a little from the side, and from about the height of a first floor.
AZIMUTH, ELEVATION = 8.0, 18.0
HORIZON = 0.7  # the last row's feet, from the middle of the picture (0) to its upper edge (1)
DEPTH = 0.9  # distance between rows, in widths
JITTER = 0.2  # how far each may stand from its place, in widths
EYE = 1.5  # the lowest that the eye may be, in heights of a character


def bakes(max_error: float | None = None) -> dict[Build, PoseTexture]:
    """Bake each build's clips; ``max_error`` is a fraction of its size."""
    return {
        build: lissom.bake(lissom.samples.humanoid(build), CLIPS, max_error=max_error) for build in BUILDS
    }


def draw(people: Mapping[Build, PoseTexture], count: int, width: int, height: int, seed: int = 0) -> Picture:
    """Draw ``count`` people, each with its own build, clip, time and place."""
    rng = np.random.default_rng(seed)
    everyone = scattered(people["adult"], count, seed=seed)
    everyone["position"] = standing(_box(people["adult"]), count, width / height, rng)
    shares = [BUILDS[build][0] for build in people]
    builds = rng.choice(len(people), count, p=np.array(shares) / sum(shares))
    with Stage(width, height) as stage, ExitStack() as stack:
        crowds = []
        for i, (build, bake) in enumerate(people.items()):
            mine = everyone[builds == i].copy()
            mine["scale"] *= BUILDS[build][1]
            # Each clip by its own length, which differs a little from build to build.
            mine["time"] = random_times(bake, mine["clip"], rng)
            crowds.append(stack.enter_context(Crowd(bake, len(mine), stage=stage, instances=mine)))
        return stage.render(*crowds, camera=camera_of(crowds, stage.aspect))


def draw_alike(
    bake: PoseTexture, clips: Sequence[str], count: int, width: int, height: int, seed: int = 0
) -> Picture:
    """Draw ``count`` instances of one bake, which play the named clips, or any where none is named."""
    everyone = scattered(bake, count, seed=seed)
    rng = np.random.default_rng(seed)
    everyone["position"] = standing(_box(bake), count, width / height, rng)
    if clips:
        table = list(bake.clips)
        chosen = np.array([table.index(name) for name in clips])
        everyone["clip"] = chosen[rng.integers(0, len(chosen), count)]
        everyone["time"] = random_times(bake, everyone["clip"], rng)
    with Stage(width, height) as stage, Crowd(bake, count, stage=stage, instances=everyone) as crowd:
        return stage.render(crowd, camera=camera_of([crowd], stage.aspect))


def camera_of(crowds: Sequence[Crowd], aspect: float) -> Camera:
    """Return the camera that sees every one of them, from where `standing` has them fill the picture."""
    corners = np.concatenate([crowd.points() for crowd in crowds])
    return Camera.framing(corners, aspect, azimuth=AZIMUTH, elevation=ELEVATION, margin=0.03)


def standing(
    box: tuple[float, float], count: int, aspect: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Place people on the part of the ground that a camera sees: rows that widen as they recede.

    Parameters
    ----------
    box : tuple of float
        Width and height of one of them, world units: a width is how far apart they stand.
    count : int
    aspect : float
        Of the picture.
    rng : numpy.random.Generator
        Moves each a little.

    Returns
    -------
    ndarray, shape (count, 3)
        World positions on the ground.
    """
    width, height = box
    tilt, half = np.radians(ELEVATION), np.radians(Camera.field_of_view) / 2
    # The ground between the rays to the lower edge and to the last row, for an eye one unit high.
    near, far = 1 / np.tan(tilt + half), 1 / np.tan(tilt - half * HORIZON)
    # Half the picture's width, per distance along the view.
    slope = np.tan(half) * aspect
    area = slope * (np.cos(tilt) * (far**2 - near**2) + 2 * np.sin(tilt) * (far - near))
    # Few people would have the eye at their knees.
    eye = max(width * np.sqrt(count * DEPTH / area), EYE * height)
    places: list[tuple[float, float]] = []
    away = near * eye
    while len(places) < count:
        row = 2 * slope * (away * np.cos(tilt) + eye * np.sin(tilt))
        columns = min(max(1, round(row / width)), count - len(places))
        step = min(row / columns, 1.5 * width)
        places += [((i - (columns - 1) / 2) * step, -away) for i in range(columns)]
        away += DEPTH * width
    x, z = (np.array(places) + rng.uniform(-JITTER, JITTER, (count, 2)) * width).T
    c, s = np.cos(np.radians(AZIMUTH)), np.sin(np.radians(AZIMUTH))
    return np.stack([c * x + s * z, np.zeros(count), c * z - s * x], axis=1)


def _box(bake: PoseTexture) -> tuple[float, float]:
    """Return how wide and high a character is in the middle one of its clips."""
    sides = np.array([np.ptp(clip.bounds, axis=0) for clip in bake.clips.values()])
    return float(np.median(sides[:, [0, 2]].max(axis=1))), float(np.median(sides[:, 1]))
