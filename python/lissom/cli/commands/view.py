# SPDX-License-Identifier: MIT
"""The options of ``lissom view``; `lissom.cli.view` does the work."""

from __future__ import annotations

from typing import Annotated

import typer

from lissom.cli.options import full_source

__all__ = ["view"]


def view(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|FOLDER",
            callback=full_source,
            help="A .glb, .gltf, .vrm or .bvh file, a bake (.safetensors), a folder of them, or a sample.",
        ),
    ],
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port (default: a free one).")
    ] = 0,
    is_opened: Annotated[
        bool,
        typer.Option(
            "--browser/--no-browser", help="Open the page in the browser, or only print its address."
        ),
    ] = True,
) -> None:
    """Show a file, or leaf through a folder, in the browser: read again whenever it is written."""
    from lissom.cli.view import view

    view(file, port, is_opened)
