# SPDX-License-Identifier: MIT
"""What a store of bakes holds: one record for each bake, by the key of its job."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from lissom._catalog.folder import Entry
from lissom._catalog.rows import Row, rows_of
from lissom._store import Store

__all__ = ["RECORDS", "entries"]

RECORDS = "records/"
FACTS = ("name", "source", "output", "hash", "key", "lissom", "seconds", "worker")
SUFFIX = ".json"


def entries(store: Store) -> Iterator[Entry]:
    """Yield the bakes of a store; jobs that have none have no record there."""
    for place in store.keys(RECORDS):
        if place.endswith(SUFFIX):
            yield Entry(place[len(RECORDS) : -len(SUFFIX)], _read(store, place))


def _read(store: Store, place: str) -> Callable[[], list[Row]]:
    def read() -> list[Row]:
        try:
            record = json.loads(store.read(place))
            report = record["report"]
            clips = {clip["name"]: {**clip, "frame_count": clip["frames"]} for clip in record["clips"]}
            facts = {
                **{fact: record.get(fact) for fact in FACTS},
                "source_hash": record.get("source_hash") or None,
                "tags": report.get("tags"),
                "licence": report.get("licence"),
            }
            return rows_of({**report, "clips": clips}, facts)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{store.url}/{place} has a report that cannot be read: {error!r}") from None

    return read
