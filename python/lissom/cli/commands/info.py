# SPDX-License-Identifier: MIT
"""The options of ``lissom info``; `lissom.cli.info` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.options import Json, ModelOrBake

__all__ = ["info"]


def _svg(path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() != ".svg":
        raise typer.BadParameter(f"must end in .svg, got {path.name!r}")
    return path


def info(
    file: ModelOrBake,
    roles: Annotated[
        Path | None,
        typer.Option(
            "--roles",
            metavar="TOML",
            help='Joints by role where those found are wrong: lines role = "joint".',
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            metavar="SVG",
            callback=_svg,
            help="Draw the skeleton with its roles into this file; its folder is created if missing.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what a model holds (skeleton, parts, clips, roles, repairs made by loading), or a bake."""
    from lissom.cli.info import info

    info(file, roles, picture, as_json)
