# SPDX-License-Identifier: MIT
"""What a store of bakes holds: one record for each bake, by the key of its job."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from lissom._catalog.folder import Entry
from lissom._catalog.rows import Row, rows_of
from lissom._jobs import stored_record
from lissom._jobs.stored_record import RECORDS, SUFFIX
from lissom._store import Store

__all__ = ["entries", "is_store"]

FACTS = ("name", "source", "output", "hash", "key", "lissom", "seconds", "worker")
KEY_FILE = re.compile(rf"[0-9a-f]{{64}}{re.escape(SUFFIX)}")


def is_store(folder: Path) -> bool:
    """Whether a folder is a store, rather than a folder of bakes, which may hold one named records."""
    records = folder / RECORDS
    return records.is_dir() and any(KEY_FILE.fullmatch(path.name) for path in records.iterdir())


def entries(store: Store) -> Iterator[Entry]:
    """Yield the bakes of a store; jobs that have none have no record there."""
    for place in store.keys(RECORDS):
        if place.endswith(SUFFIX):
            key = place[len(RECORDS) : -len(SUFFIX)]
            yield Entry(key, f"{store.url}/{place}", _read(store, key))


def _read(store: Store, key: str) -> Callable[[], list[Row]]:
    def read() -> list[Row]:
        record = stored_record.read(store, key)
        place = f"{store.url}/{RECORDS}{key}{SUFFIX}"
        if record.report is None or record.output is None or record.hash is None:
            raise ValueError(f"{place}: must have a report, an output and a hash of a bake")
        facts = {
            **{fact: getattr(record, fact) for fact in FACTS},
            "source_hash": record.source_hash or None,
            "tags": record.report.get("tags"),
            "licence": record.report.get("licence"),
        }
        try:
            clips = {clip["name"]: {**clip, "frame_count": clip["frames"]} for clip in record.clips}
        except (KeyError, TypeError) as error:
            raise ValueError(f"{place} has clips that cannot be read: {error!r}") from None
        return rows_of({**record.report, "clips": clips}, facts, place)

    return read
