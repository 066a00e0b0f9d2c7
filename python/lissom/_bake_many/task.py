# SPDX-License-Identifier: MIT
"""The task of a worker of any executor: find an earlier result of a job, or bake and record it."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom._bake_many import key, records
from lissom._bake_many.guard import WorkerDied, guard_of_this_thread
from lissom._bake_many.records import BakeRecord
from lissom._bake_many.sources import SAMPLE_PREFIX
from lissom._bake_many.work import fault
from lissom._formats.faults import make_folder

if TYPE_CHECKING:
    from lissom._bake_many.job import BakeJob

__all__ = ["Settings", "run_job", "unfinished"]


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of all jobs of a run, sent to the workers with each job."""

    resume: bool
    threads: int | None
    deterministic: bool


def run_job(
    job: BakeJob, settings: Settings, progress: Callable[[BakeJob, int, int, str], None] | None = None
) -> BakeRecord:
    """Do a job, write its record where it is done, and return the record, which holds any error."""
    started = time.perf_counter()
    try:
        before = _stamps(job)
        inputs = key.key_inputs(job, settings.deterministic)
        name = key.digest(inputs)
        if settings.resume and not job.has_own_file_name:
            earlier = records.reusable(job, name)
            if earlier is not None:
                return earlier
        record = _bake(job, name, settings, progress)
        if record.status != "unfinished" and _stamps(job) != before:
            return unfinished(job, f"{job.source}: it changed while it was baked", name)
        record = dataclasses.replace(record, seconds=time.perf_counter() - started)
        if record.status != "unfinished" and not job.has_own_file_name:
            path = job.path(name)
            make_folder(path.parent)
            records.write(record, path, inputs)
        return record
    except (OSError, MemoryError) as error:
        message, may_help = fault(error, job.source)
        if may_help:
            return unfinished(job, message)
        return BakeRecord(job.source, job.output, job.title, "failed", message=message)


def unfinished(job: BakeJob, message: str, key: str | None = None) -> BakeRecord:
    """Return the record of a job that may be tried again."""
    return BakeRecord(job.source, job.output, job.title, "unfinished", key=key, message=message)


def _bake(
    job: BakeJob,
    name: str,
    settings: Settings,
    progress: Callable[[BakeJob, int, int, str], None] | None,
) -> BakeRecord:
    target = job.path(name)
    guard = guard_of_this_thread(settings.threads, settings.deterministic)
    job_progress = None if progress is None else (lambda *state: progress(job, *state))
    try:
        answer: dict[str, Any] = guard.bake(job, target, job_progress)
    except WorkerDied as death:
        answer = {"error": f"{job.source}: {death.reason}", "may_help": death.may_help}
    if "error" in answer:
        status: records.Status = "unfinished" if answer["may_help"] else "failed"
        return BakeRecord(job.source, job.output, job.title, status, key=name, message=answer["error"])
    report = answer["report"]
    if report is None:
        message = f"{job.source}: no clips"
        return BakeRecord(job.source, job.output, job.title, "no clips", key=name, message=message)
    return BakeRecord(job.source, job.output, job.title, "baked", path=str(target), key=name, report=report)


def _stamps(job: BakeJob) -> list[tuple[int, int, int]]:
    """Return what changes when the source, or a file it names, is replaced or written to."""
    if job.source.startswith(SAMPLE_PREFIX):
        return []
    source = Path(job.source)
    companions = dict.fromkeys(path for path in key.companions(source).values() if path is not None)
    paths = [source, *companions]
    stats = [os.stat(path) for path in paths]
    return [(stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in stats]
