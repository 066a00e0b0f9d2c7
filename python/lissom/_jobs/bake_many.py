# SPDX-License-Identifier: MIT
"""Bake many files by many workers, in runs that can be interrupted, repeated and split."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from lissom._base.numbers import whole_number
from lissom._base.set_module import set_module
from lissom._jobs.bake_job import BAKES, BakeJob
from lissom._jobs.engines import Engine, check_address, engine, engine_of
from lissom._jobs.pending import WINDOW, Executor
from lissom._jobs.records import BakeRecord
from lissom._jobs.run_many import GuardedThreads, core_count, run_by, run_many
from lissom._jobs.run_stored import run_to, settings_of
from lissom._store import open_store

__all__ = ["bake_many"]

Progress = Callable[[BakeJob, int, int, str], None]


@set_module("lissom")
def bake_many(
    jobs: Iterable[BakeJob],
    executor: Executor | str | None = None,
    *,
    store: str | os.PathLike[str] | None = None,
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

    With a `store`, workers need not share a disk: they fetch sources from it, and put bakes and records there
    as ``bakes/KEY.safetensors`` and ``records/KEY.json``. A job whose record exists is done, whoever did it.
    Outputs and names of jobs are no places then, but names in the store: ``names/OUTPUT/NAME.json`` says
    which bake the job made. No two jobs of a run may have the same.

    Each worker has a child process of its own that bakes. Native code that crashes costs one job, which is
    recorded as ``crash: SIGSEGV``. Children end with their parent process, also when it is killed.

    Parameters
    ----------
    jobs : iterable of BakeJob
        Consumed as needed, so that there may be very many.
    executor : object with ``submit``, or str, optional
        ``"processes"``; ``"dask://HOST:PORT"`` of a dask scheduler; ``"ray://HOST:PORT"`` of a Ray cluster.
        Or dask's ``Client``, or any object whose ``submit`` returns a `concurrent.futures.Future`, such as a
        `~concurrent.futures.ProcessPoolExecutor`. Jobs and records are pickled. It is not shut down. Threads
        of this process when omitted.
    store : str or path, optional
        A folder, ``s3://BUCKET/PREFIX``, ``gs://BUCKET/PREFIX``, ``az://CONTAINER/PREFIX``, or
        ``memory://NAME`` for threads of this process. Sources may be addresses of that kind, too.
    workers : int, optional
        Number of threads, each with a child process, without `executor`, or of ``"processes"``; the number of
        cores that this process may use when omitted.
    threads : int, optional
        Threads that the kernels of each child use; one when omitted, or all cores for a single worker.
    resume : bool
        Reuse bakes of earlier runs, after comparing their SHA-256, or in a store their size. False bakes all
        again.
    window : int, optional
        Number of jobs that the executor has at a time. When omitted, twice the number of workers without
        `executor`, 64 or four for each core of a cluster, which may grow, and 64 for another object.
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
        If a number is below 1, `workers` or `progress` is passed with an executor, or an address is none; at
        the first record if the store cannot create a key only where there is none, or a worker has another
        build of lissom: see the notes.
    ImportError
        Without the extra ``cloud`` for a store that is no folder, ``dask`` or ``ray`` for their addresses.
    OSError
        At the first record, if a store or a cluster cannot be reached.
        After the last record, if ``bakes.json`` cannot be written; the old one, and all bakes and records of
        this run, are still there.

    Notes
    -----
    Errors of jobs are in their records. An executor that breaks, as a process pool of the caller does when
    one of its processes is killed, leaves its jobs as ``"unfinished"``; with a store, what died is tried up
    to three times, and what is wrong never again. A worker with another build of lissom does no jobs: of
    dask, it is refused before the first, and those that join later do nothing; of another executor, the
    run ends, and what is done stays. Without a store, workers must see files under absolute paths. Leaving
    the loop early, or Ctrl-C, ends the children and leaves no partial files; an executor of the caller
    finishes the jobs it has begun.

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
        is_pool = executor == "processes"
        if (workers is not None and not is_pool) or progress is not None:
            what = "progress" if progress is not None else "workers"
            raise ValueError(f"bake_many: {what} must be None with an executor; pass it to the executor")
        if isinstance(executor, str):
            check_address(executor)
        elif not callable(getattr(executor, "submit", None)):
            raise TypeError(
                "bake_many: executor must be an object with submit, or an address, got "
                f"{type(executor).__name__}"
            )
    count = workers or core_count()
    if threads is None and (executor is not None or count > 1):
        threads = 1
    if store is not None:
        place = open_store(store)
        settings = settings_of(place, BAKES, resume, threads)

        def run(executor: Executor, window: Window) -> Iterator[BakeRecord]:
            return run_to(place, executor, _checked(jobs), BAKES, settings, window)

        if executor is None:
            return _by_threads(run, GuardedThreads(count, settings, progress), window or 2 * count)
    else:
        if executor is None:
            return run_many(
                _checked(jobs),
                workers=workers,
                threads=threads,
                resume=resume,
                window=window,
                progress=progress,
            )

        def run(executor: Executor, window: Window) -> Iterator[BakeRecord]:
            return run_by(executor, _checked(jobs), BAKES, resume=resume, threads=threads, window=window)

    if isinstance(executor, str):
        return _by_engine(run, executor, count, window)
    known = engine_of(executor)
    return run(known, _window(known, window))


Window = Callable[[], int]
Run = Callable[[Executor, Window], Iterator[BakeRecord]]


def _by_threads(run: Run, pool: GuardedThreads, window: int) -> Iterator[BakeRecord]:
    try:
        yield from run(pool, lambda: window)
    finally:
        pool.stop()


def _by_engine(run: Run, on: str, workers: int, window: int | None) -> Iterator[BakeRecord]:
    with engine(on, workers) as opened:
        yield from run(opened, _window(opened, window))


def _window(executor: Executor, given: int | None) -> Window:
    if given is None and isinstance(executor, Engine):
        return lambda: executor.window
    return lambda: given or WINDOW


def _checked(jobs: Iterable[BakeJob]) -> Iterator[BakeJob]:
    for job in jobs:
        if not isinstance(job, BakeJob):
            raise TypeError(f"bake_many: jobs must be BakeJob objects, got {type(job).__name__}")
        yield job
