# SPDX-License-Identifier: MIT
"""Writing a catalogue: rows of new bakes beside those that an earlier catalogue has already."""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from lissom._base.extras import require
from lissom._catalog import folder, stored
from lissom._catalog.at_once import at_once
from lissom._catalog.folder import Entry, Mark
from lissom._catalog.rows import Row
from lissom._catalog.schema import COLUMNS, SORTED_BY, described, schema
from lissom._formats.atomic import atomic_file
from lissom._formats.parquet import OtherVersion
from lissom._jobs.job import KEY_DIGITS
from lissom._store import open_store
from lissom._store.open_store import is_url

__all__ = ["build"]

logger = logging.getLogger("lissom.catalog")

CHUNK = 2_000
"""Bakes whose rows are plain values of Python at a time."""

GROUP = 1 << 17
"""Rows of a group of the file: what a filter reads, or leaves out by its lowest and highest value."""

FUNCTION = "Catalog.build"

Faults = tuple[type[Exception], ...]


def build(
    store: str, path: Path, resume: bool, *, caller: str = f"{FUNCTION}: ", refuse_empty: bool = False
) -> None:
    """Write the catalogue of a store; see `Catalog.build`.

    `caller` begins errors. ValueError that says what was looked for where there are no bakes, if
    `refuse_empty`; an old file is still there.
    """
    pa = require("pyarrow", "catalog", f"lissom.{FUNCTION}")
    pq = require("pyarrow.parquet", "catalog", f"lissom.{FUNCTION}")
    is_address = is_url(store)
    if is_address:
        wanted = schema(store)
    elif not Path(store).is_dir():
        fault, error = (
            ("is a file", NotADirectoryError)
            if Path(store).exists()
            else ("does not exist", FileNotFoundError)
        )
        raise error(
            f"{caller}{store} {fault}; the store must be a folder of bakes, as `lissom bake` writes it, or "
            "an address such as s3://BUCKET/PREFIX"
        )
    else:
        wanted = schema(os.path.relpath(store, path.parent))
    faults: Faults
    missing: Callable[[str], str]
    if is_address or stored.is_store(Path(store)):
        # A store that does not answer has its bakes all the same: they are not left out.
        found, faults = stored.entries(open_store(store)), (ValueError, FileNotFoundError)
        missing = stored.missing
    else:
        since = path.stat().st_mtime_ns if path.exists() else 0
        found, faults = folder.entries(Path(store), since), (ValueError, OSError)
        missing = folder.missing
    old = _earlier(path, wanted, caller) if resume else None
    known = _marks(old) if old is not None else {}
    kept: list[int] = []
    new = (entry for entry in found if not _keep(entry, known, kept))
    tables = list(_tables(new, faults, wanted))
    if old is not None and kept:
        tables.append(old.take(pa.array(sorted(kept))).cast(wanted))
    table = pa.concat_tables(tables) if tables else wanted.empty_table()
    if refuse_empty and not table.num_rows:
        raise ValueError(f"{caller}no bakes are in {store}: {missing(store)}")
    table = table.sort_by([(name, "ascending") for name in SORTED_BY]).replace_schema_metadata(
        wanted.metadata
    )
    with atomic_file(path) as file:
        pq.write_table(table, file, compression="zstd", row_group_size=GROUP)


def _earlier(path: Path, wanted: Any, caller: str) -> Any:
    """Return the table of an earlier catalogue of the same store; None where there is none of use."""
    pa = require("pyarrow", "catalog", f"lissom.{FUNCTION}")
    pq = require("pyarrow.parquet", "catalog", f"lissom.{FUNCTION}")
    if not path.exists():
        return None
    try:
        said = pq.read_schema(path)
    except pa.ArrowInvalid:
        raise ValueError(f"{caller}{path} is no Parquet file; write the catalogue elsewhere") from None
    try:
        is_same = described(said, path)["store"] == described(wanted, path)["store"]
    except OtherVersion:  # is made anew
        return None
    if not is_same:
        return None
    return pq.read_table(path, columns=list(COLUMNS))


def _marks(old: Any) -> dict[Mark, list[int]]:
    """Return the rows of an earlier catalogue by the marks of their bakes."""
    result: dict[Mark, list[int]] = {}
    columns = (old.column(name).to_pylist() for name in ("name", "key", "tags"))
    for row, (name, key, tags) in enumerate(zip(*columns, strict=True)):
        if key is not None:
            for mark in ((name, key[:KEY_DIGITS]), (name, key, *(tags or ()))):
                result.setdefault(mark, []).append(row)
    return result


def _keep(entry: Entry, known: dict[Mark, list[int]], kept: list[int]) -> bool:
    """Whether an entry's rows are known; their indices are added to `kept`."""
    if entry.mark is None or entry.mark not in known:
        return False
    kept.extend(known[entry.mark])
    return True


def _tables(entries: Iterable[Entry], faults: Faults, wanted: Any) -> Iterator[Any]:
    """Yield tables of the rows of bakes, many in each; what is none is left out, and named."""
    table_of = require("pyarrow", "catalog", f"lissom.{FUNCTION}").Table.from_pylist
    read = _read(entries, faults)
    while some := list(itertools.islice(read, CHUNK)):
        try:
            yield table_of(list(itertools.chain.from_iterable(rows for _, rows in some)), schema=wanted)
        except (ValueError, TypeError, OverflowError):  # of one: which, is found out where it matters
            for place, rows in some:
                try:
                    yield table_of(rows, schema=wanted)
                except (ValueError, TypeError, OverflowError) as error:
                    logger.warning("%s: left out: %s: %s", FUNCTION, place, error)


def _read(entries: Iterable[Entry], faults: Faults) -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of bakes, with the places that they are from."""

    def rows_of(entry: Entry) -> list[Row] | Exception:
        try:
            return entry.read()
        except faults as error:
            return error

    for entry, rows in at_once(entries, rows_of):
        if isinstance(rows, Exception):
            logger.warning("%s: left out: %s", FUNCTION, rows)
        else:
            yield entry.place, rows
