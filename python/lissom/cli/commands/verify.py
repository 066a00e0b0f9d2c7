# SPDX-License-Identifier: MIT
"""The options of ``lissom verify``; `lissom.cli.verify` does the work."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lissom._base.methods import BAKED_METHODS
from lissom.cli.options import Json, full_source, one_of, optional_picture_path

__all__ = ["verify"]


def _form(name: str | None) -> str | None:
    from lissom._verify.readers import READERS

    return one_of(READERS)(name)


def verify(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", callback=full_source, help="The .glb or .gltf file that was baked, or a sample."
        ),
    ],
    bake: Annotated[
        Path, typer.Argument(metavar="BAKE", help="The bake: a file or a folder, by whoever made it.")
    ],
    form: Annotated[
        str | None,
        typer.Option(
            "--form",
            metavar="FORM",
            callback=_form,
            help="Its form (default: found out): bake, three, babylon, openvat, godot, unity, ...",
        ),
    ] = None,
    clip: Annotated[
        str | None,
        typer.Option(
            "--clip", metavar="NAME", help="The only clip to judge; or that of a file which does not say."
        ),
    ] = None,
    playback: Annotated[
        str | None,
        typer.Option(
            "--playback",
            metavar="interpolate|snap",
            callback=one_of(("interpolate", "snap")),
            help="What the engine does between frames (default: as engines play the form).",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option("--rate", metavar="FPS", min=0.001, help="Frames per second of files that do not say."),
    ] = None,
    loop: Annotated[
        bool | None,
        typer.Option("--loop/--no-loop", help="Whether files that do not say loop (default: as the source)."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="|".join(BAKED_METHODS),
            callback=one_of(BAKED_METHODS),
            help="How the source is skinned (default: as files say).",
        ),
    ] = None,
    max_error: Annotated[
        float | None,
        typer.Option(
            "--max-error", metavar="SHARE", min=0.0, help="Largest error allowed, a share of the size: 0.01."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="PICTURE",
            callback=optional_picture_path,
            help="Write a picture of the errors.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge a bake, by anybody, against the clips that it was made of.

    Its error at frames and between them, the seam of loops (how far a vertex jumps from the end to the start,
    beyond its jump in the source), and what is wrong by name: rows off by one, other axes, gamma, a wrong
    rate, exchanged sides, ...

    Exit code 1 if there is a fault, or the error is above --max-error.
    """
    from lissom.cli.verify import verify

    options = {
        "form": form,
        "clip": clip,
        "playback": playback,
        "rate": rate,
        "loop": loop,
        "method": method,
        "max_error": max_error,
    }
    sys.exit(0 if verify(source, bake, options, output, as_json) else 1)
