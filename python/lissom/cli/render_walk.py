# SPDX-License-Identifier: MIT
"""``lissom render --walk-on``: a character walks over uneven ground, with and without foot placement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from lissom._formats.picture import Picture
from lissom.cli import character_with_ground as scene
from lissom.cli import ground_walk as course
from lissom.cli import inputs, output
from lissom.cli import render as pictures

if TYPE_CHECKING:
    from lissom._character.blend_argument import Blend
    from lissom._character.character import Character
    from lissom.ground import TriangleMesh

__all__ = ["MOTION_SUFFIX", "SUFFIXES", "Options", "walk"]

Floats = NDArray[np.float64]

MOTION_SUFFIX = ".glb"
SUFFIXES = (".gif", ".png", ".webp", MOTION_SUFFIX)
STILLS = 6  # in a strip
POSE_RATE = 60.0  # per second: what feet do between pictures counts, too
WALK = "walk"  # the clip to look for where none is named
AZIMUTH, ELEVATION = -74.0, 12.0  # from the right, so that the way goes from left to right
MARGIN = (0.12, 0.3)  # around the character, at the sides and above and below
FRAMED = 12  # poses that the camera must see whole
TITLES = ("with foot placement", "without")


@dataclass(frozen=True)
class Options:
    """How a walk is made and drawn."""

    ground: str
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


def walk(source: str, out: Path, options: Options, time: float | None = None) -> None:
    """Walk over a ground, and write a film, a strip of stills or the motion."""
    import lissom

    if time is not None:
        output.misuse("--time", "does not go with --walk-on")
    if options.speed is not None and not 0 < options.speed < math.inf:
        output.misuse("--speed", f"must be above zero and finite, not {options.speed:g}")

    blend = pictures.share(options.blend, options.method)
    output.require_file("-o", out)
    character = inputs.without(source, inputs.load(source), options.without)
    clip = character.clips[_clip_name(source, options.clip, character)]
    try:
        legs = course.legs_of(character, options.legs)
        ground = course.ground_for(options.ground, character, legs)
        way = course.walk_over(
            character,
            clip,
            ground,
            legs,
            rate=POSE_RATE,
            speed=options.speed,
            seconds=options.seconds,
        )
        with_placement = course.placed(character, legs, ground, way)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error
    variants = [with_placement, *([way.raised()] if options.both else [])]
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix.lower() == MOTION_SUFFIX:
        _save_motion(out, character, ground, way.times, variants, f"{clip.name} on {options.ground}")
    elif out.suffix.lower() == ".png":
        shown = np.rint(np.linspace(0, len(way.times) - 1, STILLS + 1)[:-1]).astype(int)
        rows = _drawn(character, ground, way, variants, shown, options, blend)
        stills = [lissom.Animation(row).strip(STILLS).array for row in rows]
        lissom.Picture(np.concatenate(stills)).save(out)
    else:
        shown = np.arange(0, len(way.times), POSE_RATE / options.rate).astype(int)
        rows = _drawn(character, ground, way, variants, shown, options, blend)
        lissom.Animation(map(_beside, zip(*rows, strict=True)), options.rate).save(out)
    output.stdout().print(Text(str(out)), soft_wrap=True)


def _save_motion(
    out: Path,
    character: Character,
    ground: TriangleMesh,
    times: Floats,
    variants: Sequence[Floats],
    name: str,
) -> None:
    """Save the character with a clip for each variant, and the ground, where there is a mesh at all."""
    import lissom

    if character.mesh is not None:
        character = scene.with_ground(character, ground)
        variants = [scene.still(poses) for poses in variants]
    clips = [
        lissom.Clip.from_poses(character.skeleton, times, poses, name=name + suffix, loop=False)
        for poses, suffix in zip(variants, ("", " without foot placement"), strict=False)
    ]
    lissom.save_glb(character, out, clips=clips)


def _clip_name(source: str, name: str | None, character: Character) -> str:
    if name is not None or not character.clips:
        return inputs.clip_name(source, name or WALK, character.clips)
    near = [known for known in character.clips if WALK in known.lower()]
    if len(near) != 1:
        return inputs.clip_name(source, WALK, character.clips)
    return near[0]


def _drawn(
    character: Character,
    ground: TriangleMesh,
    way: course.Walk,
    variants: Sequence[Floats],
    shown: NDArray[np.intp],
    options: Options,
    blend: Blend | None,
) -> list[list[Picture]]:
    """Draw the frames that are shown of each variant, from a camera that goes along."""
    from lissom._character.blend_argument import blend_of
    from lissom.gpu import Camera, SkinnedModel, Stage

    rows: list[list[Picture]] = [[] for _ in variants]
    width = options.width // len(variants)
    # Framed once, as it moves over its own place, so that nothing swells or shakes.
    seen = np.linspace(0, len(way.times) - 1, FRAMED).astype(int)
    poses = way.carried(way.poses)[seen]
    points = character.skeleton.positions(poses) if character.mesh is None else character.deform(poses)
    if blend is not None and character.mesh is not None:
        blend = blend_of("render", character, poses, blend)
    bodies = np.asarray(points, np.float64) - way.places[seen, None] * [1, 0, 1]
    lens = Camera.framing(
        bodies.reshape(-1, 3), width / options.height, azimuth=AZIMUTH, elevation=ELEVATION, margin=MARGIN
    )
    with (
        output.progress() as bar,
        Stage(width, options.height) as stage,
        SkinnedModel(character, stage=stage, method=options.method, blend=blend) as model,
    ):
        for done, frame in enumerate(shown):
            bar(done, len(shown), "pictures")
            x, y, z = (np.asarray(lens.target) + way.places[frame]).tolist()
            camera = replace(lens, target=(x, y, z))
            for row, variant, title in zip(rows, variants, TITLES, strict=False):
                model.set_pose(variant[frame])
                picture = stage.render(model, camera=camera, ground=ground)
                row.append(_titled(picture, title))
    return rows


def _titled(picture: Picture, title: str) -> Picture:
    from lissom._view.labels import Sheet

    sheet = Sheet(picture.array)
    sheet.text((sheet.unit, sheet.unit), title)
    return Picture(sheet.pixels())


def _beside(pictures: Sequence[Picture]) -> Picture:
    from lissom._view.labels import Sheet

    sheet = Sheet(np.concatenate([picture.array for picture in pictures], axis=1))
    for i in range(1, len(pictures)):
        sheet.rule(i * pictures[0].width)
    return Picture(sheet.pixels())
