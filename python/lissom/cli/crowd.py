# SPDX-License-Identifier: MIT
"""``lissom crowd``: many instances of one or several characters, as a picture or a film."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from lissom.cli import crowd_scene as gathering
from lissom.cli import inputs, output

if TYPE_CHECKING:
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["Baking", "crowd"]

STILL = ".png"
SECONDS = 2.0  # of a film of which nothing else is said


@dataclass(frozen=True)
class Baking:
    """How models are baked, which a bake already is."""

    without: tuple[str, ...] = ()
    loop: tuple[str, ...] = ()
    root_motion: bool = False


def crowd(
    sources: Sequence[str],
    out: Path,
    options: gathering.Options,
    baking: Baking,
    seconds: float | None,
    rate: float,
) -> None:
    """Bake where needed and draw."""
    output.require_file("-o", out)
    if seconds is None and out.suffix.lower() != STILL:
        seconds = SECONDS
    with output.progress() as bar:
        groups = []
        played: list[str] = []
        shares = Counter(sources)  # who is named twice is there twice as often
        for i, (source, share) in enumerate(shares.items()):
            bar(i, len(shares), source)
            bake, names = _baked(source, options.clips, baking)
            groups.append(gathering.Group(bake, share))
            played += names
        options = replace(options, clips=tuple(dict.fromkeys(played)))
        out.parent.mkdir(parents=True, exist_ok=True)
        if seconds is None:
            gathering.draw(groups, options).save(out)
        else:
            gathering.film(groups, options, seconds, rate, bar).save(out)
    output.stdout().print(Text(str(out)), soft_wrap=True)
    ending = sorted(_ending(groups, options.clips, seconds or 0.0))
    if ending:
        hint = f"{', '.join(map(repr, ending))}: over before the film is; --loop lets a clip go round"
        output.stdout().print(Text.assemble(("hint: ", "yellow"), hint), soft_wrap=True)


def _ending(groups: Sequence[gathering.Group], played: Sequence[str], seconds: float) -> set[str]:
    """Name the clips that are played, do not go round and are shorter than the film."""
    return {
        name
        for group in groups
        for name, clip in group.bake.clips.items()
        if (name in played or not played) and not clip.loop and clip.duration < seconds
    }


def _baked(source: str, clips: Sequence[str], baking: Baking) -> tuple[PoseTexture, list[str]]:
    """Return the bake of a source, and which of its clips are meant."""
    import lissom

    if inputs.is_bake(source):
        for option, given in (
            ("--without", baking.without),
            ("--loop", baking.loop),
            ("--root-motion", baking.root_motion),
        ):
            if given:
                output.misuse(option, "a bake stays as it was made; give the model")
        bake = lissom.load_bake(source)
        return bake, [inputs.clip_name(source, name, bake.clips) for name in clips]
    character = inputs.without(source, inputs.load(source), baking.without)
    if not character.clips:
        raise ValueError(f"{source}: has no clips to play")
    names = [inputs.clip_name(source, name, character.clips) for name in clips]
    wanted = {name: character.clips[name] for name in names or character.clips}
    for turning in baking.loop:
        name = inputs.clip_name(source, turning, character.clips)
        if name in wanted:
            wanted[name] = copy.copy(wanted[name])  # others may hold the character's own
            wanted[name].loop = True
    return lissom.bake(character, wanted.values(), root_motion=baking.root_motion), names
