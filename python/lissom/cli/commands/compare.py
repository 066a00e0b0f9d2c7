# SPDX-License-Identifier: MIT
"""The options of ``lissom compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom._base.methods import METHODS
from lissom.cli.options import Blend, Json, Without, png, source_meant

__all__ = ["compare"]

Picture = Annotated[
    Path,
    typer.Option(
        "-o",
        "--output",
        metavar="PNG",
        callback=png,
        help="The picture to write; its folder is made where there is none.",
    ),
]


def compare(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            callback=source_meant,
            help="A .glb or .gltf file with a mesh, or a sample: bar, tube or humanoid.",
        ),
    ],
    output: Picture = Path("compare.png"),
    methods: Annotated[
        str, typer.Option("--methods", metavar="A,B,...", help=f"Two or more of {', '.join(METHODS)}.")
    ] = "linear,dual_quat",
    heat: Annotated[
        str | None,
        typer.Option(
            "--heat", metavar="A,B", help="The two whose distance is coloured (else: those farthest apart)."
        ),
    ] = None,
    blend: Blend = None,
    clip: Annotated[
        str | None,
        typer.Option(
            "--clip",
            metavar="NAME",
            help="Pose by this clip (else: where the methods differ most, of all clips); Walk finds "
            "Armature|Walk, too.",
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(
            "--time",
            metavar="SECONDS",
            help="Time in the clip (else: where the methods differ most in it). Past its ends a looping clip "
            "wraps, others hold still.",
        ),
    ] = None,
    bend: Annotated[
        float | None,
        typer.Option("--bend", metavar="DEGREES", help="Bend the bar or the tube (else: not; tube: 90)."),
    ] = None,
    twist: Annotated[
        float | None,
        typer.Option("--twist", metavar="DEGREES", help="Twist the bar or the tube (else: not; bar: 150)."),
    ] = None,
    without: Without = None,
    focus: Annotated[
        str | None,
        typer.Option(
            "--focus",
            metavar="JOINT|max",
            help="Come close to a joint (to search and measure there), or to the largest difference.",
        ),
    ] = None,
    azimuth: Annotated[
        float | None,
        typer.Option(
            "--azimuth",
            help="Look from so many degrees about the vertical (else: 35, or the side that shows more).",
        ),
    ] = None,
    elevation: Annotated[
        float, typer.Option("--elevation", help="Look from so many degrees above the horizon.")
    ] = 15.0,
    width: Annotated[
        int | None, typer.Option("--width", min=16, max=8192, help="Pixels across (else: 480 a panel).")
    ] = None,
    height: Annotated[
        int | None, typer.Option("--height", min=16, max=8192, help="Pixels down (else: 540 a row).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw skinning methods beside each other, with a heat map of how far two are apart, and numbers.

    Numbers of each: change of volume, of edges and of corners, collapse, bulge at a bend.

    They stand on the picture, in a table, and in full with --json.
    """
    from lissom.cli.compare import Options, compare

    view = Options(
        tuple(methods.split(",")),
        None if heat is None else tuple(heat.split(",")),
        blend,
        clip,
        time,
        bend,
        twist,
        tuple(without or ()),
        {"focus": focus, "azimuth": azimuth, "elevation": elevation, "width": width, "height": height},
    )
    compare(source, output, view, as_json)
