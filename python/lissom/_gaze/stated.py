# SPDX-License-Identifier: MIT
"""What a file says of where its character looks."""

from __future__ import annotations

from dataclasses import dataclass

from lissom._gaze.gaze_range import GazeRange

__all__ = ["StatedLookAt"]

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class StatedLookAt:
    """What a VRM file says; `ranges` are those inwards, outwards, down and up."""

    kind: str
    offset: Vector
    front: Vector
    ranges: tuple[GazeRange, GazeRange, GazeRange, GazeRange]
