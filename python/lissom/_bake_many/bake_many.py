# SPDX-License-Identifier: MIT
"""Bake many files by many workers, in runs that can be interrupted, repeated and split."""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from lissom._bake_many import manifest
from lissom._bake_many.guard import Guard, guard_of_this_thread
from lissom._bake_many.job import BakeJob
from lissom._bake_many.records import BakeRecord
from lissom._bake_many.task import Settings, run_job, unfinished
from lissom._base.config import is_deterministic
from lissom._base.numbers import whole_number
from lissom._base.set_module import set_module
from lissom._formats.atomic import sweep_folder

__all__ = ["Executor", "bake_many", "core_count"]

WINDOW = 64
"""Jobs that an executor of the caller has at a time."""

Progress = Callable[[BakeJob, int, int, str], None]


class Executor(Protocol):
    """An executor as `bake_many` needs it: ``submit`` returns a `concurrent.futures.Future`."""

    def submit(
        self, fn: Callable[..., BakeRecord], /, *args: object
    ) -> concurrent.futures.Future[BakeRecord]:
        """Schedule ``fn(*args)``."""


@set_module("lissom")
def bake_many(
    jobs: Iterable[BakeJob],
    executor: Executor | None = None,
    *,
    workers: int | None = None,
    threads: int | None = None,
    resume: bool = True,
    window: int | None = None,
    progress: Progress | None = None,
) -> Iterator[BakeRecord]:
    """Bake files by several workers, and yield a record of each when it is done.

    The iteration does the work: ``for record in bake_many(jobs)``, or ``list(bake_many(jobs))``.

    Each job writes ``NAME-KEY.safetensors`` and, last, ``NAME-KEY.json``, its record; see `BakeJob`. A job
    with a record is not baked again. At the end, ``bakes.json`` in each output folder lists its bakes.
    Outputs have the same bytes for any executor, any number of workers, and any split of the jobs into runs.

    Each worker has a child process of its own that bakes. Native code that crashes costs one job, which is
    recorded as ``crash: SIGSEGV``. Children end with their parent process, also when it is killed.

    Parameters
    ----------
    jobs : iterable of BakeJob
        Consumed as needed, so that there may be very many.
    executor : object with ``submit``, optional
        Any object whose ``submit`` returns a `concurrent.futures.Future`, such as a
        `~concurrent.futures.ProcessPoolExecutor` or dask's ``Client.get_executor()``. Jobs and records are
        pickled. It is not shut down. Threads of this process when omitted.
    workers : int, optional
        Number of threads, each with a child process, without `executor`; the number of cores that this
        process may use when omitted.
    threads : int, optional
        Threads that the kernels of each child use; one when omitted, or all cores for a single worker.
    resume : bool
        Reuse bakes of earlier runs, after comparing their SHA-256. False bakes all again.
    window : int, optional
        Number of jobs that the executor has at a time; 64 when omitted, or twice the number of workers
        without `executor`.
    progress : callable, optional
        Called as ``progress(job, clips_done, clip_count, clip_name)`` by the worker's thread, without
        `executor`.

    Yields
    ------
    BakeRecord
        In the order in which jobs are done.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If a number is below 1, or `workers` or `progress` is passed with an executor.
    OSError
        After the last record, if ``bakes.json`` cannot be written; the old one, and all bakes and records of
        this run, are still there.

    Notes
    -----
    Errors of jobs are in their records. An executor that breaks, as a process pool does when one of its
    processes is killed, leaves its jobs as ``"unfinished"``. Leaving the loop early, or Ctrl-C, ends the
    children and leaves no partial files; an executor of the caller finishes the jobs it has begun.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     jobs = [lissom.BakeJob("sample:twisted_bar", folder, clips=("bend",), rate=30)]
    ...     for record in lissom.bake_many(jobs, workers=1):
    ...         print(record.name, record.status, record.report["frames"])
    twisted_bar baked 121
    """
    for name, value in (("workers", workers), ("threads", threads), ("window", window)):
        if value is not None:
            whole_number(value, f"bake_many: {name}", least=1)
    if executor is not None:
        if workers is not None or progress is not None:
            what = "workers" if workers is not None else "progress"
            raise ValueError(f"bake_many: {what} must be None with an executor; pass it to the executor")
        if not callable(getattr(executor, "submit", None)):
            raise TypeError(
                f"bake_many: executor must be an object with submit, got {type(executor).__name__}"
            )
        settings = Settings(resume, threads or 1, is_deterministic())
        return _run(iter(jobs), executor, settings, window or WINDOW)
    count = workers or core_count()
    if threads is None and count > 1:
        threads = 1
    settings = Settings(resume, threads, is_deterministic())
    return _run_here(iter(jobs), count, settings, window or 2 * count, progress)


def core_count() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run_here(
    jobs: Iterator[BakeJob], workers: int, settings: Settings, window: int, progress: Progress | None
) -> Iterator[BakeRecord]:
    pool = _GuardedThreads(workers, settings, progress)
    try:
        yield from _run(jobs, pool, settings, window)
    finally:
        pool.stop()


class _GuardedThreads:
    """Threads that have a child process each, which `stop` ends."""

    def __init__(self, workers: int, settings: Settings, progress: Progress | None) -> None:
        self._guards: list[Guard] = []
        self._progress = progress
        self._pool = concurrent.futures.ThreadPoolExecutor(workers, "bake", self._begin, (settings,))

    def submit(
        self, fn: Callable[..., BakeRecord], /, *args: object
    ) -> concurrent.futures.Future[BakeRecord]:
        return self._pool.submit(fn, *args, self._progress)

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        for guard in self._guards:
            guard.close()
        self._pool.shutdown()

    def _begin(self, settings: Settings) -> None:
        self._guards.append(guard_of_this_thread(settings.threads, settings.deterministic))


def _run(
    jobs: Iterator[BakeJob], executor: Executor, settings: Settings, window: int
) -> Iterator[BakeRecord]:
    """Keep `window` jobs at the executor, and yield their records."""
    pending: dict[concurrent.futures.Future[BakeRecord], BakeJob] = {}
    keys: dict[Path, dict[str, str]] = {}  # output folder: name: key
    folders: set[Path] = set()  # where files are written
    try:
        for job in jobs:
            _prepare(job, folders)
            try:
                pending[executor.submit(run_job, job, settings)] = job
            except Exception as error:  # it is broken, or shut down: later jobs fail, too
                yield unfinished(job, f"{job.source}: the executor refused it: {_words(error)}")
            if len(pending) >= window:
                yield from _collect(pending, keys)
        while pending:
            yield from _collect(pending, keys)
        for folder in folders:  # files of processes that were killed during this run
            sweep_folder(folder)
        faults: list[OSError] = []
        for folder, names in keys.items():
            try:
                manifest.write(folder, names)
            except OSError as error:  # the other folders get theirs
                faults.append(error)
        if faults:
            raise faults[0]
    finally:
        for future in pending:
            future.cancel()


def _prepare(job: BakeJob, folders: set[Path]) -> None:
    """Remove temporary files of killed runs from the folder of a job."""
    if not isinstance(job, BakeJob):
        raise TypeError(f"bake_many: jobs must be BakeJob objects, got {type(job).__name__}")
    folder = job.path("").parent
    if folder not in folders:
        folders.add(folder)
        sweep_folder(folder)


def _collect(
    pending: dict[concurrent.futures.Future[BakeRecord], BakeJob], keys: dict[Path, dict[str, str]]
) -> Iterator[BakeRecord]:
    """Wait until a job is done, and yield the records of all that are."""
    done, _ = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
    for future in done:
        job = pending.pop(future)
        try:
            record = future.result()
        except (Exception, concurrent.futures.CancelledError) as error:  # of the executor: jobs raise none
            record = unfinished(job, f"{job.source}: the executor lost it: {_words(error)}")
        if record.key is not None and record.status != "unfinished" and not job.has_own_file_name:
            keys.setdefault(Path(job.output), {})[job.title] = record.key
        yield record


def _words(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
