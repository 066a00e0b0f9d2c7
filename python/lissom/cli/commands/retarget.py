# SPDX-License-Identifier: MIT
"""The options of ``lissom retarget``; `lissom.cli.retarget` does the work."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.options import Clips, Json, Resume, Workers, full_sources, optional_picture_path

__all__ = ["retarget"]


def retarget(
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            callback=full_sources,
            help="Files with clips, .bvh, .glb or .gltf, or folders of them; last the character that is "
            "to move. Or one job file, .toml.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="GLB|FOLDER",
            help="The file to write, the target with the clips of all sources (default: retargeted.glb); "
            "or a folder for a file of each source. Replaces the outputs of a job file.",
        ),
    ] = None,
    jobs: Workers = None,
    resume: Resume = True,
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
            metavar="PICTURE",
            callback=optional_picture_path,
            help="Draw the first clip, source above result, at four times; not with a folder.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Put the motion of other characters or of motion capture onto a character.

    In a folder, files are named NAME-KEY.glb; KEY identifies contents, options and version.

    Unchanged inputs are not done again, even after an interrupted run. retargets.json lists all files.

    Files that cannot be carried over are listed at the end (exit code 1).
    """
    from lissom.cli.retarget import retarget

    options = {
        "clips": clips,
        "roles": roles,
        "source_roles": source_roles,
        "rate": rate,
        "feet": None if has_feet else False,
        "keep": keeps or None,
    }
    given = {name: value for name, value in options.items() if value not in (None, [])}
    sys.exit(retarget(places, output, given, jobs, resume, picture, as_json))
