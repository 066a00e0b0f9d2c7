# SPDX-License-Identifier: MIT
"""Writing a catalogue: rows of new bakes beside those that an earlier catalogue has already."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lissom._base.extras import require
from lissom._catalog import folder, stored
from lissom._catalog.folder import Entry
from lissom._catalog.rows import Row
from lissom._catalog.schema import COLUMNS, SORTED_BY, described, schema
from lissom._formats.atomic import atomic_file
from lissom._formats.parquet import OtherVersion
from lissom._jobs.job import KEY_DIGITS
from lissom._store import open_store
from lissom._store.open_store import is_url

__all__ = ["build"]

logger = logging.getLogger("lissom.catalog")

CHUNK = 10_000
"""Rows that are plain values of Python at a time."""

GROUP = 1 << 17
"""Rows of a group of the file: what a filter reads, or leaves out by its lowest and highest value."""

FUNCTION = "Catalog.build"

Mark = tuple[str, str] | str


def build(store: str, path: Path, resume: bool) -> None:
    """Write the catalogue of a store; see `Catalog.build`."""
    pa = require("pyarrow", "catalog", f"lissom.{FUNCTION}")
    pq = require("pyarrow.parquet", "catalog", f"lissom.{FUNCTION}")
    if is_url(store):
        wanted, found = schema(store), stored.entries(open_store(store))
    elif not Path(store).is_dir():
        raise NotADirectoryError(f"{FUNCTION}: store must be a folder of bakes, got {store}, which is none")
    else:
        is_store = Path(store, stored.RECORDS).is_dir()
        found = stored.entries(open_store(store)) if is_store else folder.entries(Path(store))
        wanted = schema(os.path.relpath(store, path.parent))
    old = _earlier(path) if resume else None
    known = _marks(old) if old is not None else {}
    kept: list[int] = []
    tables = []
    new = (entry for entry in found if not _keep(entry, known, kept))
    for rows in _chunks(new):
        tables.append(pa.Table.from_pylist(rows, schema=wanted))
    if old is not None and kept:
        tables.append(old.take(pa.array(sorted(kept))).cast(wanted))
    table = pa.concat_tables(tables) if tables else wanted.empty_table()
    table = table.sort_by([(name, "ascending") for name in SORTED_BY]).replace_schema_metadata(
        wanted.metadata
    )
    with atomic_file(path) as file:
        pq.write_table(table, file, compression="zstd", row_group_size=GROUP)


def _earlier(path: Path) -> Any:
    """Return the table of an earlier catalogue; None where there is none that can be used."""
    pa = require("pyarrow", "catalog", f"lissom.{FUNCTION}")
    pq = require("pyarrow.parquet", "catalog", f"lissom.{FUNCTION}")
    if not path.exists():
        return None
    try:
        said = pq.read_schema(path)
    except pa.ArrowInvalid:
        raise ValueError(f"{FUNCTION}: {path} is no Parquet file; write the catalogue elsewhere") from None
    try:
        described(said, path)
    except OtherVersion:  # is made anew
        return None
    return pq.read_table(path, columns=list(COLUMNS))


def _marks(old: Any) -> dict[Mark, list[int]]:
    """Return the rows of an earlier catalogue by the marks of their bakes."""
    result: dict[Mark, list[int]] = {}
    names, keys = (old.column(name).to_pylist() for name in ("name", "key"))
    for row, (name, key) in enumerate(zip(names, keys, strict=True)):
        if key is not None:
            for mark in (key, (name, key[:KEY_DIGITS])):
                result.setdefault(mark, []).append(row)
    return result


def _keep(entry: Entry, known: dict[Mark, list[int]], kept: list[int]) -> bool:
    """Whether an entry's rows are known; their indices are added to `kept`."""
    if entry.mark is None or entry.mark not in known:
        return False
    kept.extend(known[entry.mark])
    return True


def _chunks(entries: Iterable[Entry]) -> Iterator[list[Row]]:
    rows: list[Row] = []
    for entry in entries:
        try:
            rows.extend(entry.read())
        except (ValueError, OSError) as error:
            logger.warning("Catalog.build: left out: %s", error)
        if len(rows) >= CHUNK:
            yield rows
            rows = []
    if rows:
        yield rows
