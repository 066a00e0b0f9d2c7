# SPDX-License-Identifier: MIT
"""The workers of a dask cluster: how many there are, and which may work, as they come and go."""

from __future__ import annotations

import concurrent.futures
import logging
import time
from collections.abc import Callable
from typing import Any

from lissom._jobs.pending import JOBS_A_CORE, WINDOW, Ended, words

__all__ = ["DaskWorkers"]

logger = logging.getLogger("lissom.jobs")

LOOK_SECONDS = 2.0
"""How often it is looked which workers there are."""


class DaskWorkers:
    """An executor of dask's, a ``ClientExecutor``, whose workers can be counted and asked."""

    def __init__(self, executor: Any) -> None:
        self.window = WINDOW
        self._executor = executor
        self._client = executor._client
        self._place = self._client.scheduler.address
        self._question: tuple[Any, ...] | None = None
        self._faults: dict[str, str] = {}  # what workers answered
        self._looked = 0.0
        self._look()
        if not self._client.nthreads():
            logger.warning(
                "bake_many: %s has no worker yet; jobs wait for one: dask worker %s", self._place, self._place
            )

    def submit(self, fn: Callable[..., Any], /, *args: object) -> concurrent.futures.Future[Any]:
        try:
            return self._submit(fn, *args)
        except Exception:
            if self._client.status not in ("closing", "closed"):
                raise
            # A client that gave up says so in as many ways as it has parts.
            raise Ended(
                f"{self._place}: the scheduler has ended, or cannot be reached any more; start it and run "
                "the same again, what is done stays done"
            ) from None

    def _submit(self, fn: Callable[..., Any], *args: object) -> concurrent.futures.Future[Any]:
        if time.monotonic() - self._looked > LOOK_SECONDS:
            self._look()
        # Not pure: the second try of a job would have the result of the first.
        options: dict[str, Any] = {"pure": False}
        if any(self._faults.values()):
            # Others are allowed, as these may end meanwhile: then a job would wait for ever.
            right = [worker for worker, fault in self._faults.items() if not fault]
            options |= {"workers": right, "allow_other_workers": True}
        future: concurrent.futures.Future[Any] = self._executor.submit(fn, *args, **options)
        return future

    def require(self, fn: Callable[..., str], /, *args: object) -> None:
        """See `Asked.require`."""
        self._question = (fn, *args)
        self._look()
        for worker, fault in self._faults.items():
            if fault:
                raise ValueError(f"bake_many: {worker}: {fault}")

    def ask_again(self) -> None:
        """See `Asked.ask_again`."""
        self._look()
        if not any(self._faults.values()):  # one that was right has another build since
            self._faults.clear()
            self._look()
        if self._faults and all(self._faults.values()):
            worker, fault = next(iter(self._faults.items()))
            raise ValueError(f"bake_many: {worker}: {fault}")

    def _look(self) -> None:
        """Count the cores, and ask workers that are new."""
        threads: dict[str, int] = self._client.nthreads()
        self._looked = time.monotonic()
        self.window = max(WINDOW, JOBS_A_CORE * sum(threads.values()))
        self._faults = {worker: fault for worker, fault in self._faults.items() if worker in threads}
        new = [worker for worker in threads if worker not in self._faults]
        if not new or self._question is None:
            return
        for worker, answer in self._client.run(*self._question, workers=new, on_error="return").items():
            if isinstance(answer, OSError):  # it is gone
                continue
            fault = answer if isinstance(answer, str) else words(answer)
            self._faults[worker] = fault
            if fault:
                logger.warning("bake_many: %s gets no jobs done: %s", worker, fault)
