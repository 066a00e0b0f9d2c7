# SPDX-License-Identifier: MIT
"""The options of ``lissom compare``; `lissom.cli.compare` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom._base.methods import METHODS
from lissom.cli.options import Blend, Json, Morphs, Without, full_source, picture_path

__all__ = ["compare"]

Picture = Annotated[
    Path,
    typer.Option(
        "-o",
        "--output",
        metavar="PICTURE",
        callback=picture_path,
        help="The picture to write; its folder is created if missing.",
    ),
]


def compare(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            callback=full_source,
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
            "--heat",
            metavar="A,B",
            help="The two whose distance is coloured (default: those farthest apart).",
        ),
    ] = None,
    blend: Blend = None,
    clip: Annotated[
        str | None,
        typer.Option(
            "--clip",
            metavar="NAME",
            help="Pose by this clip (default: the one where the methods differ most). Case is ignored; a "
            "prefix such as Armature| may be omitted.",
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(
            "--time",
            metavar="SECONDS",
            help="Time in the clip (default: where the methods differ most in it). Outside the clip, a loop "
            "wraps and others hold their first or last pose.",
        ),
    ] = None,
    bend: Annotated[
        float | None,
        typer.Option("--bend", metavar="DEGREES", help="Bend the sample bar or tube (default: 0; tube: 90)."),
    ] = None,
    twist: Annotated[
        float | None,
        typer.Option(
            "--twist", metavar="DEGREES", help="Twist the sample bar or tube (default: 0; bar: 150)."
        ),
    ] = None,
    morph: Morphs = None,
    without: Without = None,
    focus: Annotated[
        str | None,
        typer.Option(
            "--focus",
            metavar="JOINT|max",
            help="Zoom in on a joint, and search and measure there; or on the largest difference.",
        ),
    ] = None,
    azimuth: Annotated[
        float | None,
        typer.Option(
            "--azimuth",
            metavar="DEGREES",
            help="Direction of the camera about the vertical (default: 35, or the side that shows more).",
        ),
    ] = None,
    elevation: Annotated[
        float,
        typer.Option("--elevation", metavar="DEGREES", help="Direction of the camera above the horizon."),
    ] = 15.0,
    width: Annotated[
        int | None,
        typer.Option("--width", min=16, max=8192, help="Width in pixels (default: 480 per panel)."),
    ] = None,
    height: Annotated[
        int | None,
        typer.Option("--height", min=16, max=8192, help="Height in pixels (default: 540 per row)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw skinning methods beside each other, with a heat map of the distance between two of them.

    Measures of each: change of volume, of edges and of corners, collapse, bulge at a bend.

    They are on the picture, in a table, and complete with --json.
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
        tuple(morph or ()),
        tuple(without or ()),
        {"focus": focus, "azimuth": azimuth, "elevation": elevation, "width": width, "height": height},
    )
    compare(source, output, view, as_json)
