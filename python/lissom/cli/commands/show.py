# SPDX-License-Identifier: MIT
"""The options of ``lissom show``; `lissom.cli.show` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom._base.methods import BAKED_METHODS
from lissom._base.names import either
from lissom.cli.options import EqualSize, ModelsOrBake, Without, one_of

__all__ = ["show"]

METHODS = (*BAKED_METHODS, "side_by_side")


def _page(path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() != ".html":
        raise typer.BadParameter(f"must end in .html, got {path.name!r}")
    return path


def show(
    files: ModelsOrBake,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="HTML",
            callback=_page,
            help="The page to write (default: NAME.html in this folder, after the first FILE); its folder is "
            "created if missing.",
        ),
    ] = None,
    clips: Annotated[
        list[str] | None,
        typer.Option(
            "--clips",
            metavar="NAME",
            help="Take this clip only; may be repeated. Of several files all must have it.",
        ),
    ] = None,
    without: Without = None,
    equal_size: EqualSize = False,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="METHOD",
            callback=one_of(METHODS),
            help=f"Skinning method at the start: {either(METHODS)} (default: linear).",
        ),
    ] = None,
    is_opened: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Write a page that plays models or a bake in any browser: one file that needs no network."""
    from lissom.cli.show import show

    show(files, output, clips or (), without or (), method, is_opened, equal_size)
