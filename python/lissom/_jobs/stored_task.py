# SPDX-License-Identifier: MIT
"""The task of a worker that shares no disk: fetch the source, bake, store the bake and then its record.

The order is what makes it safe: the bake has the name of the job's key, so that doing it twice writes the
same bytes to the same place; the record is created once and last. A worker that dies leaves a bake without a
record, which nobody reads; nothing is renamed, and no clock is compared. The name of the job comes after its
record, which a run that finds that record makes up for.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import tempfile
import time

from lissom._jobs import key, stored_name, stored_record
from lissom._jobs.faults import fault, passes
from lissom._jobs.job import Job
from lissom._jobs.pending import Died
from lissom._jobs.records import Record
from lissom._jobs.source_copies import Files, local_copy
from lissom._jobs.sources import SAMPLE_PREFIX
from lissom._jobs.task import Progress, Settings, do, refuse_other_builds, unfinished
from lissom._jobs.worker_name import worker_name
from lissom._store import Store, open_store

__all__ = ["StoreSettings", "run_stored"]


@dataclasses.dataclass(frozen=True)
class StoreSettings(Settings):
    """Settings of all jobs of a run, sent to the workers with each job."""

    store: str
    run: str
    driver: str


def run_stored(job: Job, files: Files, settings: StoreSettings, progress: Progress | None = None) -> Record:
    """Do a job and store its result; return the record, which holds any error. `Died` where a try may do."""
    started = time.perf_counter()
    refuse_other_builds(job, settings)
    if settings.store.startswith("memory://") and settings.driver != worker_name():
        text = f"{job.source}: {settings.store} is the driver's own memory; pass a folder or a bucket"
        return unfinished(job, text)
    try:
        store = _store(settings.store)
        here, source_hash = _at_home(job, files, store, settings.run)
        name = key.digest(key.key_inputs(here, settings.deterministic))
        record = stored_record.find(store, job, name) if settings.resume else None
        if record is None:
            record, data = _made(job, here, name, settings, progress)
            if record.status == "unfinished":
                return record
            if data is not None:
                store.write(stored_record.bake_key(name), data)
                record = dataclasses.replace(record, path=f"{store.url}/{stored_record.bake_key(name)}")
            record = dataclasses.replace(record, seconds=time.perf_counter() - started)
            stored_record.create(store, record, source_hash, data)
        record = dataclasses.replace(record, report=here._labelled(record.report))
        stored_name.write(store, job, record)
        return record
    except (OSError, MemoryError, ValueError, ImportError) as error:
        message = fault(error, job)[0]
        if passes(error):
            raise Died(message) from None
        return unfinished(job, message)  # wrong, as yet


def _made(
    job: Job, here: Job, name: str, settings: StoreSettings, progress: Progress | None
) -> tuple[Record, bytes | None]:
    """Do a job, `here` with its source on this machine; return its record, and the bytes of its bake."""
    with tempfile.TemporaryDirectory(prefix="lissom-") as folder:
        local = dataclasses.replace(here, output=folder, name=f"bake{job._kind.suffix}")
        told = None if progress is None else (lambda _, *state: progress(job, *state))
        try:
            made = do(local, name, settings, told)
        except Died as death:
            raise Died(str(death).replace(here.source, job.source)) from None
        message = made.message.replace(here.source, job.source)
        if made.status == "unfinished":  # of what that machine lacks
            message = f"{message}, on {worker_name()}"
        record = job._record(made.status, key=name, message=message, report=made.report, worker=worker_name())
        return record, local.path(name).read_bytes() if made.status == job._kind.done else None


def _at_home(job: Job, files: Files, store: Store, run: str) -> tuple[Job, str]:
    """Return a job whose source is on this machine, and the digest of that."""
    if job.source.startswith(SAMPLE_PREFIX):
        return job, ""
    path, files = local_copy(job.source, files, store, run)
    return dataclasses.replace(job, source=str(path), name=job.title), files[path.name]


@functools.lru_cache(8)
def _opened(url: str, process: int) -> Store:
    return open_store(url)


def _store(url: str) -> Store:
    return _opened(url, os.getpid())
