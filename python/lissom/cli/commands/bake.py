# SPDX-License-Identifier: MIT
"""The options of ``lissom bake``; `lissom.cli.bake` does the work."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lissom._base.methods import BAKED_METHODS
from lissom.cli.options import Clips, Json, Resume, Without, Workers, full_sources, one_of

__all__ = ["bake"]

TEXTURE = "The texture"  # heading in --help


class Dtype(StrEnum):
    """Number types of texels."""

    float16 = "float16"
    float32 = "float32"
    uint8 = "uint8"


def _check_rates(texts: list[str] | None) -> list[str] | None:
    if texts:
        _parsed_rates(texts)
    return texts


def _parsed_rates(texts: list[str]) -> float | dict[str, float] | None:
    """Return one rate for all clips, or rates by the names of clips; None for no text."""
    rates: dict[str, float] = {}
    for text in texts:
        clip, _, number = text.rpartition("=")
        try:
            rates[clip] = float(number)
        except ValueError:
            rates[clip] = 0.0
        if not 0.0 < rates[clip] < float("inf"):
            raise typer.BadParameter(f"must be a number above 0, or CLIP=NUMBER, got {text!r}")
    if "" in rates and len(texts) > 1:
        raise typer.BadParameter(
            f"must be one RATE for all clips, or CLIP=RATE for each, got {', '.join(texts)}"
        )
    return rates.get("", rates or None)


def _layout(name: str | None) -> str | None:
    from lissom.pose_texture._layouts import LAYOUTS

    return one_of(LAYOUTS)(name)


def bake(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN",
            callback=full_sources,
            help="Model files, folders of them, samples; or one job file, .toml.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="Folder to write, created if missing; or for one input a .safetensors file. "
            "Replaces the outputs of a job file.",
        ),
    ] = None,
    jobs: Workers = None,
    resume: Resume = True,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FOLDER|PNG",
            help="Draw the errors of each bake into this folder; or of a single bake into this picture.",
        ),
    ] = None,
    html: Annotated[
        bool,
        typer.Option("--html", help="Write beside each bake a page that plays it in any browser."),
    ] = False,
    clips: Clips = None,
    without: Without = None,
    loop: Annotated[
        list[str] | None,
        typer.Option("--loop", metavar="CLIP", help="Bake this clip as a loop; may be repeated."),
    ] = None,
    no_loop: Annotated[
        list[str] | None,
        typer.Option("--no-loop", metavar="CLIP", help="Do not bake this clip as a loop; may be repeated."),
    ] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            "--rate",
            metavar="RATE|CLIP=RATE",
            callback=_check_rates,
            help="Frames per second of all clips, or of one clip (default: from the keys of each clip).",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    max_error: Annotated[
        float | None,
        typer.Option(
            "--max-error",
            min=0.0,
            help="Largest error allowed, as a fraction of the character's size.",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(
            "--layout",
            callback=_layout,
            help="What the texels hold (default: dual_quat).",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    dtype: Annotated[
        Dtype | None,
        typer.Option(
            "--dtype", help="Number type of the texels (default: float16).", rich_help_panel=TEXTURE
        ),
    ] = None,
    extra_joint: Annotated[
        list[str] | None,
        typer.Option(
            "--extra-joint",
            metavar="JOINT",
            help="Include this joint although it moves no vertex; may be repeated.",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    root_motion: Annotated[
        bool,
        typer.Option(
            "--root-motion",
            help="Extract root motion from clips that travel or rotate, and store it apart.",
            rich_help_panel=TEXTURE,
        ),
    ] = False,
    mesh: Annotated[
        bool, typer.Option("--mesh/--no-mesh", help="Include the mesh.", rich_help_panel=TEXTURE)
    ] = True,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="|".join(BAKED_METHODS),
            callback=one_of(BAKED_METHODS),
            help="Skinning method by which errors are measured.",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Bake clips into float textures, each with a report of its errors.

    In a folder, files are named NAME-KEY.safetensors; KEY identifies contents, options and version.

    Unchanged inputs are not baked again, even after an interrupted run. bakes.json lists all bakes.

    Files that cannot be baked are listed at the end (exit code 1). Props without clips are skipped.
    """
    from lissom.cli.bake import bake

    options = {
        "clips": clips,
        "without": without,
        "loop": loop,
        "no_loop": no_loop,
        "rate": _parsed_rates(rate or []),
        "max_error": max_error,
        "layout": layout,
        "dtype": None if dtype is None else dtype.value,
        "extra_joints": extra_joint,
        "root_motion": root_motion or None,
        "include_mesh": None if mesh else False,
        "method": method,
    }
    given = {name: value for name, value in options.items() if value not in (None, [])}
    sys.exit(bake(inputs, output, given, jobs, resume, report, html, as_json))
