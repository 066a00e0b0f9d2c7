# SPDX-License-Identifier: MIT
"""Records of bakes in a store, one JSON document each, by the key of the job.

``records/KEY.json`` is of a bake, ``faults/KEY.json`` of a job that has none and never will. Both are created
once: that is the moment from which a job counts as done.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

import msgspec

from lissom import _core
from lissom._jobs.job import Job
from lissom._jobs.kind import Status
from lissom._jobs.records import Record, json_bytes
from lissom._store import Store

__all__ = ["DIGEST", "RECORDS", "SUFFIX", "StoredRecord", "bake_key", "create", "find", "read"]

RECORDS = "records/"
"""Prefix of the records of bakes."""

FAULTS = "faults/"
SUFFIX = ".json"

FORMAT = "lissom.stored_bake"
VERSION = 1

JOINT_BY_JOINT = ("joints", "joint_max", "joint_rms")
"""Facts of reports that the bake itself has, and that would make up most of a record."""

ELSEWHERE = (*JOINT_BY_JOINT, "tags")
"""Facts that are not in a record: tags go with the name of a job."""

RENAMED = {"name": None, "frames": "frame_count", "worst_joint": None}
"""Facts of a clip in a record, and what reports call them."""


DIGEST = r"\A[0-9a-f]{64}\Z"
"""A SHA-256, which may then be part of the name of a file."""


class StoredRecord(msgspec.Struct, kw_only=True):
    """What is taken from a document; there may be more in it for others."""

    format: str
    version: int
    key: str
    status: Status
    source: str = ""
    source_hash: str = ""
    lissom: str = ""
    message: str = ""
    output: str | None = None
    bytes: int | None = None
    hash: Annotated[str, msgspec.Meta(pattern=DIGEST)] | None = None
    seconds: float = 0.0
    worker: str = ""
    report: dict[str, Any] | None = None
    clips: list[dict[str, Any]] = []


def bake_key(key: str) -> str:
    """Return the key of the bake of a job."""
    return f"bakes/{key}.safetensors"


def create(store: Store, record: Record, source_hash: str, data: bytes | None) -> bool:
    """Create the record of a job whose bake are these bytes; False where another run has done so."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "key": record.key,
        "source": record.source,
        "source_hash": source_hash,
        "status": record.status,
        "message": record.message,
        "lissom": _core.__version__,
        "seconds": round(record.seconds, 4),
        "worker": record.worker,
    }
    assert record.key is not None
    if record.report is not None and data is not None:
        report = {name: value for name, value in record.report.items() if name not in ELSEWHERE}
        clips = report.pop("clips")
        document |= {
            "output": bake_key(record.key),
            "bytes": report["file_bytes"],
            "hash": hashlib.sha256(data).hexdigest(),
            "clips": [_clip(name, clip) for name, clip in clips.items()],
            "report": report,
        }
    return store.create(_place(record.key, record.report is not None), json_bytes(document))


def read(store: Store, key: str, has_bake: bool = True) -> StoredRecord:
    """Return the record of a key: FileNotFoundError where there is none, ValueError where it is another."""
    place = _place(key, has_bake)
    data = store.read(place)
    try:
        stored = msgspec.json.decode(data, type=StoredRecord)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{store.url}/{place}: is no record: {error}; remove it to bake again") from None
    if (stored.format, stored.version, stored.key) != (FORMAT, VERSION, key):
        what = f"{stored.format} {stored.version} of {stored.key[:12]}"
        raise ValueError(f"{store.url}/{place}: must be a record of this job, got {what}; remove it")
    return stored


def find(store: Store, job: Job, key: str) -> Record | None:
    """Return the record of a job that is done; None where it is not, or its bake is gone or cut short."""
    for has_bake in (True, False):
        try:
            stored = read(store, key, has_bake)
        except FileNotFoundError:
            continue
        if stored.output is not None and not _is_there(store, stored.output, stored.bytes):
            return None
        report = stored.report
        if report is not None:
            report = {**report, "clips": {clip["name"]: _reported(clip) for clip in stored.clips}}
        return job._record(
            stored.status,
            reused=True,
            path=None if stored.output is None else f"{store.url}/{stored.output}",
            key=key,
            message=stored.message,
            seconds=stored.seconds,
            report=report,
            worker=stored.worker,
        )
    return None


def _is_there(store: Store, key: str, size: int | None) -> bool:
    try:
        return store.size(key) == size
    except FileNotFoundError:
        return False


def _place(key: str, has_bake: bool) -> str:
    return f"{RECORDS if has_bake else FAULTS}{key}{SUFFIX}"


def _clip(name: str, clip: dict[str, Any]) -> dict[str, Any]:
    facts = {fact: value for fact, value in clip.items() if fact not in JOINT_BY_JOINT}
    frames = facts.pop("frame_count")
    return {"name": name, "frames": frames, "worst_joint": clip["error"]["worst"]["joint"], **facts}


def _reported(clip: dict[str, Any]) -> dict[str, Any]:
    named = {RENAMED.get(fact, fact): value for fact, value in clip.items()}
    return {fact: value for fact, value in named.items() if fact is not None}
