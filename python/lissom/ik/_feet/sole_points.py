# SPDX-License-Identifier: MIT
"""Points of soles in poses, and how much each of them supports its foot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.ik._axes import Floats
from lissom.ik._feet.soles import Sole
from lissom.ik._feet.vectors import rotated_and_scaled

FEW = 8  # poses: up to here it is quicker to gather a matrix for every point
SUPPORT = 0.004  # of the size: points this much over the lowest one carry e^-1 of its weight


@dataclass(frozen=True, eq=False)
class SolePoints:
    """The points of all soles in one array, computed together.

    Attributes
    ----------
    legs : ndarray of int, shape (P,)
        The leg of each point, in order.
    starts : ndarray of int, shape (L,)
        The first point of each leg.
    shares : ndarray, shape (P,)
        Weight of the toe joint for each point.
    rings : ndarray of int, shape (E, 2)
        Points that are neighbours.
    sags : ndarray, shape (E,)
        How far the sole is below the line between them.
    joints, weights, offsets : ndarray, shape (P, I), (P, I) and (P, I, 3)
        Influences: joints, their weights, and the point in their frames, times the weight.
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
        """Return the points of soles, one sole for each leg."""
        counts = [len(sole.points) for sole in soles]
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp)
        influences = max(sole.joints.shape[1] for sole in soles)

        def joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
            """Return the rows of all arrays, padded to the same number of influences."""
            return np.concatenate(
                [
                    np.pad(rows, [(0, 0), (0, influences - rows.shape[1]), *[(0, 0)] * (rows.ndim - 2)])
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

    def at(self, model_from_joint: Floats) -> Floats:
        """Return the points in model space, (..., P, 3), from model matrices (..., J, 4, 4)."""
        if np.prod(model_from_joint.shape[:-3], dtype=np.intp) > FEW:
            return self._at_many(model_from_joint)
        total = None
        for column in range(self.joints.shape[1]):
            matrices = model_from_joint[..., self.joints[:, column], :, :]
            offset, weight = self.offsets[:, column], self.weights[:, column, None]
            part = rotated_and_scaled(matrices, offset) + matrices[..., :3, 3] * weight
            total = part if total is None else total + part
        return np.asarray(total)

    def _at_many(self, model_from_joint: Floats) -> Floats:
        """Return what `at` returns, to the bit: one joint after another, without a matrix for every point."""
        total = np.zeros((*model_from_joint.shape[:-3], 3, len(self.legs)))
        for joint, rows, (x, y, z), weight in self._by_joint:
            matrix = model_from_joint[..., joint, :3, :, None]
            part = matrix[..., 0, :] * x
            part += matrix[..., 1, :] * y
            part += matrix[..., 2, :] * z
            part += matrix[..., 3, :] * weight
            total[..., rows] += part
        return np.ascontiguousarray(np.moveaxis(total, -2, -1))

    @cached_property
    def sole_joints(self) -> NDArray[np.intp]:
        """The joints that move points, in order."""
        return np.unique(self.joints[self.weights != 0])

    @cached_property
    def _by_joint(self) -> list[tuple[int, NDArray[np.intp], Floats, Floats]]:
        """Joints with their points, offsets (3, N) and weights, one column of influences after another.

        Influences of weight 0 add nothing.
        """
        result = []
        for column in range(self.joints.shape[1]):
            joints, weights = self.joints[:, column], self.weights[:, column]
            for joint in np.unique(joints[weights != 0]).tolist():
                rows = np.flatnonzero((joints == joint) & (weights != 0))
                offsets = np.ascontiguousarray(self.offsets[rows, column].T)
                result.append((joint, rows, offsets, weights[rows]))
        return result

    def lowest(self, heights: Floats) -> Floats:
        """Return the least of the points' heights (..., P) for each leg, (..., L)."""
        return np.asarray(np.minimum.reduceat(heights, self.starts, axis=-1))

    def support(self, heights: Floats, size: float, over: float = SUPPORT) -> Floats:
        """Return how much each point supports its foot, (..., P); the sum for each leg is 1.

        Points that are `over` sizes over the lowest one carry e^-1 of its weight.
        """
        over_lowest = heights - self.lowest(heights)[..., self.legs]
        weight = np.exp(-over_lowest / (over * size))
        return np.asarray(weight / self.total(weight)[..., self.legs])

    def total(self, values: Floats) -> Floats:
        """Return the sum of the points' values (..., P) for each leg, (..., L)."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=-1))
