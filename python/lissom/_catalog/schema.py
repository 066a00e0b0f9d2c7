# SPDX-License-Identifier: MIT
"""The columns of a catalogue, one row for each clip of each bake, and what its file says of itself."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from lissom import __version__
from lissom._base.extras import require
from lissom._base.names import unknown_name

__all__ = ["COLUMNS", "SORTED_BY", "OtherVersion", "check_column", "described", "facts", "schema"]

FORMAT = "lissom.catalog"
VERSION = 1
"""Increased by changes of columns that older readers would misread."""

COLUMNS = {
    "name": "string",  # of the bake in its folder or store
    "clip": "string",
    "source": "string",
    "source_hash": "string",  # SHA-256 of the file; of the character and its clips where no record says it
    "output": "string",  # of the bake: its path below the folder, or its key in the store
    "hash": "string",  # SHA-256 of that file
    "key": "string",  # of its record; null for a bake without one
    "layout": "string",
    "dtype": "string",
    "rows": "int32",
    "texels_per_row": "int32",
    "first_frame": "int32",
    "frames": "int32",
    "rate": "float64",
    "start": "float64",
    "duration": "float64",
    "loop": "bool",
    "bytes": "int64",  # of the clip's texels
    "size": "float64",  # of the character, model units
    "max_relative": "float64",  # errors are fractions of it
    "p99_relative": "float64",
    "rms_relative": "float64",
    "worst_joint": "string",
    "worst_time": "float64",
    "tags": "list",
    "licence": "string",
    "lissom": "string",  # version that baked
    "seconds": "float64",  # that the bake took, all of its clips
    "worker": "string",
}
"""Type of each column by name, in their order."""

SORTED_BY = ("name", "output", "first_frame")


class OtherVersion(ValueError):
    """A file is of another version than this lissom reads."""


def schema(store: str) -> Any:
    """Return the schema of a catalogue of `store`: its path from the catalogue's folder, or its address."""
    pa = require("pyarrow", "catalog", "lissom.Catalog")
    fields = [(name, _type(pa, kind)) for name, kind in COLUMNS.items()]
    said = {"format": FORMAT, "version": VERSION, "made_by": f"lissom {__version__}", "store": store}
    return pa.schema(fields, metadata={"lissom": json.dumps(said, sort_keys=True)})


def described(said: Any, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what the file at `path` says of itself, from its schema; ValueError where it is no catalogue."""
    return facts("Catalog", said, path, FORMAT, VERSION, "catalogue", "lissom catalog")


def facts(
    function: str, said: Any, path: str | os.PathLike[str], form: str, version: int, what: str, maker: str
) -> dict[str, Any]:
    """Return what a schema says of itself; ValueError where it is of another form, or of a later version."""
    path = Path(path)
    try:
        values = json.loads((said.metadata or {}).get(b"lissom", b"{}"))
    except ValueError:
        values = {}
    if not isinstance(values, dict) or values.get("format") != form:
        raise ValueError(f"{function}: {path} is a Parquet file but no {what}; {maker} writes one")
    if values.get("version") != version:
        raise OtherVersion(
            f"{function}: {path} was made by {values.get('made_by', 'another lissom')} in version "
            f"{values.get('version')} of the {what}, and lissom {__version__} reads version {version}; "
            f"make it again with {maker}"
        )
    return values


def check_column(function: str, name: object) -> str:
    """Return the name of a column; ValueError where there is none of that name."""
    if not isinstance(name, str):
        raise TypeError(f"{function}: columns must be names of columns, got {type(name).__name__}")
    if name not in COLUMNS:
        raise ValueError(f"{function}: {unknown_name('column', name, list(COLUMNS))}")
    return name


def _type(pa: ModuleType, kind: str) -> Any:
    if kind == "list":
        return pa.list_(pa.string())
    return getattr(pa, {"bool": "bool_"}.get(kind, kind))()
