# SPDX-License-Identifier: MIT
"""The options of ``lissom validate``; `lissom.cli.validate` does the work."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from lissom.cli.options import Json, full_sources

__all__ = ["validate"]

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", callback=full_sources, help="Files, folders of them, or samples."),
]


def validate(
    files: Files,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="List the notes of each file.")] = False,
    as_json: Json = False,
) -> None:
    """Load files strictly, without repairs, and write one line for each.

    A file that strict loading refuses is "bad", with its first fault (exit code 1). Others are "ok".

    Notes say what loading renamed, chose or left out; they are not faults (-v and --json list them).
    """
    from lissom.cli.validate import validate

    sys.exit(0 if validate(files, verbose, as_json) else 1)
