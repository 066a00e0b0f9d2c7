# SPDX-License-Identifier: MIT
"""What a store of bakes holds: names, each of which leads to the record of its newest bake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from lissom._catalog.at_once import at_once
from lissom._catalog.folder import Entry
from lissom._catalog.rows import Row, rows_of
from lissom._jobs import stored_name, stored_record
from lissom._jobs.stored_name import NAMES, StoredName
from lissom._jobs.stored_record import RECORDS, SUFFIX
from lissom._store import Store

__all__ = ["entries", "is_store", "missing"]

FACTS = ("output", "hash", "key", "lissom", "seconds", "worker")
KEY_FILE = re.compile(rf"[0-9a-f]{{64}}{re.escape(SUFFIX)}")


def is_store(folder: Path) -> bool:
    """Whether a folder is a store, rather than a folder of bakes, which may hold one named records."""
    records = folder / RECORDS
    return records.is_dir() and any(KEY_FILE.fullmatch(path.name) for path in records.iterdir())


def entries(store: Store) -> Iterator[Entry]:
    """Yield the bakes of a store that names lead to; jobs that have none have a name all the same.

    OSError of a store that does not answer.
    """
    places = (place for place in store.keys(NAMES) if place.endswith(SUFFIX))
    for place, name in at_once(places, lambda place: _name(store, place)):
        if isinstance(name, StoredName):
            if name.bake is not None:
                place = f"{store.url}/{RECORDS}{name.key}{SUFFIX}"
                yield Entry((name.name, name.key, *name.tags), place, _read(store, name, place))
        else:
            yield Entry(None, f"{store.url}/{place}", _raising(name))


def missing(store: str) -> str:
    """Say what was looked for in a store without bakes."""
    return f"none of {NAMES}OUTPUT/NAME{SUFFIX} in it leads to one; see that the address is right to its end"


def _name(store: Store, place: str) -> StoredName | Exception:
    """Return a name, or what is wrong with it."""
    try:
        return stored_name.read(store, place)
    except (ValueError, FileNotFoundError) as error:
        return error


def _raising(error: Exception) -> Callable[[], list[Row]]:
    def read() -> list[Row]:
        raise error

    return read


def _read(store: Store, name: StoredName, place: str) -> Callable[[], list[Row]]:
    def read() -> list[Row]:
        record = stored_record.read(store, name.key)
        if record.report is None or record.output is None or record.hash is None:
            raise ValueError(f"{place}: must have a report, an output and a hash of a bake")
        facts = {
            **{fact: getattr(record, fact) for fact in FACTS},
            "name": name.name,
            "source": name.source,
            "source_hash": record.source_hash or None,
            "tags": name.tags,
            "licence": record.report.get("licence"),
        }
        try:
            clips = {clip["name"]: {**clip, "frame_count": clip["frames"]} for clip in record.clips}
        except (KeyError, TypeError) as error:
            raise ValueError(f"{place} has clips that cannot be read: {error!r}") from None
        return rows_of({**record.report, "clips": clips}, facts, place)

    return read
