# SPDX-License-Identifier: MIT
"""One call at a time: what changes its state in place refuses a second call while one is under way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["OneCall"]


class OneCall:
    """Refuses a call of `owners`, such as "these players", while another one is under way.

    Copies and pickles are of owners of their own, of which no call is under way.
    """

    def __init__(self, owners: str) -> None:
        self._owners, self._lock = owners, threading.Lock()

    @contextmanager
    def __call__(self, function: str) -> Iterator[None]:
        """Return a context in which `function` is under way; it raises a RuntimeError where another is."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(
                f"{function}: another call of {self._owners} is under way; make one call at a time"
            )
        try:
            yield
        finally:
            self._lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return OneCall, (self._owners,)
