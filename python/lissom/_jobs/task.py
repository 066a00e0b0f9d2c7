# SPDX-License-Identifier: MIT
"""The task of a worker of any executor: find an earlier result of a job, or do and record it."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom._formats.faults import make_folder
from lissom._jobs import key, records
from lissom._jobs.builds import Refused, other_build
from lissom._jobs.faults import fault
from lissom._jobs.guard import WorkerDied, guard_of_this_thread
from lissom._jobs.pending import Died
from lissom._jobs.sources import SAMPLE_PREFIX
from lissom._jobs.worker_name import worker_name
from lissom._store.open_store import is_url

if TYPE_CHECKING:
    from lissom._jobs.job import Job
    from lissom._jobs.kind import Status
    from lissom._jobs.records import Record

__all__ = ["Progress", "Settings", "do", "refuse_other_builds", "run_job", "unfinished"]

Progress = Callable[[Any, int, int, str], None]
"""Called with a job, its clips done, their number, and the name of one."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of all jobs of a run, sent to the workers with each job.

    `code` identifies the program of the driver; None where workers are threads of its own.
    """

    resume: bool
    threads: int | None
    deterministic: bool
    code: dict[str, str] | None


def run_job(job: Job, settings: Settings, progress: Progress | None = None) -> Record:
    """Do a job, write its record where it is done, and return the record, which holds any error."""
    started = time.perf_counter()
    refuse_other_builds(job, settings)
    for source in filter(is_url, job._read.values()):
        what = "an address is fetched by bakes into a store alone; bake into one, or fetch the file first"
        return unfinished(job, f"{source}: {what}")
    try:
        before = _stamps(job)
        inputs = key.key_inputs(job, settings.deterministic)
        name = key.digest(inputs)
        if settings.resume and not job.has_own_file_name:
            earlier = records.reusable(job, name)
            if earlier is not None:
                return earlier
        try:
            record = do(job, name, settings, progress)
        except Died as death:
            return unfinished(job, str(death), name)
        if record.status != "unfinished":
            changed = [path for path, stamps in _stamps(job).items() if stamps != before[path]]
            if changed:
                subject = "it" if changed[0] == job.source else job.source
                message = f"{changed[0]}: it changed while {subject} was {job._kind.participle}"
                return unfinished(job, message, name)
        record = dataclasses.replace(record, seconds=time.perf_counter() - started, worker=worker_name())
        if record.status != "unfinished" and not job.has_own_file_name:
            path = job.path(name)
            make_folder(path.parent)
            records.write(record, job._kind, path, inputs)
        return record
    except (OSError, MemoryError) as error:
        message, may_help = fault(error, job)
        if may_help:
            return unfinished(job, message)
        return job._record("failed", message=message)


def unfinished(job: Job, message: str, key: str | None = None) -> Record:
    """Return the record of a job that may be tried again."""
    return job._record("unfinished", key=key, message=message)


def do(job: Job, name: str, settings: Settings, progress: Progress | None = None) -> Record:
    """Have the child of this thread do a job; return its record. `Died` where another try may do."""
    target = job.path(name)
    guard = guard_of_this_thread(settings.threads, settings.deterministic)
    job_progress = None if progress is None else (lambda *state: progress(job, *state))
    try:
        answer: dict[str, Any] = guard.do(job, target, job_progress)
    except WorkerDied as death:
        ended = death.may_help
        answer = {"error": f"{job.source}: {death.reason}", "may_help": ended, "passes": ended}
    if "error" in answer:
        if answer["passes"]:
            raise Died(answer["error"])
        status: Status = "unfinished" if answer["may_help"] else "failed"
        return job._record(status, key=name, message=answer["error"])
    report = answer["report"]
    if report is None:
        message = f"{job.source}: no clips"
        return job._record("no clips", key=name, message=message)
    return job._record(job._kind.done, path=str(target), key=name, report=report)


def refuse_other_builds(job: Job, settings: Settings) -> None:
    """Raise `Refused` where this process is of another build than the driver."""
    if settings.code is not None:
        fault_of_worker = other_build(job._kind, settings.deterministic, settings.code)
        if fault_of_worker:
            raise Refused(fault_of_worker)


def _stamps(job: Job) -> dict[str, tuple[tuple[int, int, int], ...]]:
    """Return what changes when a file that is read, or one it names, is replaced or written to."""
    stamps = {}
    for path in job._read.values():
        if not path.startswith(SAMPLE_PREFIX):
            named = (companion for companion in key.companions(Path(path)).values() if companion is not None)
            stats = [os.stat(file) for file in dict.fromkeys((Path(path), *named))]
            stamps[path] = tuple((stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in stats)
    return stamps
