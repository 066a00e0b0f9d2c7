# SPDX-License-Identifier: MIT
"""Executors by their addresses: a pool of processes here, a cluster of dask's or Ray's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from urllib.parse import urlsplit

from lissom._base.extras import require
from lissom._jobs.dask_workers import DaskWorkers
from lissom._jobs.pending import JOBS_A_CORE, WINDOW, Executor
from lissom._jobs.processes import Processes

if TYPE_CHECKING:
    import concurrent.futures

__all__ = ["Engine", "check_address", "engine", "engine_of"]

PATIENCE = 10.0
"""Seconds in which a scheduler of dask has to answer."""

FORMS = "processes, dask://HOST:PORT or ray://HOST:PORT"


@runtime_checkable
class Engine(Executor, Protocol):
    """An executor that knows how many jobs it should have at a time, which may change."""

    @property
    def window(self) -> int: ...


def check_address(on: str) -> None:
    """Refuse what names no engine."""
    if on == "processes":
        return
    try:
        parts = urlsplit(on)
        is_known = parts.scheme in ("dask", "ray") and bool(parts.hostname) and parts.port is not None
    except ValueError:
        is_known = False
    if not is_known:
        raise ValueError(f"bake_many: executor must be {FORMS}, got {on!r}")


@contextlib.contextmanager
def engine(on: str, workers: int) -> Iterator[Engine]:
    """Open an engine.

    Parameters
    ----------
    on : str
        As `check_address` takes it.
    workers : int
        Number of processes of a pool here.

    Raises
    ------
    ImportError
        Without the extra ``dask`` or ``ray``.
    OSError
        If nothing answers at the address.
    """
    if on == "processes":
        pool = Processes(workers)
        try:
            yield pool
        finally:
            pool.stop()
    elif on.startswith("dask://"):
        with _dask(on) as client:
            yield DaskWorkers(client.get_executor())
    else:
        with _ray(on) as opened:
            yield opened


def engine_of(executor: Executor) -> Executor:
    """Return an executor of the caller, dask's as one that knows its workers."""
    kind = type(executor)
    if kind.__module__.partition(".")[0] == "distributed":
        if kind.__name__ == "Client":
            return DaskWorkers(executor.get_executor())  # type: ignore[attr-defined]
        if kind.__name__ == "ClientExecutor":
            return DaskWorkers(executor)
    return executor


@contextlib.contextmanager
def _dask(on: str) -> Iterator[Any]:
    distributed = require("distributed", "dask", on)
    try:
        client = distributed.Client(f"tcp://{on.removeprefix('dask://')}", timeout=PATIENCE)
    except (OSError, TimeoutError):
        raise ConnectionError(
            f"{on}: no dask scheduler answers within {PATIENCE:g} s: start one there by `dask scheduler`, or "
            "correct the address"
        ) from None
    with client:
        yield client


@contextlib.contextmanager
def _ray(on: str) -> Iterator[Engine]:
    ray = require("ray", "ray", on)
    try:
        connection = ray.init(on, log_to_driver=False)
    except (ConnectionError, TimeoutError) as error:
        said = str(error).strip().splitlines() or ["nothing"]  # a traceback ends in what matters
        raise ConnectionError(
            f"{on}: no Ray cluster answers: start one there by `ray start --head`, or correct the address; "
            f"Ray says: {said[-1].strip()}"
        ) from None
    with connection:
        cores = int(ray.cluster_resources().get("CPU", 1))
        yield _Ray(ray, max(WINDOW, JOBS_A_CORE * cores))


class _Ray:
    """Ray as an executor, which it does not have itself."""

    def __init__(self, ray: Any, window: int) -> None:
        self.window = window
        self._call = ray.remote(_called)

    def submit(self, fn: Callable[..., Any], /, *args: object) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = self._call.remote(fn, *args).future()
        # Ray answers cancelled ones as well, which is an error in its thread.
        future.cancel = lambda: False  # type: ignore[method-assign]
        return future


def _called(fn: Callable[..., Any], *args: object) -> Any:
    return fn(*args)
