# SPDX-License-Identifier: MIT
"""How much memory there is, asked before much of it is taken."""

from __future__ import annotations

import os

__all__ = ["check_memory", "memory_limit"]

_SHARE = 0.8
"""Part of the machine's memory that one call may take: the rest holds the process and the system."""

_UNKNOWN = 16 * 2.0**30
"""Bytes that are assumed where the system does not tell."""


def memory_limit() -> float:
    """Return how many bytes a call may take."""
    try:
        total = float(os.sysconf("SC_PHYS_PAGES")) * float(os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf, others may not know these names
        total = _UNKNOWN
    return _SHARE * total


def check_memory(needed: float, limit: float, what: str, advice: str) -> None:
    """Refuse what takes more than a call may, before it is allocated."""
    if needed > limit:
        raise MemoryError(
            f"{what} need about {needed / 2**30:.1f} GiB, more than the {limit / 2**30:.1f} GiB that a call "
            f"may take; {advice}"
        )
