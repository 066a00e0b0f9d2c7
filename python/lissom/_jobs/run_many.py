# SPDX-License-Identifier: MIT
"""Do many jobs by many workers, in runs that can be interrupted, repeated and split."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from lissom._base.config import is_deterministic
from lissom._formats.atomic import sweep_folder
from lissom._jobs import manifest
from lissom._jobs.builds import other_build
from lissom._jobs.guard import Guard, guard_of_this_thread
from lissom._jobs.job import Job
from lissom._jobs.key import code
from lissom._jobs.kind import Kind
from lissom._jobs.pending import Asked, Call, Executor, at_executor
from lissom._jobs.sources import SAMPLE_PREFIX
from lissom._jobs.task import Progress, Settings, run_job, unfinished
from lissom._store.open_store import is_url

__all__ = ["GuardedThreads", "core_count", "run_by", "run_many"]

Keys = dict[tuple[Path, Kind], dict[str, str]]
"""By output folder and kind, the keys of jobs by their names."""


def run_many(
    jobs: Iterable[Job],
    *,
    workers: int | None = None,
    threads: int | None = None,
    resume: bool = True,
    window: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Any]:
    """Do jobs of one kind by threads with a child process each, and yield their records.

    As `bake_many` without an executor, whose records are `BakeRecord` objects.
    """
    count = workers or core_count()
    if threads is None and count > 1:
        threads = 1
    settings = Settings(resume, threads, is_deterministic(), None)
    return _run_here(iter(jobs), count, settings, window or 2 * count, progress)


def run_by(
    executor: Executor,
    jobs: Iterable[Job],
    kind: Kind,
    *,
    resume: bool,
    threads: int | None,
    window: Callable[[], int],
) -> Iterator[Any]:
    """Do jobs of one kind by an executor, and yield their records.

    Its workers share this machine's disk, and may be in other folders of it.
    """
    fixed = is_deterministic()
    settings = Settings(resume, threads or 1, fixed, code(kind, fixed))
    if isinstance(executor, Asked):
        executor.require(other_build, kind, fixed, settings.code)
    yield from _run(iter(jobs), executor, settings, window)


def core_count() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run_here(
    jobs: Iterator[Job], workers: int, settings: Settings, window: int, progress: Progress | None
) -> Iterator[Any]:
    pool = GuardedThreads(workers, settings, progress)
    try:
        yield from _run(jobs, pool, settings, lambda: window)
    finally:
        pool.stop()


class GuardedThreads:
    """Threads that have a child process each, which `stop` ends."""

    def __init__(self, workers: int, settings: Settings, progress: Progress | None) -> None:
        self._guards: list[Guard] = []
        self._progress = progress
        self._pool = concurrent.futures.ThreadPoolExecutor(workers, "bake", self._begin, (settings,))

    def submit(self, fn: Callable[..., Any], /, *args: object) -> concurrent.futures.Future[Any]:
        return self._pool.submit(fn, *args, self._progress)

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        for guard in self._guards:
            guard.close()
        self._pool.shutdown()

    def _begin(self, settings: Settings) -> None:
        self._guards.append(guard_of_this_thread(settings.threads, settings.deterministic))


def _run(
    jobs: Iterator[Job], executor: Executor, settings: Settings, window: Callable[[], int]
) -> Iterator[Any]:
    """Keep so many jobs at the executor, and yield their records."""
    keys: Keys = {}
    folders: set[Path] = set()  # where files are written

    def calls() -> Iterator[tuple[Job, Call]]:
        for job in jobs:
            _prepare(job, folders)
            yield job, (run_job, job if settings.code is None else _absolute(job), settings)

    for job, record in at_executor(calls(), executor, window, 1, unfinished):
        if settings.code is not None:
            record = dataclasses.replace(record, source=job.source, output=job.output)
        if record.key is not None and record.status != "unfinished" and not job.has_own_file_name:
            keys.setdefault((Path(job.output), job._kind), {})[job.title] = record.key
        yield record
    for folder in folders:  # files of processes that were killed during this run
        sweep_folder(folder)
    faults: list[OSError] = []
    for (folder, kind), names in keys.items():
        try:
            manifest.write(folder, kind, names)
        except OSError as error:  # the other folders get theirs
            faults.append(error)
    if faults:
        raise faults[0]


def _absolute(job: Job) -> Job:
    """Return a job whose paths mean the same in all folders."""
    places = {"output": os.path.abspath(job.output)}
    for field, path in job._read.items():
        if not (path.startswith(SAMPLE_PREFIX) or is_url(path)):
            places[field] = os.path.abspath(path)
    return dataclasses.replace(job, name=job.title, **places)


def _prepare(job: Job, folders: set[Path]) -> None:
    """Remove temporary files of killed runs from the folder of a job."""
    folder = job.path("").parent
    if folder not in folders:
        folders.add(folder)
        sweep_folder(folder)
