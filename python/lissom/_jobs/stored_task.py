# SPDX-License-Identifier: MIT
"""The task of a worker that shares no disk: fetch the source, bake, store the bake and then its record.

The order is what makes it safe: the bake has the name of the job's key, so that doing it twice writes the
same bytes to the same place; the record is created once and last. A worker that dies leaves a bake without a
record, which nobody reads; nothing is renamed, and no clock is compared.
"""

from __future__ import annotations

import dataclasses
import errno
import functools
import hashlib
import os
import tempfile
import time

from lissom._jobs import key, stored_record
from lissom._jobs.faults import fault
from lissom._jobs.job import Job
from lissom._jobs.kind import Kind
from lissom._jobs.pending import Died
from lissom._jobs.records import Record
from lissom._jobs.source_copies import Files, contents_hash, local_copy
from lissom._jobs.sources import SAMPLE_PREFIX
from lissom._jobs.task import Progress, Settings, do, unfinished, worker_name
from lissom._store import Store, open_store

__all__ = ["StoreSettings", "refusal", "run_stored"]

MAY_HELP = {
    getattr(errno, name)
    for name in (
        "EIO", "EAGAIN", "EBUSY", "EINTR", "EMFILE", "ENFILE", "ENOMEM", "ESTALE",
        "EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETRESET", "ENETUNREACH", "ENOBUFS",
    )
    if hasattr(errno, name)
}  # fmt: skip
"""Errors of the system, or of a store's server, that pass. A full store does not by itself."""

CODE_WORDS = {
    "lissom": "version of lissom",
    "numpy": "version of NumPy",
    "format": "format of bakes",
    "digest": "build of lissom",
    "instruction_set": "instruction set",
}


@dataclasses.dataclass(frozen=True)
class StoreSettings(Settings):
    """Settings of all jobs of a run, sent to the workers with each job."""

    store: str
    run: str
    driver: str
    code: dict[str, str]


def run_stored(job: Job, files: Files, settings: StoreSettings, progress: Progress | None = None) -> Record:
    """Do a job and store its result; return the record, which holds any error. `Died` where a try may do."""
    started = time.perf_counter()
    fault_of_worker = refusal(job._kind, settings)
    if fault_of_worker:  # another worker may be right
        raise Died(f"{job.source}: {fault_of_worker}")
    try:
        store = _store(settings.store)
        here, source_hash = _at_home(job, files, store, settings.run)
        inputs = key.key_inputs(here, settings.deterministic)
        name = key.digest(inputs)
        earlier = stored_record.find(store, job, name) if settings.resume else None
        if earlier is not None:
            return earlier
        with tempfile.TemporaryDirectory(prefix="lissom-") as folder:
            local = dataclasses.replace(here, output=folder, name=f"bake{job._kind.suffix}")
            told = None if progress is None else (lambda _, *state: progress(job, *state))
            made = do(local, name, settings, told)
            record = job._record(
                made.status,
                key=name,
                message=made.message.replace(here.source, job.source),
                report=made.report,
                worker=worker_name(),
            )
            if record.status == "unfinished":
                raise Died(record.message)
            bake_hash = None
            if record.status == job._kind.done:
                data = local.path(name).read_bytes()
                bake_hash = hashlib.sha256(data).hexdigest()
                store.write(stored_record.bake_key(name), data)
                record = dataclasses.replace(record, path=f"{store.url}/{stored_record.bake_key(name)}")
        record = dataclasses.replace(record, seconds=time.perf_counter() - started)
        stored_record.create(store, record, source_hash, bake_hash)
        return record
    except (OSError, MemoryError, ValueError, ImportError) as error:
        message = fault(error, job)[0]
        if isinstance(error, MemoryError | ConnectionError | TimeoutError):
            raise Died(message) from None
        if isinstance(error, OSError) and error.errno in MAY_HELP:
            raise Died(message) from None
        return unfinished(job, message)  # wrong, as yet


def _at_home(job: Job, files: Files, store: Store, run: str) -> tuple[Job, str]:
    """Return a job whose source is on this machine, and the digest of that."""
    if job.source.startswith(SAMPLE_PREFIX):
        return job, ""
    path, files = local_copy(job.source, files, store, run)
    return dataclasses.replace(job, source=str(path), name=job.title), contents_hash(files)


def refusal(kind: Kind, settings: StoreSettings) -> str:
    """Return why this worker may not do jobs of a driver; empty where both run the same program."""
    if settings.store.startswith("memory://") and settings.driver != worker_name():
        return f"{settings.store} is the driver's own memory; pass a folder or a bucket"
    own = key.code(kind, settings.deterministic)
    for fact, word in CODE_WORDS.items():
        if own[fact] != settings.code[fact]:
            there, here = settings.code[fact][:12], own[fact][:12]
            is_set = fact == "instruction_set"
            advice = "set LISSOM_DETERMINISTIC=1 for the driver" if is_set else "install the same on both"
            return f"worker {worker_name()} has another {word}, {here}; the driver has {there}: {advice}"
    return ""


@functools.lru_cache(8)
def _opened(url: str, process: int) -> Store:
    return open_store(url)


def _store(url: str) -> Store:
    return _opened(url, os.getpid())
