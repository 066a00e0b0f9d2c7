# SPDX-License-Identifier: MIT
"""The options of ``lissom bake``; `lissom.cli.bake` does the work."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.bake_options import (
    BAKE,
    Inputs,
    MaxError,
    Method,
    Rates,
    RootMotion,
    TexelType,
    parsed_rates,
)
from lissom.cli.options import Clips, Json, Resume, Without, Workers, one_of

__all__ = ["bake"]


def _layout(name: str | None) -> str | None:
    from lissom.pose_texture._layouts import LAYOUTS

    return one_of(LAYOUTS)(name)


def bake(
    inputs: Inputs,
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
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="ENGINE",
            help="Who bakes, instead of threads of this process: processes, dask://HOST:PORT or "
            "ray://HOST:PORT.",
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="FOLDER|URL",
            help="Where bakes and records go instead of -o, by keys: a folder, s3://, gs:// or az://. "
            "Workers then need no common disk.",
        ),
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            "--summary",
            metavar="JSON",
            help="Write here what came out by status, fault and worker, with --on or --store; its folder is "
            "created if missing.",
        ),
    ] = None,
    jobs: Workers = None,
    resume: Resume = True,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FOLDER|PICTURE",
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
    rate: Rates = None,
    max_error: MaxError = None,
    layout: Annotated[
        str | None,
        typer.Option(
            "--layout",
            callback=_layout,
            help="What the texels hold (default: dual_quat).",
            rich_help_panel=BAKE,
        ),
    ] = None,
    dtype: TexelType = None,
    extra_joint: Annotated[
        list[str] | None,
        typer.Option(
            "--extra-joint",
            metavar="JOINT",
            help="Include this joint although it moves no vertex; may be repeated.",
            rich_help_panel=BAKE,
        ),
    ] = None,
    root_motion: RootMotion = False,
    mesh: Annotated[
        bool, typer.Option("--mesh/--no-mesh", help="Include the mesh.", rich_help_panel=BAKE)
    ] = True,
    method: Method = None,
    as_json: Json = False,
) -> None:
    """Bake clips into float textures, each with a report of its errors.

    In a folder, files are named NAME-KEY.safetensors; KEY identifies contents, options and version.

    Unchanged inputs are not baked again, even after an interrupted run. bakes.json lists all bakes.

    Files that cannot be baked are listed at the end (exit code 1). Props without clips are skipped.
    """
    from lissom.cli.bake import Where, bake

    options = {
        "clips": clips,
        "without": without,
        "loop": loop,
        "no_loop": no_loop,
        "rate": parsed_rates(rate or []),
        "max_error": max_error,
        "layout": layout,
        "dtype": None if dtype is None else dtype.value,
        "extra_joints": extra_joint,
        "root_motion": root_motion or None,
        "include_mesh": None if mesh else False,
        "method": method,
    }
    given = {name: value for name, value in options.items() if value not in (None, [])}
    where = Where(on, store, summary)
    sys.exit(bake(inputs, output, given, jobs, resume, report, html, as_json, where))
