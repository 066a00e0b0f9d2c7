# SPDX-License-Identifier: MIT
"""The work of ``lissom retarget``: clips of files onto a character, as a GLB file with a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import lissom
from lissom._bake_many import sources
from lissom.cli import inputs, output
from lissom.cli.render import save_picture

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom.clip import Clip

__all__ = ["Options", "retarget"]

SUFFIXES = (".bvh", ".glb", ".gltf")
PHASES = (0.1, 0.35, 0.6, 0.85)  # of the clip that is drawn
TILE = 360  # pixels, the side of each picture of it


@dataclass(frozen=True)
class Options:
    """What to carry over, and how."""

    clips: tuple[str, ...]
    roles: Path | None
    source_roles: Path | None
    rate: float | None
    has_feet: bool
    keeps: bool
    picture: Path | None


@dataclass(frozen=True)
class _Carried:
    """A clip of a source, and what became of it."""

    source: str
    original: Clip
    clip: Clip
    report: lissom.RetargetedClip


def retarget(names: Sequence[str], target: str, out: Path, options: Options, as_json: bool) -> None:
    """Carry clips over, write the character with them, and say how near they are."""
    output.require_file("-o", out)
    if options.picture is not None:
        output.require_file("--picture", options.picture)
    character = sources.load(target)
    files = [name for name, _ in inputs.expand(names, SUFFIXES)]
    carried: list[_Carried] = []
    reports: dict[str, Any] = {}
    first: Character | None = None
    with output.progress() as progress:
        for done, name in enumerate(files):
            progress(done, len(files), Path(name).name)
            source = sources.load(name)
            found = _clips(name, source, options.clips, is_only=len(files) == 1)
            if not found:
                continue
            work = _work(name, source, target, character, options)
            carried += _carry(name, work, found, {each.clip.name for each in carried}, options)
            reports[name] = work.report
            first = first or source
    if not carried:
        raise ValueError(f"{', '.join(names)}: there must be a clip to carry over, got none")
    own = list(character.clips.values()) if options.keeps else []
    kept = [clip for clip in own if clip.name not in {each.clip.name for each in carried}]
    out.parent.mkdir(parents=True, exist_ok=True)
    lissom.save_glb(character, out, clips=[*(each.clip for each in carried), *kept])
    if options.picture is not None and first is not None:
        save_picture(_side_by_side(first, character, carried[0]), options.picture)
    if as_json:
        output.write_json(
            {"output": str(out), "sources": {name: asdict(report) for name, report in reports.items()}}
        )
        return
    _print(out, carried, reports)


def _clips(name: str, source: Character, wanted: Sequence[str], *, is_only: bool) -> list[Clip]:
    """Return the clips of a source that are wanted; of several sources not all need have them."""
    if not wanted:
        return list(source.clips.values())
    found = []
    for clip in wanted:
        try:
            found.append(source.clips[sources.clip_name(name, clip, source.clips)])
        except ValueError:
            if is_only:
                raise
    return found


def _work(
    name: str, source: Character, target: str, character: Character, options: Options
) -> lissom.Retarget:
    try:
        return lissom.Retarget(
            source, character, (options.source_roles, options.roles), feet=options.has_feet
        )
    except ValueError as error:
        raise ValueError(f"{name} onto {target}: {error}") from None


def _carry(
    name: str, work: lissom.Retarget, clips: Sequence[Clip], taken: set[str], options: Options
) -> list[_Carried]:
    carried = []
    for original in clips:
        clip = work.clip(original, rate=options.rate)
        title = clip.name if clip.name not in taken else f"{Path(name).stem} {clip.name}"
        taken.add(title)
        carried.append(_Carried(name, original, clip.renamed(title), work.report.clips[clip.name]))
    return carried


def _side_by_side(source: Character, target: Character, carried: _Carried) -> lissom.Picture:
    """Draw the source above the result."""
    rows = [
        [lissom.render(who, pose=clip.at(phase), width=TILE, height=TILE).array for phase in PHASES]
        for who, clip in ((source, carried.original), (target, carried.clip))
    ]
    return lissom.Picture(np.concatenate([np.concatenate(row, axis=1) for row in rows]))


def _print(out: Path, carried: Sequence[_Carried], reports: dict[str, Any]) -> None:
    console = output.stdout()
    table = output.table(
        "clip",
        "seconds",
        "bones, degrees",
        "slide, %/s",
        "its source's",
        "in the ground, %",
        "out of reach, %",
    )
    for each in carried:
        found = each.report
        farthest = max(found.beyond.values(), default=0.0)
        table.add_row(
            each.clip.name,
            f"{each.clip.duration:.2f}",
            f"{found.bone_mean_with_goals:.2f}",
            *(
                "-" if value is None else f"{value:.2f}"
                for value in (found.slide, found.source_slide, found.penetration)
            ),
            f"{farthest:.1f}",
        )
    console.print(table)
    for name, report in reports.items():
        for limb, why in report.without_goals.items():
            output.say(f"{name}: no goal for {limb}: {why}")
    console.print(output.Line(str(out)), soft_wrap=True)
