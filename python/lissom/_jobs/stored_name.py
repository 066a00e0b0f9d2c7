# SPDX-License-Identifier: MIT
"""Names of bakes in a store: ``names/OUTPUT/NAME.json`` says which bake a job of that name has last made.

A record is of a job's key, of all that its bytes depend on; a name is what users call it and find it by.
It is written after the record, by whoever made or found that: the last run of a name counts, and all readers
see the same one.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

import msgspec

from lissom._jobs.job import Job
from lissom._jobs.kind import Status
from lissom._jobs.records import Record, json_bytes
from lissom._jobs.stored_record import SUFFIX, bake_key
from lissom._store import Store

__all__ = ["NAMES", "StoredName", "full_name", "place", "read", "write"]

NAMES = "names/"
"""Prefix of names."""

FORMAT = "lissom.stored_name"
VERSION = 1

NO_KEY = re.compile(r'[\x00-\x1f\x7f-\x9f"%*:<>?\\|\ud800-\udfff]')
"""What a key, or a file of some system, may not have."""


class StoredName(msgspec.Struct, kw_only=True):
    """What a name leads to."""

    format: str
    version: int
    name: str
    key: str
    status: Status
    source: str
    message: str = ""
    tags: list[str] = []
    bake: str | None = None


def full_name(job: Job) -> str:
    """Return the name of a job in a store: its output, which is no folder there, and its name."""
    return str(PurePosixPath(job.output, job.title))


def place(name: str) -> str:
    """Return the key of a name: itself, where it can be one."""
    return NAMES + "/".join(map(_part, PurePosixPath(name).parts)) + SUFFIX


def write(store: Store, job: Job, record: Record) -> None:
    """Have the name of a job lead to its record, unless it does."""
    assert record.key is not None
    name = full_name(job)
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "key": record.key,
        "status": record.status,
        "source": job.source,
        "message": record.message,
        "tags": [] if record.report is None else record.report["tags"],
        "bake": None if record.report is None else bake_key(record.key),
    }
    data = json_bytes(document)
    if record.reused:  # perhaps under this name
        try:
            if store.read(place(name)) == data:
                return
        except FileNotFoundError:
            pass
    store.write(place(name), data)


def read(store: Store, key: str) -> StoredName:
    """Return what a name leads to, by its key. FileNotFoundError without one, ValueError of another."""
    try:
        found = msgspec.json.decode(store.read(key), type=StoredName)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ValueError(f"{store.url}/{key}: is no name of a bake: {error}; remove it") from None
    if (found.format, found.version) != (FORMAT, VERSION):
        raise ValueError(f"{store.url}/{key}: must be a name of a bake, got {found.format} {found.version}")
    return found


def _part(part: str) -> str:
    if not part.strip("./"):  # "." and "..", and the root of an absolute path
        return part.replace("/", "%2F").replace(".", "%2E")
    return NO_KEY.sub(lambda found: quote(found[0].encode("utf-8", "surrogateescape")), part)
