# SPDX-License-Identifier: MIT
"""The options of ``lissom crowd``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.options import Clips, Without, sources_meant

__all__ = ["crowd"]

FILMS = (".png", ".webp", ".gif")


def _film(path: Path) -> Path:
    if path.suffix.lower() not in FILMS:
        raise typer.BadParameter(f"give a name that ends in .png, .webp or .gif, not {path.name!r}")
    return path


Width = Annotated[int, typer.Option("--width", min=16, max=8192, help="Pixels across.")]
Height = Annotated[int, typer.Option("--height", min=16, max=8192, help="Pixels down.")]


def crowd(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            callback=sources_meant,
            help="Models, bakes (.safetensors) or samples: who is in the crowd, in equal shares; one that is "
            "named twice, twice as often. All in the same unit of length.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            callback=_film,
            help="The picture to write, .png; a film, .webp or .gif, or .png with --seconds. "
            "Its folder is made where there is none.",
        ),
    ],
    clips: Clips = None,
    without: Without = None,
    loop: Annotated[
        list[str] | None,
        typer.Option("--loop", metavar="CLIP", help="Let this clip go round; may be repeated."),
    ] = None,
    root_motion: Annotated[
        bool,
        typer.Option(
            "--root-motion",
            help="Take root motion out of clips that travel or turn, so that in a film they go their way.",
        ),
    ] = False,
    count: Annotated[int, typer.Option("--count", min=1, max=1_000_000, help="How many.")] = 1000,
    spread: Annotated[
        float,
        typer.Option("--spread", min=0.1, max=100.0, help="Distance between neighbours, in their widths."),
    ] = 1.0,
    width: Width = 1600,
    height: Height = 900,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another number, another crowd.")] = 0,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            min=0.01,
            max=600.0,
            help="Length of a film (else: a .png is a still, a film has 2 s).",
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", min=1.0, max=120.0, help="Pictures per second of a film.")
    ] = 20.0,
    levels: Annotated[
        bool,
        typer.Option(
            "--levels/--no-levels",
            help="Draw far ones with fewer triangles, where the extra lod is installed.",
        ),
    ] = True,
) -> None:
    """Draw many instances from baked textures, each with its own clip, time and place.

    In a film they move as their clips' root motion says, and some go over to another clip.
    """
    from lissom.cli.crowd import Baking, crowd
    from lissom.cli.crowd_scene import Options

    options = Options(count, spread, tuple(clips or ()), width, height, seed, levels)
    baking = Baking(tuple(without or ()), tuple(loop or ()), root_motion)
    crowd(files, output, options, baking, seconds, rate)
