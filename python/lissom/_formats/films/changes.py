# SPDX-License-Identifier: MIT
"""What of a picture differs from the one before it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["changed_box"]


def changed_box(before: NDArray[np.uint8] | None, after: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the box that holds all changes; one pixel where there are none.

    All of the picture where there is none before it.
    """
    height, width = after.shape[:2]
    if before is None:
        return 0, 0, width, height
    differs = (before != after).any(axis=2) if after.ndim == 3 else before != after
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not len(rows):
        return 0, 0, 1, 1
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
