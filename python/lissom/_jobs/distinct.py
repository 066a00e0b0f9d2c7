# SPDX-License-Identifier: MIT
"""Which of a million names was there before, in eight bytes each."""

from __future__ import annotations

import hashlib

import numpy as np

__all__ = ["Distinct"]

MOST_RECENT = 1 << 14
"""Names that are kept in a set until they join the sorted array: a set takes ten times the memory."""


class Distinct:
    """Names that have been seen, as 64-bit digests: among a million two are taken for one with 3e-8."""

    def __init__(self) -> None:
        self._sorted = np.empty(0, np.uint64)
        self._recent: set[int] = set()

    def add(self, name: str) -> bool:
        """Add a name; return whether it is new."""
        data = name.encode("utf-8", "surrogateescape")
        number = int.from_bytes(hashlib.blake2b(data, digest_size=8).digest())
        if number in self._recent:
            return False
        place = int(np.searchsorted(self._sorted, np.uint64(number)))
        if place < len(self._sorted) and int(self._sorted[place]) == number:
            return False
        self._recent.add(number)
        if len(self._recent) >= MOST_RECENT:
            recent = np.fromiter(self._recent, np.uint64, len(self._recent))
            self._sorted = np.sort(np.concatenate([self._sorted, recent]))
            self._recent.clear()
        return True
