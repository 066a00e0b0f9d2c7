# SPDX-License-Identifier: MIT
"""Vertex colours: COLOR_0 of any type as linear red, green, blue and alpha in [0, 1]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom._base.names import counted
from lissom._files.gltf.log import Log


def clean_colors(stored: NDArray[np.float32], pointer: str, log: Log) -> NDArray[np.float32]:
    """Return colours (vertex, 4): those without alpha get 1, faults are repaired with a record.

    What is no number becomes 1, as if the file had no colour there; what is out of range is clamped, infinity
    too.
    """
    colors = stored
    if stored.shape[1] == 3:
        colors = np.ones((len(stored), 4), np.float32)
        colors[:, :3] = stored
    if colors.min(initial=1) >= 0 and colors.max(initial=0) <= 1:  # False where there is NaN
        return colors
    colors = colors.copy()
    unknown = np.isnan(colors)
    if unknown.any():
        faulty = counted(int(unknown.any(axis=1).sum()), "colour")
        log.mend(
            "ACCESSOR_INVALID_FLOAT",
            pointer,
            f"colours must be numbers, got NaN in {faulty}, where it was replaced by 1",
        )
        colors[unknown] = 1.0
    outside = (colors < 0) | (colors > 1)
    if outside.any():
        log.mend(
            "ACCESSOR_NON_CLAMPED",
            pointer,
            f"colours must lie in [0, 1], got {colors.min():.4g} to {colors.max():.4g};"
            f" {counted(int(outside.any(axis=1).sum()), 'colour')} of {len(colors)} were clamped",
        )
        np.clip(colors, 0, 1, out=colors)
    return colors
