# SPDX-License-Identifier: MIT
"""The options of ``lissom export``; `lissom.cli.export` does the work."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from lissom.cli.bake_options import Inputs, MaxError, Method, Rates, RootMotion, TexelType, parsed_rates
from lissom.cli.options import Clips, Json, Resume, Without, Workers

__all__ = ["export"]

WORDS = {"true": True, "false": False, "none": None}


def _form_options(texts: list[str]) -> dict[str, Any]:
    """Return options as NAME=VALUE: numbers, true, false and none are those, all else is text."""
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise typer.BadParameter(f"must be NAME=VALUE, got {text!r}")
        options[name] = WORDS[value] if value in WORDS else int(value) if value.isdecimal() else value
    return options


def _checked_options(texts: list[str] | None) -> list[str] | None:
    _form_options(texts or [])
    return texts


def export(
    inputs: Inputs,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="Folder to write: of one file it is the export itself, of several it holds one for each.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--form", metavar="FORM", help="three, babylon, godot, openvat, vertices, ..."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="NAME=VALUE",
            callback=_checked_options,
            help="An option of the form, such as texture=png16; may be repeated.",
        ),
    ] = None,
    jobs: Workers = None,
    resume: Resume = True,
    clips: Clips = None,
    without: Without = None,
    rate: Rates = None,
    vertex_rate: Annotated[
        float | None,
        typer.Option("--vertex-rate", metavar="RATE", help="Of forms of vertices (default: the bake's)."),
    ] = None,
    max_error: MaxError = None,
    dtype: TexelType = None,
    root_motion: RootMotion = False,
    method: Method = None,
    as_json: Json = False,
) -> None:
    """Bake clips and write them as folders that another engine opens, with the error of what it draws.

    Of several files, folders are named NAME-KEY; KEY identifies contents, options and version.

    Unchanged inputs are not exported again, even after an interrupted run. exports.json lists all exports.
    """
    from lissom.cli.export import export

    options = {
        "form": form,
        "form_options": _form_options(option or []),
        "clips": clips,
        "without": without,
        "rate": parsed_rates(rate or []),
        "vertex_rate": vertex_rate,
        "max_error": max_error,
        "dtype": None if dtype is None else dtype.value,
        "root_motion": root_motion or None,
        "method": method,
    }
    given = {name: value for name, value in options.items() if value not in (None, [], {})}
    sys.exit(export(inputs, output, given, jobs, resume, as_json))
