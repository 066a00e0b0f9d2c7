# SPDX-License-Identifier: MIT
"""The work of ``lissom render`` of several files: one picture, or one film, of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lissom._jobs import sources
from lissom.cli import output
from lissom.cli.render import HEIGHT, RATE, WIDTH, Options, check, makes_picture, save_picture

__all__ = ["render_several"]


def render_several(
    files: Sequence[str],
    out: Path,
    options: Options,
    clips: Sequence[str],
    walk_options: Sequence[str],
    *,
    equal_size: bool,
) -> None:
    """Draw several characters side by side; refuse options of one alone.

    `clips` are one for all of them, one for each, or none.
    """
    import lissom

    for option, given in (
        *((name, True) for name in walk_options),
        ("--moments", options.moments),
        ("--sheet", options.is_sheet),
        ("--morph", options.morphs),
        ("--without", options.without),
        ("--blend", options.blend),
    ):
        if given:
            output.misuse(option, "needs a single file")
    if clips and len(clips) not in (1, len(files)):
        output.misuse("--clip", f"must be given once, or once for each of {len(files)} files")
    if options.time is not None and not clips:
        output.misuse("--time", "needs --clip")
    wanted = replace(options, clip=clips[0] if clips else None)
    is_still = makes_picture(out, wanted)
    check(wanted, is_still=is_still)
    output.require_file("-o", out)
    width, height, rate = options.width or WIDTH, options.height or HEIGHT, options.rate or RATE
    more: dict[str, Any] = {"background": None} if options.is_transparent else {}
    channels = 4 if options.is_transparent else 3
    if is_still:
        output.require_picture("-o", out, width, height, channels)
    else:
        output.require_film("-o", out, width, height, rate, options.codec, channels)
        more |= {"rate": rate, "seconds": options.seconds, "turn": options.turn}
    characters = [sources.load(source) for source in files]
    if clips:
        names = list(clips) * (len(files) // len(clips))
        chosen = [
            character.clips[sources.clip_name(source, name, character.clips)]
            for source, character, name in zip(files, characters, names, strict=True)
        ]
        more |= {"clip": chosen, "time": options.time}
        if is_still and options.time is None:
            more["time"] = [clip.start + clip.duration / 2 for clip in chosen]  # shows more than the start
    drawn = lissom.render(
        characters, method=options.method, equal_size=equal_size, width=width, height=height, **more
    )
    if is_still:
        save_picture(drawn, out)  # type: ignore[arg-type]  # a picture where nothing moves
    else:
        out.parent.mkdir(parents=True, exist_ok=True)
        with output.progress() as bar:
            drawn.save(out, codec=options.codec, progress=bar)  # type: ignore[call-arg]  # a film
    output.stdout().print(output.Line(str(out)), soft_wrap=True)
