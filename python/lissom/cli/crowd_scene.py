# SPDX-License-Identifier: MIT
"""A crowd of one or several characters, drawn by ``lissom crowd``, the demo and the README's pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

import lissom
from lissom._crowd.instances import random_times
from lissom._formats.picture_sequences import PlayedPictures
from lissom.gpu import Camera, Crowd, Stage, scattered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._formats.animation import Animation
    from lissom._formats.picture import Picture
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["Group", "Options", "camera_of", "draw", "film", "ground_positions", "people"]

Build = Literal["adult", "child", "giant"]
# Share of the people and scale of each build: the giant stands in for tall people.
BUILDS: dict[Build, tuple[float, float]] = {"adult": (0.5, 1.0), "child": (0.25, 1.0), "giant": (0.25, 0.62)}
# Without the lean, which is the source of an additive clip.
CLIPS = ("idle", "walk", "run", "wave")
# Degrees.
AZIMUTH, ELEVATION = 8.0, 18.0
HORIZON = 0.7  # where the last row's feet are, from the middle of the picture (0) to its upper edge (1)
DEPTH = 0.9  # distance between rows, in widths
JITTER = 0.2  # largest offset of each from its place in the row, in widths
EYE = 1.5  # least height of the eye, in heights of a character
FADE_RATE = 0.15  # share of the instances that begin another clip, per second of a film
FADE = 0.4  # seconds of a cross-fade
FRAMED_MOMENTS = 4  # of a film: the camera sees everyone at each, and at the end


@dataclass(frozen=True)
class Group:
    """Instances of one bake, their share of the crowd and their scale."""

    bake: PoseTexture
    share: float = 1.0
    scale: float = 1.0


@dataclass(frozen=True)
class Options:
    """How a crowd is placed and drawn.

    Attributes
    ----------
    count : int
        Instances of all groups together.
    spread : float
        Distance between neighbours, in widths of a character.
    clips : tuple of str
        Names of the clips to play, in every bake that has them; all clips where empty.
    levels : bool
        Draw far instances with fewer triangles, where the extra ``lod`` is installed.
    """

    count: int = 1000
    spread: float = 1.0
    clips: tuple[str, ...] = ()
    width: int = 1600
    height: int = 900
    seed: int = 0
    levels: bool = True


def people(max_error: float | None = None) -> list[Group]:
    """Bake the clips of the three builds of the humanoid; ``max_error`` is a fraction of the size."""
    return [
        Group(lissom.bake(lissom.samples.humanoid(build), CLIPS, max_error=max_error), share, scale)
        for build, (share, scale) in BUILDS.items()
    ]


def draw(groups: Sequence[Group], options: Options) -> Picture:
    """Draw all instances, each with a character, a clip, a time and a place of its own."""
    with _scene(groups, options) as (stage, crowds, camera):
        return stage.render(*crowds, camera=camera)


def film(groups: Sequence[Group], options: Options, seconds: float, rate: float) -> Animation:
    """Draw all instances for some seconds: they move by root motion, and some fade to another clip."""
    count = max(1, round(seconds * rate))
    shape = options.height, options.width, 3
    return lissom.Animation(PlayedPictures(count, shape, partial(_play, groups, options, count, rate)), rate)


def _play(groups: Sequence[Group], options: Options, count: int, rate: float) -> Iterator[Picture]:
    """Draw the pictures of a film, from its beginning."""
    rng = np.random.default_rng(options.seed)
    with _scene(groups, options) as (stage, crowds, _):
        camera = _camera_of_film(crowds, stage.aspect, count / rate)
        for _ in range(count):
            yield stage.render(*crowds, camera=camera)
            for crowd, group in zip(crowds, groups, strict=True):
                fading = np.flatnonzero(rng.uniform(size=len(crowd)) < FADE_RATE / rate)
                next_clips = rng.choice(_played(group.bake, options.clips), len(fading))
                for clip in np.unique(next_clips):
                    is_other = (next_clips == clip) & (crowd.instances["clip"][fading] != clip)
                    crowd.fade_to(int(clip), FADE, fading[is_other])
                crowd.update(1 / rate)


@contextmanager
def _scene(groups: Sequence[Group], options: Options) -> Iterator[tuple[Stage, list[Crowd], Camera]]:
    """Make the stage, a crowd for each group, and the camera that frames them all."""
    rng = np.random.default_rng(options.seed)
    aspect = options.width / options.height
    boxes = [_box(group, _played(group.bake, options.clips)) for group in groups]
    box = (max(width for width, _ in boxes) * options.spread, max(height for _, height in boxes))
    positions = ground_positions(box, options.count, aspect, rng)
    shares = np.array([group.share for group in groups])
    chosen = rng.choice(len(groups), options.count, p=shares / shares.sum())
    with Stage(options.width, options.height) as stage, ExitStack() as stack:
        crowds = []
        for i, group in enumerate(groups):
            own = np.flatnonzero(chosen == i)
            instances = scattered(group.bake, options.count, seed=options.seed)[own]
            instances["position"] = positions[own]
            instances["scale"] *= group.scale
            played = _played(group.bake, options.clips)
            instances["clip"] = played[rng.integers(0, len(played), len(own))]
            instances["time"] = random_times(group.bake, instances["clip"], rng)
            levels = None if options.levels else ()
            crowd = Crowd(group.bake, len(own), stage=stage, instances=instances, levels=levels)
            crowd.root_motion = True
            crowds.append(stack.enter_context(crowd))
        yield stage, crowds, camera_of(crowds, stage.aspect)


def _played(bake: PoseTexture, clips: Sequence[str]) -> NDArray[np.intp]:
    """Return the indices of the clips to play: all of a bake that has none of these names."""
    table = list(bake.clips)
    return np.array([table.index(name) for name in clips if name in bake.clips] or range(len(table)))


def camera_of(crowds: Sequence[Crowd], aspect: float) -> Camera:
    """Return the camera that frames all instances, at the angles that `ground_positions` assumes."""
    return _framing(np.concatenate([crowd.points() for crowd in crowds]), aspect)


def _camera_of_film(crowds: Sequence[Crowd], aspect: float, seconds: float) -> Camera:
    """Return the camera that frames all instances throughout a film in which none changes its clip."""
    corners = []
    for crowd in crowds:
        begin = crowd.instances.copy()
        for _ in range(FRAMED_MOMENTS):
            corners.append(crowd.points())
            crowd.update(seconds / FRAMED_MOMENTS)
        corners.append(crowd.points())
        crowd.instances[:] = begin
    return _framing(np.concatenate(corners), aspect)


def _framing(corners: NDArray[np.float64], aspect: float) -> Camera:
    return Camera.framing(corners, aspect, azimuth=AZIMUTH, elevation=ELEVATION, margin=0.03)


def ground_positions(
    box: tuple[float, float], count: int, aspect: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return places on the ground that fill a picture: rows that widen as they recede.

    Parameters
    ----------
    box : tuple of float
        Width and height of a character, world units; a width is the distance between neighbours.
    count : int
    aspect : float
        Width of the picture by its height.
    rng : numpy.random.Generator
        Draws each one's offset from its place in the row.

    Returns
    -------
    ndarray, shape (count, 3)
        World positions on the ground.
    """
    width, height = box
    tilt, half = np.radians(ELEVATION), np.radians(Camera.field_of_view) / 2
    # Distances on the ground to the picture's lower edge and to the last row, for an eye one unit high.
    near, far = 1 / np.tan(tilt + half), 1 / np.tan(tilt - half * HORIZON)
    # Half the picture's width per unit of depth.
    slope = np.tan(half) * aspect
    area = slope * (np.cos(tilt) * (far**2 - near**2) + 2 * np.sin(tilt) * (far - near))
    # With few characters the eye would come down to their knees.
    eye = max(width * np.sqrt(count * DEPTH / area), EYE * height)
    places: list[tuple[float, float]] = []
    distance = near * eye
    while len(places) < count:
        row_width = 2 * slope * (distance * np.cos(tilt) + eye * np.sin(tilt))
        columns = min(max(1, int(row_width / width)), count - len(places))
        step = min(row_width / columns, 1.5 * width)
        places += [((i - (columns - 1) / 2) * step, -distance) for i in range(columns)]
        distance += DEPTH * width
    x, z = (np.array(places) + rng.uniform(-JITTER, JITTER, (count, 2)) * width).T
    c, s = np.cos(np.radians(AZIMUTH)), np.sin(np.radians(AZIMUTH))
    return np.stack([c * x + s * z, np.zeros(count), c * z - s * x], axis=1)


def _box(group: Group, played: NDArray[np.intp]) -> tuple[float, float]:
    """Return the width of a character in the widest of the clips that it plays, and their median height.

    World units. Arms that a dance spreads, and one that lies down, keep clear of the neighbours.
    """
    clips = list(group.bake.clips.values())
    sides = group.scale * np.array([np.ptp(clips[i].bounds, axis=0) for i in played.tolist()])
    return float(sides[:, [0, 2]].max()), float(np.median(sides[:, 1]))
