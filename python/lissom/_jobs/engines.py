# SPDX-License-Identifier: MIT
"""Executors by their addresses: a pool of processes here, a cluster of dask's or Ray's."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from lissom._base.extras import require
from lissom._jobs.pending import WINDOW, Executor, words

__all__ = ["check_address", "engine"]

FORMS = "processes, dask://HOST:PORT or ray://HOST:PORT"

JOBS_A_CORE = 4
"""Jobs at an engine for each of its cores: as one ends the next is there."""


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
def engine(on: str, workers: int) -> Iterator[tuple[Executor, int]]:
    """Open an engine; give its executor and how many jobs it should have at a time.

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
        pool = _Processes(workers)
        try:
            yield pool, max(2, JOBS_A_CORE) * workers
        finally:
            pool.stop()
    elif on.startswith("dask://"):
        with _dask(on) as opened:
            yield opened
    else:
        with _ray(on) as opened:
            yield opened


class _Processes:
    """A pool of processes that is made anew when one of them was killed: then a pool takes no more jobs."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool = self._new()

    def submit(self, fn: Callable[..., Any], /, *args: object) -> concurrent.futures.Future[Any]:
        try:
            return self._pool.submit(fn, *args)
        except concurrent.futures.BrokenExecutor:
            self._pool.shutdown(wait=False)
            self._pool = self._new()
            return self._pool.submit(fn, *args)

    def stop(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _new(self) -> concurrent.futures.ProcessPoolExecutor:
        # Never forked: threads of the store's library would be missing in the child.
        context = multiprocessing.get_context("spawn")
        return concurrent.futures.ProcessPoolExecutor(self._workers, context)


@contextlib.contextmanager
def _dask(on: str) -> Iterator[tuple[Executor, int]]:
    distributed = require("distributed", "dask", on)
    try:
        client = distributed.Client(f"tcp://{on.removeprefix('dask://')}", timeout=10)
    except (OSError, TimeoutError) as error:
        raise OSError(0, f"no dask scheduler answers within 10 s: {error}", on) from None
    with client:
        cores = sum(client.nthreads().values())
        yield _Dask(client), max(WINDOW, JOBS_A_CORE * cores)


class _Dask:
    """Dask as an executor, whose workers can be asked."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., Any], /, *args: object) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = self._executor.submit(fn, *args)
        return future

    def ask(self, fn: Callable[..., str], /, *args: object) -> dict[str, str]:
        answers = self._client.run(fn, *args, on_error="return")
        return {
            worker: answer if isinstance(answer, str) else words(answer)
            for worker, answer in answers.items()
            if not isinstance(answer, OSError)  # it is gone
        }


@contextlib.contextmanager
def _ray(on: str) -> Iterator[tuple[Executor, int]]:
    ray = require("ray", "ray", on)
    try:
        connection = ray.init(on, log_to_driver=False)
    except (ConnectionError, TimeoutError) as error:
        raise OSError(0, f"no Ray cluster answers: {error}", on) from None
    with connection:
        cores = int(ray.cluster_resources().get("CPU", 1))
        yield _Ray(ray), max(WINDOW, JOBS_A_CORE * cores)


class _Ray:
    """Ray as an executor, which it does not have itself."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._call = ray.remote(_called)

    def submit(self, fn: Callable[..., Any], /, *args: object) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = self._call.remote(fn, *args).future()
        return future


def _called(fn: Callable[..., Any], *args: object) -> Any:
    return fn(*args)
