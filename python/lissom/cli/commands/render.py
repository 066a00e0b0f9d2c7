# SPDX-License-Identifier: MIT
"""The options of ``lissom render``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom._base.methods import METHODS
from lissom.cli.options import Blend, Without, one_of, png, source_meant

__all__ = ["render"]

GROUNDS = ("uneven", "stair", "slope", "rubble")  # to walk on
WALKING = "Walking"  # the options of that
FILMS = (".png", ".gif", ".webp", ".glb")  # what a walk becomes


def _png_or_film(path: Path) -> Path:
    if path.suffix.lower() not in FILMS:
        raise typer.BadParameter(
            f"give a name that ends in .png, or for a walk in {', '.join(FILMS[1:])}, not {path.name!r}"
        )
    return path


File = Annotated[
    str,
    typer.Argument(metavar="FILE", callback=source_meant, help="A .glb, .gltf or .bvh file, or a sample."),
]
ClipName = Annotated[
    str | None,
    typer.Option(
        "--clip", metavar="NAME", help="Pose by this clip (else: at rest); Walk finds Armature|Walk, too."
    ),
]
Time = Annotated[
    float | None,
    typer.Option(
        "--time",
        metavar="SECONDS",
        help="Time in the clip (else: its middle). Past its ends a looping clip wraps, others hold still.",
    ),
]


def render(
    file: File,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            callback=_png_or_film,
            help="The picture to write, .png; for a walk .gif, .webp, .png (stills) or .glb (the motion). "
            "Its folder is made where there is none.",
        ),
    ],
    clip: ClipName = None,
    time: Time = None,
    without: Without = None,
    method: Annotated[
        str,
        typer.Option(
            "--method", metavar="|".join(METHODS), callback=one_of(METHODS), help="Skinning method."
        ),
    ] = METHODS[0],
    blend: Blend = None,
    width: Annotated[
        int | None, typer.Option("--width", min=16, max=8192, help="Pixels across (else: 960; a walk 720).")
    ] = None,
    height: Annotated[
        int | None, typer.Option("--height", min=16, max=8192, help="Pixels down (else: 540; a walk 400).")
    ] = None,
    walk_on: Annotated[
        str | None,
        typer.Option(
            "--walk-on",
            metavar="GROUND",
            callback=one_of(GROUNDS),
            help=f"Let it walk over {', '.join(GROUNDS[:-1])} or {GROUNDS[-1]}, its feet placed on it.",
            rich_help_panel=WALKING,
        ),
    ] = None,
    both: Annotated[
        bool,
        typer.Option(
            "--both/--no-both", help="Show it without foot placement, too.", rich_help_panel=WALKING
        ),
    ] = True,
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed",
            help="Lengths of the model per second (else: as its root motion or its feet tell).",
            rich_help_panel=WALKING,
        ),
    ] = None,
    leg: Annotated[
        list[str] | None,
        typer.Option(
            "--leg",
            metavar="HIP,KNEE,ANKLE[,TOE]",
            help="The joints of a leg, once for each (else: found by names and shape).",
            rich_help_panel=WALKING,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds", min=0.1, help="Stop after so long (else: at its end).", rich_help_panel=WALKING
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", min=1.0, max=50.0, help="Pictures per second.", rich_help_panel=WALKING)
    ] = 15.0,
) -> None:
    """Draw one character; or let it walk over uneven ground, with and without foot placement."""
    if walk_on is None:
        from lissom.cli.render import render

        used = {"--speed": speed, "--leg": leg, "--seconds": seconds}
        render(
            file,
            png(output),
            clip,
            time,
            without or (),
            method,
            blend,
            width or 960,
            height or 540,
            [name for name, value in used.items() if value is not None],
        )
        return
    from lissom.cli.render_walk import Options, walk

    options = Options(
        walk_on,
        clip,
        speed,
        tuple(leg or ()),
        both,
        rate,
        seconds,
        tuple(without or ()),
        method,
        blend,
        width or 720,
        height or 400,
    )
    walk(file, output, options, time)
