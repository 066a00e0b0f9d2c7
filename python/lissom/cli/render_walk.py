# SPDX-License-Identifier: MIT
"""The work of ``lissom render --walk-on``: a walk over uneven ground, with and without foot placement."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom._formats.picture import Picture
from lissom._formats.picture_files import STILLS
from lissom._formats.picture_sequences import PlayedPictures
from lissom._jobs import sources
from lissom.cli import ground_walk, output
from lissom.cli.character_with_ground import with_ground, with_ground_joint
from lissom.cli.render import blend_argument

if TYPE_CHECKING:
    from lissom._character.blend_argument import Blend
    from lissom._character.character import Character
    from lissom.ground import TriangleMesh

__all__ = ["Options", "render_walk"]

Floats = NDArray[np.float64]

MOTION_SUFFIX = ".glb"
MOMENTS = 6  # in a strip
POSE_RATE = 60.0  # poses per second: foot placement depends on those between pictures, too
WALK = "walk"  # the clip to search for where none is named
AZIMUTH, ELEVATION = -74.0, 12.0  # degrees: the character walks from left to right
MARGIN = (0.12, 0.3)  # shares of the picture left empty: at the sides, above and below
FRAMED = 12  # poses that the camera frames
TITLES = ("with foot placement", "without")


@dataclass(frozen=True)
class Options:
    """How a walk is made and drawn."""

    ground: str
    has_ramp: bool = False
    clip: str | None = None
    speed: float | None = None
    legs: tuple[str, ...] = ()
    both: bool = True
    rate: float = 15.0
    seconds: float | None = None
    without: tuple[str, ...] = ()
    method: str = "linear"
    blend: str | None = None
    width: int = 720
    height: int = 400


def render_walk(source: str, out: Path, options: Options, time: float | None = None) -> None:
    """Let the character walk over a ground, and write a film, a strip of stills or the motion."""
    import lissom

    if time is not None:
        output.misuse("--time", "must be left out beside --walk-on")
    if options.speed is not None and not 0 < options.speed < math.inf:
        output.misuse("--speed", f"must be above zero and finite, got {options.speed:g}")
    blend = blend_argument(options.blend, options.method)
    output.require_file("-o", out)
    variant_count = 1 + options.both
    width = options.width // variant_count * variant_count
    if out.suffix.lower() not in (MOTION_SUFFIX, *STILLS):
        output.require_film("-o", out, width, options.height, options.rate)
    character = sources.without(source, sources.load(source), options.without)
    clip = character.clips[_clip_name(source, options.clip, character)]
    try:
        legs = ground_walk.legs_of(character, options.legs)
        ground = ground_walk.ground_for(options.ground, character, legs)
        walk = ground_walk.walk_over(
            character,
            clip,
            ground,
            legs,
            rate=POSE_RATE,
            speed=options.speed,
            seconds=options.seconds,
        )
        ramp = ground_walk.ramp_over(ground, walk) if options.has_ramp else None
        placed = ground_walk.with_foot_placement(character, legs, ground, walk, ramp)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error
    variants = [placed, *([walk.without_placement()] if options.both else [])]
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix.lower() == MOTION_SUFFIX:
        _save_motion(out, character, ground, walk.times, variants, f"{clip.name} on {options.ground}")
    else:
        is_film = out.suffix.lower() not in STILLS
        if is_film:
            frames = np.arange(0, len(walk.times), POSE_RATE / options.rate).astype(int)
        else:
            frames = np.rint(np.linspace(0, len(walk.times) - 1, MOMENTS + 1)[:-1]).astype(int)
        play = partial(_pictures, character, ground, walk, variants, frames, options, blend)
        with output.progress() as bar:
            if is_film:
                shape = options.height, width, 3
                pictures = PlayedPictures(len(frames), shape, lambda: map(_side_by_side, play()))
                lissom.Animation(pictures, options.rate).save(out, progress=bar)
            else:
                columns = []
                for moment in play():
                    columns.append(np.concatenate([picture.array for picture in moment]))
                    bar(len(columns), len(frames), "pictures")
                lissom.Picture(np.concatenate(columns, axis=1)).save(out)
    output.stdout().print(output.Line(str(out)), soft_wrap=True)


def _save_motion(
    out: Path,
    character: Character,
    ground: TriangleMesh,
    times: Floats,
    variants: Sequence[Floats],
    name: str,
) -> None:
    """Save the character with a clip for each variant, and the ground where the character has a mesh."""
    import lissom

    if character.mesh is not None:
        character = with_ground(character, ground)
        variants = [with_ground_joint(poses) for poses in variants]
    clips = [
        lissom.Clip.from_poses(character.skeleton, times, poses, name=name + suffix, loop=False)
        for poses, suffix in zip(variants, ("", " without foot placement"), strict=False)
    ]
    lissom.save_glb(character, out, clips=clips)


def _clip_name(source: str, name: str | None, character: Character) -> str:
    if name is not None or not character.clips:
        return sources.clip_name(source, name or WALK, character.clips)
    near = [known for known in character.clips if WALK in known.lower()]
    if len(near) != 1:
        return sources.clip_name(source, WALK, character.clips)
    return near[0]


def _pictures(
    character: Character,
    ground: TriangleMesh,
    walk: ground_walk.Walk,
    variants: Sequence[Floats],
    frames: NDArray[np.intp],
    options: Options,
    blend: Blend | None,
) -> Iterator[list[Picture]]:
    """Draw each variant in each frame, from a camera that follows the character."""
    from lissom._character.blend_argument import blend_of
    from lissom.gpu import Camera, SkinnedModel, Stage

    width = options.width // len(variants)
    # Frame once, all poses above the same point, so that the picture neither zooms nor shakes.
    framed = np.linspace(0, len(walk.times) - 1, FRAMED).astype(int)
    poses = walk.in_world(walk.poses)[framed]
    points = character.skeleton.positions(poses) if character.mesh is None else character.deform(poses)
    if blend is not None and character.mesh is not None:
        blend = blend_of("render", character, poses, blend)
    bodies = np.asarray(points, np.float64) - walk.path_world[framed, None] * [1, 0, 1]
    framing = Camera.framing(
        bodies.reshape(-1, 3), width / options.height, azimuth=AZIMUTH, elevation=ELEVATION, margin=MARGIN
    )
    with (
        Stage(width, options.height) as stage,
        SkinnedModel(character, stage=stage, method=options.method, blend=blend) as model,
    ):
        for frame in frames:
            x, y, z = (np.asarray(framing.target) + walk.path_world[frame]).tolist()
            camera = replace(framing, target=(x, y, z))
            moment = []
            for variant, title in zip(variants, TITLES, strict=False):
                model.set_pose(variant[frame])
                moment.append(_titled(stage.render(model, camera=camera, ground=ground), title))
            yield moment


def _titled(picture: Picture, title: str) -> Picture:
    from lissom._view.labels import Sheet

    sheet = Sheet(picture.array)
    sheet.text((sheet.unit, sheet.unit), title)
    return Picture(sheet.pixels())


def _side_by_side(pictures: Sequence[Picture]) -> Picture:
    from lissom._view.labels import Sheet

    sheet = Sheet(np.concatenate([picture.array for picture in pictures], axis=1))
    for i in range(1, len(pictures)):
        sheet.rule(i * pictures[0].width)
    return Picture(sheet.pixels())
