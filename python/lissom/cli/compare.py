# SPDX-License-Identifier: MIT
"""The work of ``lissom compare``: skinning methods beside each other, as a picture and a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.methods import METHODS
from lissom._base.names import unknown_name
from lissom._jobs import sources
from lissom._pictures.compare_text import NO_DIFFERENCE
from lissom.cli import output
from lissom.cli.morphs import morph_argument
from lissom.cli.render import blend_argument, character_and_clip, save_picture

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._character.character import Character

__all__ = ["Options", "compare"]

# Samples of two joints, "Base" and "Tip": the option and the degrees by which they are posed by default.
POSED_SAMPLES = {"twisted_bar": ("twist", 150.0), "two_bone_tube": ("bend", 90.0)}
AXES = {"bend": (0.0, 0.0, 1.0), "twist": (1.0, 0.0, 0.0)}  # of the rotation; bones point along x

LARGEST = "max"  # value of --focus beside joints: the largest difference


@dataclass(frozen=True)
class Options:
    """What to compare, and from where it is seen."""

    methods: tuple[str, ...]
    heat: tuple[str, ...] | None
    blend: str | None
    clip: str | None
    time: float | None
    bend: float | None  # degrees
    twist: float | None  # degrees
    morphs: tuple[str, ...]
    without: tuple[str, ...]
    view: dict[str, Any]


def compare(source: str, out: Path, options: Options, as_json: bool) -> None:
    """Draw the methods and the distance between two of them, and write the numbers."""
    import lissom

    _check_methods(options)
    output.require_file("-o", out)
    character, clip = character_and_clip(source, options.clip, options.time, options.without)
    if character.mesh is None:
        raise ValueError(f"{source}: has no mesh to compare")
    pose = _sample_pose(source, character, options)
    heat = None if options.heat is None else (options.heat[0], options.heat[1])
    _check_focus(source, options, character)
    comparison = lissom.compare(
        character,
        pose,
        options.methods,
        clip=clip,
        time=options.time,
        morphs=morph_argument(
            source, character, options.morphs, None if options.time is None else clip, options.time
        ),
        heat=heat,
        blend=None if options.blend is None else blend_argument(options.blend, "blended"),
        **options.view,
    )
    save_picture(comparison.picture, out)
    if as_json:
        facts = {name: getattr(comparison, name) for name in ("clip", "time", "searched", "numbers")}
        output.write_json({"file": source, "output": str(out), **facts})
        return
    console = output.stdout()
    console.print(output.Line(str(out)), soft_wrap=True)
    console.print(output.Line(comparison.summary), soft_wrap=True)
    if comparison.summary == NO_DIFFERENCE:
        return
    console.print(methods_table(comparison.numbers))
    console.print(distance_line(comparison.numbers))


def _check_methods(options: Options) -> None:
    known = ", ".join(METHODS)
    given = ",".join(options.methods)
    if not set(options.methods) <= set(METHODS) or len(set(options.methods)) < max(2, len(options.methods)):
        what = f"two or more of {known}, each once, with a comma between"
        output.misuse("--methods", f"must be {what}, got {given!r}")
    for name in options.heat or ():
        if name in METHODS and name not in options.methods:
            output.misuse("--heat", f"must be among --methods, {given}, got {name!r}; add it there")
    if options.heat is not None and (
        len(options.heat) != 2
        or options.heat[0] == options.heat[1]
        or any(name not in options.methods for name in options.heat)
    ):
        what = f"two of {', '.join(options.methods)}, with a comma between"
        output.misuse("--heat", f"must be {what}, got {','.join(options.heat)!r}")
    if options.blend is not None and "blended" not in options.methods:
        output.misuse("--blend", "needs blended among --methods")
    for name in ("azimuth", "elevation"):
        if options.view[name] is not None and not math.isfinite(options.view[name]):
            output.misuse(f"--{name}", f"must be a finite number of degrees, got {options.view[name]}")


def _check_focus(source: str, options: Options, character: Character) -> None:
    focus, joints = options.view["focus"], character.skeleton.names
    if focus not in (None, LARGEST, *joints):
        listing = f"`lissom info {source}` lists them"
        raise ValueError(f"{source}: {unknown_name('joint', focus, joints, listing)}")


def _sample_pose(source: str, character: Character, options: Options) -> NDArray[np.float64] | None:
    """Return the bent and twisted pose of the bar or the tube; None for other characters and for clips."""
    from lissom import quat

    angles = {name: getattr(options, name) for name in AXES}
    given = [name for name, degrees in angles.items() if degrees is not None]
    default = POSED_SAMPLES.get(source.removeprefix(sources.SAMPLE_PREFIX))
    if given and (default is None or not source.startswith(sources.SAMPLE_PREFIX)):
        output.misuse(
            f"--{given[0]}", "must be left out, except for the samples bar and tube; use --clip and --time"
        )
    if given and options.clip is not None:
        output.misuse(f"--{given[0]}", "must be left out beside --clip: either one poses the character")
    if default is None or options.clip is not None:
        return None
    for name in given:
        if not math.isfinite(angles[name]):
            output.misuse(f"--{name}", f"must be a finite number of degrees, got {angles[name]}")
    if not given:
        angles[default[0]] = default[1]
    bend, twist = (
        quat.from_axis_angle(np.array(axis), math.radians(angles[name] or 0.0)) for name, axis in AXES.items()
    )
    pose = character.skeleton.rest.astype(np.float64)
    pose[1, 3:7] = quat.multiply(bend, twist)  # twist about the bone first, then bend it
    return pose


def methods_table(numbers: dict[str, Any]) -> Any:
    """Return a table with a column for each method."""
    from lissom._pictures.compare_text import method_lines

    methods = list(numbers["by_method"])
    columns = [method_lines(numbers, method) for method in methods]
    table = output.table("against bind pose", *methods)
    for rows in zip(*columns, strict=True):
        table.add_row(rows[0][0], *(value for _, value in rows))
    return table


def distance_line(numbers: dict[str, Any]) -> Any:
    """Return one line on the distance between two of the methods."""
    from lissom._pictures.compare_text import percent

    first, second = numbers["between"]
    parts = ", ".join(
        f"{name} {percent(numbers[name + '_relative'])}" for name in ("max", "p99", "rms", "mean")
    )
    return output.Line(
        f"{first} to {second}: {parts} of the size, {numbers['size']:.4g}; max at vertex {numbers['vertex']}"
    )
