# SPDX-License-Identifier: MIT
"""Markers: named moments of a clip, such as a foot touching the ground."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple


class Marker(NamedTuple):
    """A named moment of a clip.

    Attributes
    ----------
    time : float
        Seconds, on the clip's own time line.
    name : str
        Any text; several markers may have the same.
    """

    time: float
    name: str


def checked_markers(markers: Iterable[tuple[float, str]]) -> tuple[Marker, ...]:
    """Sort markers by time; equal times keep their order."""
    result = []
    for time, name in markers:
        if not isinstance(name, str):
            raise TypeError(f"Clip: the name of a marker must be a string, got {type(name).__name__}")
        if not math.isfinite(time):
            raise ValueError(f"Clip: the time of marker {name!r} must be finite, got {time}")
        result.append(Marker(float(time), name))
    return tuple(sorted(result, key=lambda marker: marker.time))
