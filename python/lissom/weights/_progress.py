# SPDX-License-Identifier: MIT
"""Telling how far a call is. The stages are listed in ``lissom/weights/__init__.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Progress", "as_progress", "finish", "part_of"]

Progress = Callable[[str, float], object]
"""Called as ``progress(stage, fraction)`` now and then."""


def as_progress(progress: Any, function: str) -> Progress | None:
    """Refuse what cannot be called."""
    if progress is not None and not callable(progress):
        raise TypeError(f"{function}: progress must be callable or None, got {type(progress).__name__}")
    return progress  # type: ignore[no-any-return]


def part_of(progress: Progress | None, index: int, count: int) -> Progress | None:
    """Return a callback for one of `count` equal parts of a stage."""
    if progress is None:
        return None
    whole = progress
    return lambda stage, fraction: whole(stage, (index + fraction) / count)


def finish(progress: Progress | None) -> None:
    """Report completion."""
    if progress is not None:
        progress("done", 1.0)
