# SPDX-License-Identifier: MIT
"""Where the points of soles are in poses, and how fast what carries a foot moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.ik._legs import LegJoints
from lissom.ik._soles import Sole

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
    carriers, toes : ndarray of int, shape (P,)
        The joints that a point moves with.
    points, toe_points : ndarray, shape (P, 3)
        In the frames of these.
    shares : ndarray, shape (P,)
        Of the toes.
    """

    legs: NDArray[np.intp]
    starts: NDArray[np.intp]
    carriers: NDArray[np.intp]
    toes: NDArray[np.intp]
    points: Floats
    toe_points: Floats
    shares: Floats

    @classmethod
    def of(cls, joints: Sequence[LegJoints], soles: Sequence[Sole]) -> SolePoints:
        counts = [len(sole.points) for sole in soles]
        carriers = [
            leg.foot if sole.turns else leg.chain[-2] for leg, sole in zip(joints, soles, strict=True)
        ]
        toes = [
            carrier if leg.toe is None else leg.toe for leg, carrier in zip(joints, carriers, strict=True)
        ]
        return cls(
            legs=np.repeat(np.arange(len(counts)), counts),
            starts=np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp),
            carriers=np.repeat(carriers, counts),
            toes=np.repeat(toes, counts),
            points=np.concatenate([sole.points for sole in soles]),
            toe_points=np.concatenate([sole.toe_points for sole in soles]),
            shares=np.concatenate([sole.toe_shares for sole in soles]),
        )

    def at(self, model: Floats) -> Floats:
        """Give the points in model space, (..., P, 3), from model matrices (..., J, 4, 4)."""
        behind = moved(model[..., self.carriers, :, :], self.points)
        front = moved(model[..., self.toes, :, :], self.toe_points)
        share = self.shares[:, None]
        return np.asarray((1 - share) * behind + share * front)

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
    x, y, z = points[..., 0, None], points[..., 1, None], points[..., 2, None]
    return np.asarray(
        matrices[..., :3, 0] * x + matrices[..., :3, 1] * y + matrices[..., :3, 2] * z + matrices[..., :3, 3]
    )
