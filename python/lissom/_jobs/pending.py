# SPDX-License-Identifier: MIT
"""Jobs at an executor: a bounded number at a time, and what died once more."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from lissom._jobs.builds import Refused

if TYPE_CHECKING:
    from lissom._jobs.job import Job
    from lissom._jobs.records import Record

__all__ = ["JOBS_A_CORE", "WINDOW", "Asked", "Call", "Died", "Ended", "Executor", "at_executor", "words"]

WINDOW = 64
"""Jobs that an executor of the caller has at a time."""

JOBS_A_CORE = 4
"""Jobs at an engine for each of its cores: as one ends the next is there."""

LOST = (concurrent.futures.BrokenExecutor, concurrent.futures.CancelledError, ConnectionError, TimeoutError)
"""Errors of an executor that lost a worker, which another may replace. Any other comes again."""

LOST_NAMES = {
    "CommClosedError",
    "WorkerCrashedError",
    "NodeDiedError",
    "LocalRayletDiedError",
    "ObjectLostError",
}
"""The same of dask and Ray. Not dask's KilledWorker, which it raises after several tries of its own."""

MOST_REFUSALS = 10
"""Most workers that may refuse a job: where so many do, it is no matter of one that came late."""

Call = tuple[Any, ...]
"""A function that returns a record, and its arguments. It raises `Died` where another try may help, and
`Refused` where another worker may."""


class Died(Exception):
    """Raised by a worker where another try may do: a process was killed, a store did not answer."""


class Ended(Exception):
    """Raised by ``submit`` of an executor that has ended, with a sentence that holds for all jobs left."""


class Executor(Protocol):
    """An executor as `bake_many` needs it: ``submit`` returns a `concurrent.futures.Future`."""

    def submit(self, fn: Callable[..., Any], /, *args: object) -> concurrent.futures.Future[Any]:
        """Schedule ``fn(*args)``."""


@runtime_checkable
class Asked(Protocol):
    """An executor that can ask each of its workers whether it may work, those that join later, too."""

    def require(self, fn: Callable[..., str], /, *args: object) -> None:
        """Call ``fn(*args)`` on all workers; ValueError with what one answers that is not empty."""

    def ask_again(self) -> None:
        """Ask them the same again; ValueError where none may work any more."""


def at_executor(
    calls: Iterable[tuple[Job, Call | Record]],
    executor: Executor,
    window: Callable[[], int],
    tries: int,
    lost: Callable[[Job, str], Any],
) -> Iterator[tuple[Job, Any]]:
    """Yield jobs and their records as they are done.

    Parameters
    ----------
    calls : iterable of (Job, tuple or Record)
        Taken as needed; a job that needs no worker comes with its record.
    window : callable
        Returns the most jobs at the executor, which may change.
    tries : int
        Most times that a job is sent: again where it died, never where it is wrong.
    lost : callable
        Makes the record of a job that the executor lost for good, and why.

    Raises
    ------
    ValueError
        If a worker refuses a job, and the executor cannot tell whether another would take it.
    """
    pending: dict[concurrent.futures.Future[Any], tuple[Job, Call, int, int]] = {}

    def send(job: Job, call: Call, left: int, refused: int = 0) -> str:
        """Send a job; return why it could not be."""
        try:
            pending[executor.submit(*call)] = job, call, left - 1, refused
        except Ended as end:
            return str(end)
        except Exception as error:  # it is broken, or shut down: later jobs fail, too
            return f"{job.source}: the executor refused it: {words(error)}"
        return ""

    def collected() -> Iterator[tuple[Job, Any]]:
        done, _ = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
        for future in [future for future in pending if future in done]:  # in the order of the jobs
            job, call, left, refused = pending.pop(future)
            fault, is_final = "", False
            try:
                record = future.result()
            except (Exception, concurrent.futures.CancelledError) as error:
                cause = raised(error)
                if isinstance(cause, Refused):  # the job is not to blame
                    if not isinstance(executor, Asked) or refused == MOST_REFUSALS:
                        raise ValueError(f"bake_many: {cause}") from None
                    executor.ask_again()
                    fault, left, refused = str(cause), left + 1, refused + 1
                elif isinstance(cause, Died):
                    fault = str(cause)
                else:  # of the executor
                    fault = f"{job.source}: the executor lost it: {words(cause)}"
                    is_final = not (isinstance(cause, LOST) or type(cause).__name__ in LOST_NAMES)
            if fault and left and not is_final:
                fault = send(job, call, left, refused)
                if not fault:
                    continue
            elif fault and tries > 1 and not is_final:
                fault = f"{fault} ({tries} times)"
            if fault:
                record = lost(job, fault)
            yield job, record

    try:
        for job, call in calls:
            if not isinstance(call, tuple):
                yield job, call
                continue
            fault = send(job, call, tries)
            if fault:
                yield job, lost(job, fault)
            if len(pending) >= window():
                yield from collected()
        while pending:
            yield from collected()
    finally:
        for future in pending:
            future.cancel()


def raised(error: BaseException) -> BaseException:
    """Return the error that a worker raised, which that of Ray holds, whose words are a traceback."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, BaseException) else error


def words(error: BaseException) -> str:
    """Return the kind and the message of an error, in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
