# SPDX-License-Identifier: MIT
"""The options of ``lissom validate``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from lissom.cli.options import Json, sources_meant

__all__ = ["validate"]

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", callback=sources_meant, help="Files, folders of them, or samples."),
]


def validate(
    files: Files,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="List the notes, too.")] = False,
    as_json: Json = False,
) -> None:
    """Load files strictly, mending nothing; one line each.

    What strict loading refuses is "bad", with its first fault, and the exit code is 1. Other files are "ok".

    Notes tell what loading renamed, chose or left out; they fail nothing (-v and --json list them).
    """
    from lissom.cli.validate import validate

    sys.exit(0 if validate(files, verbose, as_json) else 1)
