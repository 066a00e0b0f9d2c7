# SPDX-License-Identifier: MIT
"""Processes of this machine, each of which may die alone."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import threading
from collections.abc import Callable
from typing import Any

from lissom._jobs.pending import JOBS_A_CORE

__all__ = ["Processes"]


class Processes:
    """An executor of so many processes. One that is killed takes the job that it does along, and no other.

    A pool of processes loses all of its jobs with one process, and then takes no more: so each process is a
    pool of its own, with a thread that waits for it and replaces it.
    """

    def __init__(self, workers: int) -> None:
        self.window = JOBS_A_CORE * workers
        self._threads = concurrent.futures.ThreadPoolExecutor(workers, "process")
        self._own = threading.local()
        self._pools: list[concurrent.futures.ProcessPoolExecutor] = []

    def submit(self, fn: Callable[..., Any], /, *args: object) -> concurrent.futures.Future[Any]:
        return self._threads.submit(self._call, fn, *args)

    def stop(self) -> None:
        """End the processes, each after the job that it does."""
        self._threads.shutdown(cancel_futures=True)
        for pool in self._pools:
            pool.shutdown()

    def _call(self, fn: Callable[..., Any], *args: object) -> Any:
        pool: concurrent.futures.ProcessPoolExecutor | None = getattr(self._own, "pool", None)
        if pool is None:
            # Never forked: threads of the store's library would be missing in the child.
            context = multiprocessing.get_context("spawn")
            pool = self._own.pool = concurrent.futures.ProcessPoolExecutor(1, context)
            self._pools.append(pool)
        try:
            return pool.submit(fn, *args).result()
        except concurrent.futures.BrokenExecutor:
            self._own.pool = None
            self._pools.remove(pool)
            pool.shutdown()
            raise
