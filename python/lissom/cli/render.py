# SPDX-License-Identifier: MIT
"""``lissom render``: a picture of any file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from lissom._formats.picture import Picture
from lissom.cli import inputs, output

if TYPE_CHECKING:
    from lissom._character.blend_argument import Blend
    from lissom._character.character import Character

__all__ = ["posed", "render", "save", "share"]

HALF = 0.5  # of blended, where nothing else is said


def render(
    source: str,
    out: Path,
    clip: str | None,
    time: float | None,
    without: Sequence[str],
    method: str,
    blend: str | None,
    width: int,
    height: int,
    of_walks: Sequence[str] = (),
) -> None:
    """Draw one character at rest or at a time of a clip; options of walks are refused."""
    import lissom

    if of_walks:
        output.misuse(of_walks[0], "needs --walk-on")
    output.require_file("-o", out)
    shares = share(blend, method)
    character, clip = posed(source, clip, time, without)
    picture = lissom.render(
        character, clip=clip, time=time, method=method, blend=shares, width=width, height=height
    )
    save(picture, out)
    output.stdout().print(Text(str(out)), soft_wrap=True)


def posed(
    source: str, clip: str | None, time: float | None, without: Sequence[str]
) -> tuple[Character, str | None]:
    """Load what is to be drawn, and find the clip that is meant."""
    if time is not None and clip is None:
        output.misuse("--time", "needs --clip")
    character = inputs.without(source, inputs.load(source), without)
    return character, None if clip is None else inputs.clip_name(source, clip, character.clips)


def share(blend: str | None, method: str) -> Blend | None:
    """Return what --blend means to a method; refuse it where the method is another."""
    if method != "blended":
        if blend is not None:
            output.misuse("--blend", "needs --method blended")
        return None
    return blend if blend == "bend" else float(blend or HALF)


def save(picture: Picture, out: Path) -> None:
    """Write a picture, and the folder for it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    picture.save(out)
