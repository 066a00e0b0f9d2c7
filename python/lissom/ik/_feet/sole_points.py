# SPDX-License-Identifier: MIT
"""Where the points of soles are in poses, and how fast what carries a foot moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.ik._feet.soles import Sole

Floats = NDArray[np.float64]

SUPPORT = 0.004  # of the size: points this much over the lowest one carry e^-1 of its weight


@dataclass(frozen=True, eq=False)
class SolePoints:
    """The points of all soles in one row, so that every leg's are computed at once.

    Attributes
    ----------
    legs : ndarray of int, shape (P,)
        The leg of each point, in order.
    starts : ndarray of int, shape (L,)
        The first point of each leg.
    shares : ndarray, shape (P,)
        How much of a point moves with the toes.
    rings : ndarray of int, shape (E, 2)
        Points that are neighbours.
    sags : ndarray, shape (E,)
        How far the sole is below the line between them.
    joints, weights, offsets : ndarray, shape (P, I), (P, I) and (P, I, 3)
        What moves a point: joints, their weights, and where the point is in their frames, times the weight.
    """

    legs: NDArray[np.intp]
    starts: NDArray[np.intp]
    shares: Floats
    rings: NDArray[np.intp]
    sags: Floats
    joints: NDArray[np.intp]
    weights: Floats
    offsets: Floats

    @classmethod
    def of(cls, soles: Sequence[Sole]) -> SolePoints:
        counts = [len(sole.points) for sole in soles]
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp)
        most = max(sole.joints.shape[1] for sole in soles)

        def joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
            """Give rows of all, with as many influences."""
            return np.concatenate(
                [
                    np.pad(rows, [(0, 0), (0, most - rows.shape[1]), *[(0, 0)] * (rows.ndim - 2)])
                    for rows in arrays
                ]
            )

        return cls(
            legs=np.repeat(np.arange(len(counts)), counts),
            starts=starts,
            shares=np.concatenate([sole.toe_shares for sole in soles]),
            rings=np.concatenate([sole.rings + start for sole, start in zip(soles, starts, strict=True)]),
            sags=np.concatenate([sole.sags for sole in soles]),
            joints=joined([sole.joints for sole in soles]),
            weights=joined([sole.weights for sole in soles]),
            offsets=joined([sole.offsets for sole in soles]),
        )

    def at(self, model: Floats) -> Floats:
        """Give the points in model space, (..., P, 3), from model matrices (..., J, 4, 4)."""
        total = None
        for column in range(self.joints.shape[1]):
            frames = model[..., self.joints[:, column], :, :]
            offset, weight = self.offsets[:, column], self.weights[:, column, None]
            part = _turned(frames, offset) + frames[..., :3, 3] * weight
            total = part if total is None else total + part
        return np.asarray(total)

    def lowest(self, heights: Floats) -> Floats:
        """Give the least of the points' heights (..., P) for each leg, (..., L)."""
        return np.asarray(np.minimum.reduceat(heights, self.starts, axis=-1))

    def support(self, heights: Floats, size: float) -> Floats:
        """Give how much each point carries its foot, (..., P); they add up to 1 for each leg."""
        over = heights - self.lowest(heights)[..., self.legs]
        weight = np.exp(-over / (SUPPORT * size))
        return np.asarray(weight / self.total(weight)[..., self.legs])

    def total(self, values: Floats) -> Floats:
        """Add up values of points (..., P) for each leg, (..., L)."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=-1))


def moved(matrices: Floats, points: Floats) -> Floats:
    """Move points (..., 3) by matrices (..., 4, 4), entry by entry: the same bits for one and for many."""
    return np.asarray(_turned(matrices, points) + matrices[..., :3, 3])


def _turned(matrices: Floats, vectors: Floats) -> Floats:
    x, y, z = vectors[..., 0, None], vectors[..., 1, None], vectors[..., 2, None]
    return np.asarray(matrices[..., :3, 0] * x + matrices[..., :3, 1] * y + matrices[..., :3, 2] * z)
