# SPDX-License-Identifier: MIT
"""The options of ``lissom retarget``; `lissom.cli.retarget` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.options import Clips, Json, full_source, full_sources, png_path

__all__ = ["retarget"]


def _glb(path: Path) -> Path:
    if path.suffix.lower() != ".glb":
        raise typer.BadParameter(f"must end in .glb, got {path.name!r}")
    return path


def _optional_png(path: Path | None) -> Path | None:
    return None if path is None else png_path(path)


def retarget(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            callback=full_sources,
            help="Files with clips: .bvh, .glb or .gltf, or folders of them.",
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            callback=full_source,
            help="The character that is to move: a .glb or .gltf file.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="GLB",
            callback=_glb,
            help="The file to write: the target with the clips; its folder is created if missing.",
        ),
    ] = Path("retargeted.glb"),
    clips: Clips = None,
    roles: Annotated[
        Path | None,
        typer.Option("--roles", metavar="TOML", help='Joints of the target by role: lines role = "joint".'),
    ] = None,
    source_roles: Annotated[
        Path | None, typer.Option("--source-roles", metavar="TOML", help="The same of the sources.")
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option("--rate", metavar="HZ", help="Keys per second (default: those of each clip)."),
    ] = None,
    has_feet: Annotated[
        bool, typer.Option("--feet/--no-feet", help="Goals for feet and hands, or pure rotations.")
    ] = True,
    keeps: Annotated[bool, typer.Option("--keep", help="Keep the target's own clips, too.")] = False,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            metavar="PNG",
            callback=_optional_png,
            help="Draw the first clip, source above result, at four times.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Put the motion of other characters or of motion capture onto a character."""
    from lissom.cli.retarget import Options, retarget

    options = Options(tuple(clips or ()), roles, source_roles, rate, has_feet, keeps, picture)
    retarget(sources, target, output, options, as_json)
