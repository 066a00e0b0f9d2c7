# SPDX-License-Identifier: MIT
"""The scheduling of threads, kept as it was by encoders that take real-time priority."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

__all__ = ["kept_scheduling"]

THREADS = "/proc/self/task"
"""A folder with an entry per thread, by its number."""


@contextlib.contextmanager
def kept_scheduling() -> Iterator[None]:
    """Leave the calling thread, and threads that begin meanwhile, with the caller's scheduling policy.

    SVT-AV1 puts its threads and the thread that opens it under ``SCHED_FIFO`` where the system lets it, as it
    lets root in a container, and never takes that back: whatever the process does from then on, and what it
    starts, goes before everything else on the machine. Only Linux tells the threads of a process.
    """
    if not os.path.isdir(THREADS):
        yield
        return
    policy, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    before = set(os.listdir(THREADS))
    try:
        yield
    finally:
        for thread in ["0", *(set(os.listdir(THREADS)) - before)]:  # 0 is the calling one
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.sched_setscheduler(int(thread), policy, parameters)
