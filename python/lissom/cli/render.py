# SPDX-License-Identifier: MIT
"""The work of ``lissom render``: a picture of one character."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lissom._formats.picture import Picture
from lissom._jobs import sources
from lissom.cli import output
from lissom.cli.morphs import morph_argument

if TYPE_CHECKING:
    from lissom._character.blend_argument import Blend
    from lissom._character.character import Character

__all__ = ["blend_argument", "character_and_clip", "render", "save_picture"]

DEFAULT_BLEND = 0.5  # share of dual quaternions without --blend


def render(
    source: str,
    out: Path,
    clip: str | None,
    time: float | None,
    morphs: Sequence[str],
    without: Sequence[str],
    method: str,
    blend: str | None,
    width: int,
    height: int,
    walk_options: Sequence[str] = (),
) -> None:
    """Draw one character in the rest pose or at a time of a clip; refuse options of --walk-on."""
    import lissom

    if walk_options:
        output.misuse(walk_options[0], "needs --walk-on")
    output.require_file("-o", out)
    share = blend_argument(blend, method)
    character, clip = character_and_clip(source, clip, time, without)
    picture = lissom.render(
        character,
        clip=clip,
        time=time,
        morphs=morph_argument(source, character, morphs, clip, time),
        method=method,
        blend=share,
        width=width,
        height=height,
    )
    save_picture(picture, out)
    output.stdout().print(output.Line(str(out)), soft_wrap=True)


def character_and_clip(
    source: str, clip: str | None, time: float | None, without: Sequence[str]
) -> tuple[Character, str | None]:
    """Load the character to draw, and return it with the full name of the clip."""
    if time is not None and clip is None:
        output.misuse("--time", "needs --clip")
    character = sources.without(source, sources.load(source), without)
    return character, None if clip is None else sources.clip_name(source, clip, character.clips)


def blend_argument(blend: str | None, method: str) -> Blend | None:
    """Return --blend as the argument of `lissom.render`; refuse it for other methods than blended."""
    if method != "blended":
        if blend is not None:
            output.misuse("--blend", "needs --method blended")
        return None
    return blend if blend == "bend" else float(blend or DEFAULT_BLEND)


def save_picture(picture: Picture, out: Path) -> None:
    """Write a picture; make its folder."""
    out.parent.mkdir(parents=True, exist_ok=True)
    picture.save(out)
