# SPDX-License-Identifier: MIT
"""Bake many files by many workers, in runs that can be interrupted, repeated and split."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lissom._base.numbers import whole_number
from lissom._base.set_module import set_module
from lissom._jobs.bake_job import BakeJob
from lissom._jobs.records import BakeRecord
from lissom._jobs.run_many import Executor, run_by, run_many

__all__ = ["bake_many"]

Progress = Callable[[BakeJob, int, int, str], None]


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
        return run_by(executor, _checked(jobs), resume=resume, threads=threads, window=window)
    return run_many(
        _checked(jobs), workers=workers, threads=threads, resume=resume, window=window, progress=progress
    )


def _checked(jobs: Iterable[BakeJob]) -> Iterator[BakeJob]:
    for job in jobs:
        if not isinstance(job, BakeJob):
            raise TypeError(f"bake_many: jobs must be BakeJob objects, got {type(job).__name__}")
        yield job
