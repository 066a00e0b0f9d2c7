# SPDX-License-Identifier: MIT
"""The options of ``lissom render``; `lissom.cli.render` and `lissom.cli.render_walk` do the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom._base.methods import METHODS
from lissom.cli.options import Blend, Morphs, Without, full_source, one_of, png_path

__all__ = ["render"]

GROUNDS = ("uneven", "stair", "slope", "rubble")
WALKING = "Walking"  # heading in --help
SUFFIXES = (".png", ".gif", ".webp", ".glb")  # all but the first for walks alone


def _picture_or_walk(path: Path) -> Path:
    if path.suffix.lower() not in SUFFIXES:
        raise typer.BadParameter(
            f"must end in .png, or for a walk in {', '.join(SUFFIXES[1:])}, got {path.name!r}"
        )
    return path


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", callback=full_source, help="A .glb, .gltf, .vrm or .bvh file, or a sample."
    ),
]
ClipName = Annotated[
    str | None,
    typer.Option(
        "--clip",
        metavar="NAME",
        help="Pose by this clip (default: the rest pose). Case is ignored; a prefix such as Armature| may be "
        "omitted.",
    ),
]
Time = Annotated[
    float | None,
    typer.Option(
        "--time",
        metavar="SECONDS",
        help="Time in the clip (default: its middle). Outside the clip, a loop wraps and others hold "
        "their first or last pose.",
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
            callback=_picture_or_walk,
            help="The picture to write, .png; for a walk .gif, .webp, .png (stills) or .glb (the motion). "
            "Its folder is created if missing.",
        ),
    ],
    clip: ClipName = None,
    time: Time = None,
    morph: Morphs = None,
    without: Without = None,
    method: Annotated[
        str,
        typer.Option(
            "--method", metavar="|".join(METHODS), callback=one_of(METHODS), help="Skinning method."
        ),
    ] = METHODS[0],
    blend: Blend = None,
    width: Annotated[
        int | None,
        typer.Option("--width", min=16, max=8192, help="Width in pixels (default: 960; walk: 720)."),
    ] = None,
    height: Annotated[
        int | None,
        typer.Option("--height", min=16, max=8192, help="Height in pixels (default: 540; walk: 400)."),
    ] = None,
    walk_on: Annotated[
        str | None,
        typer.Option(
            "--walk-on",
            metavar="GROUND",
            callback=one_of(GROUNDS),
            help=f"Draw a walk over {', '.join(GROUNDS[:-1])} or {GROUNDS[-1]}, with the feet placed on it.",
            rich_help_panel=WALKING,
        ),
    ] = None,
    ramp: Annotated[
        bool,
        typer.Option(
            "--ramp",
            help="Let the body follow a smooth ramp over the ground, as in games that collide with one.",
            rich_help_panel=WALKING,
        ),
    ] = False,
    both: Annotated[
        bool,
        typer.Option(
            "--both/--no-both", help="Draw the walk without foot placement, too.", rich_help_panel=WALKING
        ),
    ] = True,
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed",
            help="Model units per second (default: from root motion or foot contacts).",
            rich_help_panel=WALKING,
        ),
    ] = None,
    leg: Annotated[
        list[str] | None,
        typer.Option(
            "--leg",
            metavar="HIP,KNEE,ANKLE[,TOE]",
            help="The joints of a leg; repeat for each leg (default: found by names and shape).",
            rich_help_panel=WALKING,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            min=0.1,
            help="Stop after this time (default: at the end of the ground).",
            rich_help_panel=WALKING,
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", min=1.0, max=50.0, help="Pictures per second.", rich_help_panel=WALKING)
    ] = 15.0,
) -> None:
    """Draw one character; or a walk over uneven ground, with and without foot placement."""
    if walk_on is None:
        from lissom.cli.render import render

        walk_options = {"--ramp": ramp or None, "--speed": speed, "--leg": leg, "--seconds": seconds}
        render(
            file,
            png_path(output),
            clip,
            time,
            morph or (),
            without or (),
            method,
            blend,
            width or 960,
            height or 540,
            [name for name, value in walk_options.items() if value is not None],
        )
        return
    from lissom.cli import output as messages
    from lissom.cli.render_walk import Options, render_walk

    if morph:
        messages.misuse("--morph", "must be left out for a walk")
    options = Options(
        walk_on,
        ramp,
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
    render_walk(file, output, options, time)
