# SPDX-License-Identifier: MIT
"""The work of ``lissom crowd``: many instances of one or several characters, as a picture or a film."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lissom._formats.picture_files import STILLS
from lissom._jobs.sources import clip_name, load, without
from lissom.cli import crowd_scene, inputs, output

if TYPE_CHECKING:
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["Baking", "crowd"]

SECONDS = 2.0  # length of a film without --seconds


@dataclass(frozen=True)
class Baking:
    """How models are baked; a source that is a bake takes none of these."""

    without: tuple[str, ...] = ()
    loop: tuple[str, ...] = ()
    root_motion: bool = False


def crowd(
    sources: Sequence[str],
    out: Path,
    options: crowd_scene.Options,
    baking: Baking,
    seconds: float | None,
    rate: float,
) -> None:
    """Bake the sources that are models, and draw the crowd."""
    output.require_file("-o", out)
    if seconds is None and out.suffix.lower() not in STILLS:
        seconds = SECONDS
    if seconds is None:
        output.require_picture("-o", out, options.width, options.height)
    else:
        output.require_film("-o", out, options.width, options.height, rate)
    with output.progress() as bar:
        groups = []
        played: list[str] = []
        shares = Counter(sources)  # a source named twice has twice the share
        for i, (source, share) in enumerate(shares.items()):
            bar(i, len(shares), source)
            bake, names = _baked(source, options.clips, baking)
            groups.append(crowd_scene.Group(bake, share))
            played += names
        options = replace(options, clips=tuple(dict.fromkeys(played)))
        out.parent.mkdir(parents=True, exist_ok=True)
        if seconds is None:
            crowd_scene.draw(groups, options).save(out)
        else:
            crowd_scene.film(groups, options, seconds, rate).save(out, progress=bar)
    output.stdout().print(output.Line(str(out)), soft_wrap=True)
    ending = sorted(_clips_that_end(groups, options.clips, seconds or 0.0))
    if ending:
        hint = f"{', '.join(map(repr, ending))}: ends before the film does; --loop makes a clip loop"
        output.stdout().print(output.Line.assemble(("hint: ", "yellow"), hint), soft_wrap=True)


def _clips_that_end(groups: Sequence[crowd_scene.Group], played: Sequence[str], seconds: float) -> set[str]:
    """Return the names of the played clips that do not loop and are shorter than the film."""
    return {
        name
        for group in groups
        for name, clip in group.bake.clips.items()
        if (name in played or not played) and not clip.loop and clip.duration < seconds
    }


def _baked(source: str, clips: Sequence[str], baking: Baking) -> tuple[PoseTexture, list[str]]:
    """Return the bake of a source, and the names of its clips to play."""
    import lissom

    if inputs.is_bake(source):
        for option, given in (
            ("--without", baking.without),
            ("--loop", baking.loop),
            ("--root-motion", baking.root_motion),
        ):
            if given:
                output.misuse(option, f"must be left out for a bake, got {source}; name the model instead")
        bake = lissom.load_bake(source)
        return bake, [clip_name(source, name, bake.clips) for name in clips]
    character = without(source, load(source), baking.without)
    if not character.clips:
        raise ValueError(f"{source}: has no clips to play")
    names = [clip_name(source, name, character.clips) for name in clips]
    chosen = {name: character.clips[name] for name in names or character.clips}
    for looping in baking.loop:
        name = clip_name(source, looping, character.clips)
        if name in chosen:
            chosen[name] = copy.copy(chosen[name])  # the character keeps its own
            chosen[name].loop = True
    return lissom.bake(character, chosen.values(), root_motion=baking.root_motion), names
