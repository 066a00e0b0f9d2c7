# SPDX-License-Identifier: MIT
"""The options of ``lissom bake``."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lissom._base.methods import BAKED_METHODS
from lissom.cli.options import Clips, Json, Without, one_of, sources_meant

__all__ = ["bake"]

TEXTURE = "The texture"  # the options of that


class Dtype(StrEnum):
    """Number formats of a bake."""

    float16 = "float16"
    float32 = "float32"
    uint8 = "uint8"


def _rates(texts: list[str] | None) -> list[str] | None:
    if texts:
        _rate(texts)
    return texts


def _rate(texts: list[str]) -> float | dict[str, float] | None:
    """Read rates: one for all clips, or some by the clips' names."""
    rates: dict[str, float] = {}
    for text in texts:
        clip, _, number = text.rpartition("=")
        try:
            rates[clip] = float(number)
        except ValueError:
            rates[clip] = 0.0
        if not 0.0 < rates[clip] < float("inf"):
            raise typer.BadParameter(f"give a number above 0, or CLIP=NUMBER, not {text!r}")
    if "" in rates and len(texts) > 1:
        raise typer.BadParameter("give one rate for all clips, or CLIP=RATE for each")
    return rates.get("", rates or None)


def _layout(name: str | None) -> str | None:
    from lissom.pose_texture._layouts import LAYOUTS

    return one_of(LAYOUTS)(name)


def bake(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN",
            callback=sources_meant,
            help="Files, folders of them, samples; or one job file, .toml.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="A folder, made where there is none; or for one input a .safetensors file. "
            "Goes before what a job file says.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("-j", "--jobs", metavar="N", min=1, help="Workers at a time (else: one per core)."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume/--anew", help="Take over what earlier runs baked from the same inputs, or bake all."
        ),
    ] = True,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FOLDER|PNG",
            help="Draw the errors of each bake into this folder; or of the one into this picture.",
        ),
    ] = None,
    html: Annotated[
        bool,
        typer.Option("--html", help="Write a page beside each bake that plays it in any browser."),
    ] = False,
    clips: Clips = None,
    without: Without = None,
    loop: Annotated[
        list[str] | None,
        typer.Option("--loop", metavar="CLIP", help="Bake this clip as one that loops; may be repeated."),
    ] = None,
    no_loop: Annotated[
        list[str] | None,
        typer.Option("--no-loop", metavar="CLIP", help="Bake this clip as one that ends; may be repeated."),
    ] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            "--rate",
            metavar="RATE|CLIP=RATE",
            callback=_rates,
            help="Frames per second, of all clips or of one (else: from the clip's own keys).",
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
            help="What the texels hold (else: dual_quat).",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    dtype: Annotated[
        Dtype | None,
        typer.Option("--dtype", help="Type of its numbers (else: float16).", rich_help_panel=TEXTURE),
    ] = None,
    extra_joint: Annotated[
        list[str] | None,
        typer.Option(
            "--extra-joint",
            metavar="JOINT",
            help="Put this joint in, too, though it moves no vertex; may be repeated.",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    root_motion: Annotated[
        bool,
        typer.Option(
            "--root-motion",
            help="Take root motion out of clips that travel or turn, and store it apart.",
            rich_help_panel=TEXTURE,
        ),
    ] = False,
    mesh: Annotated[
        bool, typer.Option("--mesh/--no-mesh", help="Put the mesh in, too.", rich_help_panel=TEXTURE)
    ] = True,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="|".join(BAKED_METHODS),
            callback=one_of(BAKED_METHODS),
            help="Skinning method that errors are measured with.",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Bake clips into float textures, each with a report of its error.

    In a folder they are called NAME-KEY.safetensors: KEY stands for contents, options and version.

    What has not changed is not baked again, also after a run that was killed. bakes.json lists all.

    Files that are bad, or crash, are told at the end (exit code 1). Props without clips are skipped.
    """
    from lissom.cli.bake import bake

    options = {
        "clips": clips,
        "without": without,
        "loop": loop,
        "no_loop": no_loop,
        "rate": _rate(rate or []),
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
