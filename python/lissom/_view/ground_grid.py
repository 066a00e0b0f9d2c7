# SPDX-License-Identifier: MIT
"""The grid on the ground: the distance between its lines, and the radius at which it fades out."""

from __future__ import annotations

import numpy as np

__all__ = ["FADE_RADII", "round_step"]

FADE_RADII = 9.0
"""Radius at which the grid has faded out, in radii of what is drawn."""


def round_step(length: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that is at most `length`."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(step for step in (1, 2, 5) if step * power <= length * (1 + 1e-9)))
