# SPDX-License-Identifier: MIT
"""The options of ``lissom demo``; `lissom.cli.demo` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.options import Json

__all__ = ["demo"]

Folder = Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Folder to write.")]


def demo(
    output: Folder = Path("demo"),
    count: Annotated[
        int, typer.Option("--count", min=1, max=100_000, help="Number of instances in the crowd.")
    ] = 1000,
    as_json: Json = False,
) -> None:
    """Make pictures, a bake, a page that plays it and a report from the built-in characters."""
    from lissom.cli.demo import demo

    demo(output, count, as_json)
