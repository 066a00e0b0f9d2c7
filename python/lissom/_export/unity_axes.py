# SPDX-License-Identifier: MIT
"""Texels of a bake in Unity's axes, x negated: exact, as signs alone change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["mirrored"]

# Rotations about y and z turn round, about x they do not. Of the dual part, half of translation times
# rotation, the vector is mirrored like a place, and its last number changes its sign.
REAL = (1, -1, -1, 1)
DUAL = (-1, 1, 1, -1)
EVEN = (-1, 1, 1, 1)  # a place, and a factor
ROWS = ((1, -1, -1, -1), (-1, 1, 1, 1), (-1, 1, 1, 1))  # of a 3x4, from both sides

SIGNS = {
    ("dual_quat", 2): (REAL, DUAL),
    ("dual_quat", 3): (REAL, DUAL, EVEN),
    ("dual_quat", 5): (REAL, DUAL, *ROWS),
    ("matrix", 3): ROWS,
}
"""Of each layout and number of texels, the sign of each number."""


def mirrored(rows: NDArray[np.floating], layout: str) -> NDArray[np.floating]:
    """Return palette rows (..., texels, 4) of lissom in Unity's axes, and those of Unity in lissom's."""
    return rows * np.array(SIGNS[layout, rows.shape[-2]], rows.dtype)
