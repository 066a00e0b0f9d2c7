# SPDX-License-Identifier: MIT
"""Many small reads at once, as one after another waits for a server most of the time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["at_once"]

READS = 32
"""At a time."""

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def at_once(items: Iterable[Item], read: Callable[[Item], Answer]) -> Iterator[tuple[Item, Answer]]:
    """Yield items and what is read of them, in their order; a few ahead of what is asked for."""
    pending: deque[tuple[Item, Future[Answer]]] = deque()
    with ThreadPoolExecutor(READS, "read") as pool:
        try:
            for item in items:
                pending.append((item, pool.submit(read, item)))
                if len(pending) >= 2 * READS:
                    first, future = pending.popleft()
                    yield first, future.result()
            while pending:
                first, future = pending.popleft()
                yield first, future.result()
        finally:
            for _, future in pending:
                future.cancel()
