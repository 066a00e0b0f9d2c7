# SPDX-License-Identifier: MIT
"""Distances to handles, which are segments."""

from __future__ import annotations

import numpy as np

from lissom.weights._inputs import Floats

__all__ = ["distances"]


def distances(points: Floats, heads: Floats, tails: Floats) -> Floats:
    """Return how far points (..., 3) are from the nearest places of segments (..., 3), axes broadcast."""
    along = tails - heads
    square = (along**2).sum(axis=-1)
    away = points - heads
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.clip((away * along).sum(axis=-1) / square, 0, 1)
    share = np.where(square > 0, share, 0)  # a point has no length
    return np.asarray(np.linalg.norm(away - share[..., None] * along, axis=-1))
