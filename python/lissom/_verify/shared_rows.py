# SPDX-License-Identifier: MIT
"""Clips of one texture that say they are in the same rows."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["sharing"]


def sharing(name: str, rows: Mapping[str, tuple[int, int]]) -> str:
    """Return a sentence on the clips whose first to last rows are in part those of one; empty without any."""
    first, last = rows[name]
    others = [
        f"{other!r}, {begin} to {end}"
        for other, (begin, end) in rows.items()
        if other != name and begin <= last and end >= first
    ]
    if not others:
        return ""
    return (
        f"it says it is in rows {first} to {last}, some of which are also those of {' and '.join(others[:3])}"
        ": each clip has rows of its own; mend the settings of one of them"
    )
