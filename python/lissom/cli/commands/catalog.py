# SPDX-License-Identifier: MIT
"""The options of ``lissom catalog``; `lissom.cli.catalog` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.options import Json

__all__ = ["catalog"]


def catalog(
    store: Annotated[
        str,
        typer.Argument(
            metavar="STORE",
            help="The folder of bakes, as lissom bake writes it, or a store: s3://BUCKET/PREFIX.",
        ),
    ],
    to: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="PARQUET", help="The file to write: bakes.parquet."),
    ],
    resume: Annotated[
        bool,
        typer.Option(
            "--resume/--anew", help="Read records that an earlier catalogue does not have, or all of them."
        ),
    ] = True,
    as_json: Json = False,
) -> None:
    """Write the clips of many bakes as one table: errors, rates, loops, bytes, hashes, licences.

    One row for each clip of each bake. The file is Parquet, which lissom.Catalog reads, and many others.

    Where a name has several bakes, the one that bakes.json lists counts. What is none is named and left out.

    Without any bake nothing is written, and the exit code is 1.
    """
    from lissom.cli.catalog import catalog

    catalog(store, to, resume, as_json)
