# SPDX-License-Identifier: MIT
"""The options of ``lissom crowd``; `lissom.cli.crowd` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom._base.names import either
from lissom._formats.films.forms import MOVING
from lissom._formats.picture_files import STILLS
from lissom.cli.options import Clips, Without, full_sources

__all__ = ["crowd"]

SUFFIXES = (*STILLS, *MOVING)
FILMS = (*MOVING, ".png")


def _picture_or_film(path: Path) -> Path:
    if path.suffix.lower() not in SUFFIXES:
        known = either(SUFFIXES)
        raise typer.BadParameter(f"must end in {known}, got {path.name!r}")
    return path


Width = Annotated[int, typer.Option("--width", min=16, max=8192, help="Width in pixels.")]
Height = Annotated[int, typer.Option("--height", min=16, max=8192, help="Height in pixels.")]


def crowd(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            callback=full_sources,
            help="Models, bakes (.safetensors) or samples, in equal shares; one named twice has twice the "
            "share. All must be in the same unit of length.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            callback=_picture_or_film,
            help=f"The file to write: a picture, {either(STILLS)}; or a film, with --seconds: "
            f"{either(FILMS)}. Its folder is created if missing.",
        ),
    ],
    clips: Clips = None,
    without: Without = None,
    loop: Annotated[
        list[str] | None,
        typer.Option("--loop", metavar="CLIP", help="Loop this clip; may be repeated."),
    ] = None,
    root_motion: Annotated[
        bool,
        typer.Option(
            "--root-motion",
            help="Extract root motion from clips that travel or rotate; in a film, instances move by it.",
        ),
    ] = False,
    count: Annotated[int, typer.Option("--count", min=1, max=1_000_000, help="Number of instances.")] = 1000,
    spread: Annotated[
        float,
        typer.Option(
            "--spread", min=0.1, max=100.0, help="Distance between neighbours, in widths of a character."
        ),
    ] = 1.0,
    width: Width = 1600,
    height: Height = 900,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seed of the random places, clips and times.")
    ] = 0,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            min=0.01,
            max=600.0,
            help="Length of a film (default: 2; without it a .png or .jpg is a picture).",
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", min=1.0, max=120.0, help="Pictures per second of a film.")
    ] = 20.0,
    levels: Annotated[
        bool,
        typer.Option(
            "--levels/--no-levels",
            help="Draw far instances with fewer triangles; if the extra lod is installed.",
        ),
    ] = True,
) -> None:
    """Draw many instances from baked textures, each with its own clip, time and place.

    In a film they move by the root motion of their clips, and some fade to another clip.
    """
    from lissom.cli.crowd import Baking, crowd
    from lissom.cli.crowd_scene import Options

    if seconds is not None and output.suffix.lower() not in FILMS:
        raise typer.BadParameter(
            f"makes a film, and {output.name!r} holds one picture: leave it out for that picture, or end the "
            f"output in {either(FILMS)}",
            param_hint="'--seconds'",
        )
    options = Options(count, spread, tuple(clips or ()), width, height, seed, levels)
    baking = Baking(tuple(without or ()), tuple(loop or ()), root_motion)
    crowd(files, output, options, baking, seconds, rate)
