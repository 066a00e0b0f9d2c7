# SPDX-License-Identifier: MIT
"""The columns of a catalogue, one row for each clip of each bake, and what its file says of itself."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from lissom._base.extras import require
from lissom._base.names import near_names, unknown_name
from lissom._formats.parquet import facts, said

__all__ = ["COLUMNS", "SORTED_BY", "check_column", "described", "schema", "unknown_column"]

FORMAT = "lissom.catalog"
VERSION = 2
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
    "rate": "float64",  # without what float32 made of the times
    "asked_rate": "float64",  # of the job; null where it asked for none, or no record says it
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


def schema(store: str) -> Any:
    """Return the schema of a catalogue of `store`: its path from the catalogue's folder, or its address."""
    pa = require("pyarrow", "catalog", "lissom.Catalog")
    fields = [(name, _type(pa, kind)) for name, kind in COLUMNS.items()]
    return pa.schema(fields, metadata=said(FORMAT, VERSION, store=store))


def described(schema: Any, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what the file at `path` says of itself, from its schema; ValueError where it is no catalogue."""
    return facts("Catalog", schema, path, FORMAT, VERSION, "catalogue", "lissom catalog")


def check_column(function: str, name: object) -> str:
    """Return the name of a column; ValueError where there is none of that name."""
    if not isinstance(name, str):
        raise TypeError(f"{function}: columns must be names of columns, got {type(name).__name__}")
    if name not in COLUMNS:
        raise ValueError(f"{function}: {unknown_column(name)}")
    return name


def unknown_column(name: str) -> str:
    """Say that there is no such column, and which is meant; where none is like it, all that there are."""
    if near_names(name, COLUMNS):
        return unknown_name("column", name, COLUMNS)
    return f"no column is named {name!r}; there are: {', '.join(COLUMNS)}"


def _type(pa: ModuleType, kind: str) -> Any:
    if kind == "list":
        return pa.list_(pa.string())
    return getattr(pa, {"bool": "bool_"}.get(kind, kind))()
