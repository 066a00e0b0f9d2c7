# SPDX-License-Identifier: MIT
"""``lissom crowd``: many instances of one or several characters, as a picture or a film."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from lissom.cli import gathering, inputs, output

if TYPE_CHECKING:
    from lissom.pose_texture import PoseTexture

__all__ = ["crowd"]

STILL = ".png"
SECONDS = 2.0  # of a film of which nothing else is said


def crowd(
    sources: Sequence[str],
    out: Path,
    options: gathering.Options,
    without: Sequence[str],
    seconds: float | None,
    rate: float,
) -> None:
    """Bake where needed and draw."""
    if seconds is None and out.suffix.lower() != STILL:
        seconds = SECONDS
    with output.progress() as bar:
        groups = []
        played: list[str] = []
        shares = Counter(sources)  # who is named twice is there twice as often
        for i, (source, share) in enumerate(shares.items()):
            bar(i, len(shares), source)
            bake, names = _baked(source, options.clips, without)
            groups.append(gathering.Group(bake, share))
            played += names
        options = replace(options, clips=tuple(dict.fromkeys(played)))
        out.parent.mkdir(parents=True, exist_ok=True)
        if seconds is None:
            gathering.draw(groups, options).save(out)
        else:
            gathering.film(groups, options, seconds, rate, bar).save(out)
    output.stdout().print(Text(str(out)), soft_wrap=True)


def _baked(source: str, clips: Sequence[str], without: Sequence[str]) -> tuple[PoseTexture, list[str]]:
    """Return the bake of a source, and which of its clips are meant."""
    import lissom

    if inputs.is_bake(source):
        if without:
            output.misuse("--without", "a bake keeps the parts it was made with; give the model")
        bake = lissom.load_bake(source)
        return bake, [inputs.clip_name(source, name, bake.clips) for name in clips]
    character = inputs.without(source, inputs.load(source), without)
    names = [inputs.clip_name(source, name, character.clips) for name in clips]
    if not character.clips:
        raise ValueError(f"{source}: has no clips to play")
    return lissom.bake(character, list(dict.fromkeys(names)) or None), names
