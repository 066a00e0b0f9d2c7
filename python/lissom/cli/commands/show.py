# SPDX-License-Identifier: MIT
"""The options of ``lissom show``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom._base.methods import BAKED_METHODS
from lissom.cli.options import Clips, ModelOrBake, Without, one_of

__all__ = ["show"]

METHODS = (*BAKED_METHODS, "side_by_side")  # that a page knows


def _page(path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() != ".html":
        raise typer.BadParameter(f"give a name that ends in .html, not {path.name!r}")
    return path


def show(
    file: ModelOrBake,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="HTML",
            callback=_page,
            help="The page to write (else: NAME.html, here); its folder is made where there is none.",
        ),
    ] = None,
    clips: Clips = None,
    without: Without = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="|".join(METHODS),
            callback=one_of(METHODS),
            help="What it starts with (else: linear).",
        ),
    ] = None,
    is_opened: Annotated[bool, typer.Option("--open", help="Open it in the browser, too.")] = False,
) -> None:
    """Write a page that plays a model or a bake in any browser: one file, no network, nothing to install."""
    from lissom.cli.show import show

    show(file, output, clips or (), without or (), method, is_opened)
