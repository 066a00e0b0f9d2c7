# SPDX-License-Identifier: MIT
"""The result of a job, as an object and as the file beside its output that marks it as done."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from lissom._base.doors import as_html
from lissom._base.set_module import set_module
from lissom._formats.atomic import write_atomically
from lissom._formats.budget import Budget, JsonExtent
from lissom._formats.regular_file import read_regular
from lissom._jobs.key import made_digest
from lissom._jobs.kind import Kind, Status

if TYPE_CHECKING:
    from lissom._jobs.job import Job

__all__ = [
    "BakeRecord",
    "BakeRecords",
    "Record",
    "Stored",
    "decoded",
    "json_bytes",
    "read",
    "reusable",
    "write",
]

VERSION = 1

Table = TypeVar("Table")


@dataclasses.dataclass(frozen=True)
class Record:
    """The result of one job of any kind; its attributes are those of `BakeRecord`."""

    source: str
    output: str
    name: str
    status: Status
    reused: bool = False
    path: str | None = None
    key: str | None = None
    message: str = ""
    seconds: float = 0.0
    report: dict[str, Any] | None = None
    worker: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is a bake, or the model has no clips."""
        return self.status not in ("failed", "unfinished")


@set_module("lissom")
@dataclasses.dataclass(frozen=True)
class BakeRecord(Record):
    """The result of one job of `lissom.bake_many`.

    Attributes
    ----------
    source, output, name : str
        Source and output folder of the job, and the name of the bake in that folder.
    status : {"baked", "no clips", "failed", "unfinished"}
        ``"failed"`` is final: the same input fails again. ``"unfinished"`` is not: memory ran out, a process
        was killed, a file could not be read or written; the next run tries again.
    reused : bool
        Whether the bake is of an earlier run, and was only checked now.
    path : str or None
        The bake, in a store its address; None where there is none.
    key : str or None
        `BakeJob.key`; None where the source could not be read.
    message : str
        The error, in one sentence that names the file; empty where there is none.
    seconds : float
        Duration of baking, in the run that baked.
    report : dict or None
        Frames, bytes, choices and the errors of every clip, as ``lissom bake --json`` prints them; None where
        there is no bake. Of a store, without the errors of each joint, which the bake has.
    worker : str
        Host and process that baked it, such as ``"node7:4711"``; empty where that is not known.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     jobs = [lissom.BakeJob("sample:twisted_bar", folder, clips=("jump",))]
    ...     record = next(lissom.bake_many(jobs, workers=1))
    >>> record.status, record.ok, record.path
    ('failed', False, None)
    >>> print(record.message)
    sample:twisted_bar: no clip is named 'jump'; there are: 'twist', 'bend'
    """

    _repr_html_ = as_html


@set_module("lissom")
class BakeRecords(tuple[BakeRecord, ...]):
    """Records of many jobs, shown in a notebook as a table.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     jobs = [lissom.BakeJob(f"sample:{name}", folder) for name in ("twisted_bar", "no_such")]
    ...     records = lissom.BakeRecords(lissom.bake_many(jobs, workers=1))
    >>> [record.status for record in records]
    ['baked', 'failed']
    """

    __slots__ = ()

    _repr_html_ = as_html


class Stored(msgspec.Struct, kw_only=True):
    """A record as it is stored in its file."""

    format: str
    version: int
    key: str
    name: str
    source: str
    status: Status
    message: str
    seconds: float
    inputs: dict[str, Any]
    sha256: str | None
    report: dict[str, Any] | None


def write(record: Record, kind: Kind, made: Path, inputs: dict[str, Any]) -> None:
    """Write the record of a job as the last of its files, so that a file with a record is complete."""
    assert record.key is not None
    stored = Stored(
        format=kind.record,
        version=VERSION,
        key=record.key,
        name=record.name,
        source=record.source,
        status=record.status,
        message=record.message,
        seconds=round(record.seconds, 3),
        inputs=inputs,
        sha256=made_digest(made) if record.status == kind.done else None,
        report=record.report,
    )
    _replace(kind.record_path(made), stored)


def _replace(path: Path, stored: Stored) -> None:
    write_atomically(path, [json_bytes(msgspec.structs.asdict(stored))])


def read(path: Path, kind: Kind) -> Stored | None:
    """Read a record of a kind; None where there is none that this version can use."""
    stored = decoded(path, Stored)
    if stored is None or (stored.format, stored.version) != (kind.record, VERSION):
        return None
    return stored


def decoded(path: Path, kind: type[Table]) -> Table | None:
    """Read a JSON document as `kind`; None where there is none that fits."""
    # msgspec's errors are ValueErrors; nested too deep is a RecursionError.
    with contextlib.suppress(OSError, ValueError, RecursionError):
        data = read_regular(path)
        Budget.of_file(path, len(data)).spend(JsonExtent.of(data).plain_bytes)
        try:
            return msgspec.json.decode(data, type=kind)
        except msgspec.DecodeError:  # perhaps of a name that is not UTF-8, which only Python's json reads
            return msgspec.convert(json.loads(data), kind)
    return None


def reusable(job: Job, key: str) -> Record | None:
    """Return the record of an earlier run with this key; None unless its file still has the same bytes.

    Other labels than then are noted in its file.
    """
    made = job.path(key)
    stored = read(job._kind.record_path(made), job._kind)
    if stored is None or stored.key != key or stored.status == "unfinished":
        return None
    if stored.status == job._kind.done:
        try:
            if made_digest(made) != stored.sha256:
                return None
        except OSError:
            return None
    report = job._labelled(stored.report)
    if report != stored.report:
        _replace(job._kind.record_path(made), msgspec.structs.replace(stored, report=report))
    return job._record(
        stored.status,
        reused=True,
        path=str(made) if stored.status == job._kind.done else None,
        key=key,
        message=stored.message,
        seconds=stored.seconds,
        report=report,
    )


def json_bytes(value: object, indent: int | None = None) -> bytes:
    """Return a JSON document, with names that are not UTF-8 escaped."""
    return (json.dumps(value, indent=indent, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")
