# SPDX-License-Identifier: MIT
"""The similarity between the model spaces of two bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from lissom import quat
from lissom._retarget.posed import Floats

__all__ = ["Similarity"]


@dataclass(frozen=True, eq=False)
class Similarity:
    """X(p) = ratio A p + shift, from the model space of the source to that of the target.

    Attributes
    ----------
    align : ndarray of float64, shape (3, 3)
        The rotation A between the directions that the bodies face.
    ratio : float
        Lengths of the target for one of the source.
    shift : ndarray of float64, shape (3,)
        For what stands on the ground.
    """

    align: Floats
    ratio: float
    shift: Floats = field(default_factory=lambda: np.zeros(3))

    @cached_property
    def rotation(self) -> Floats:
        """A as a quaternion."""
        return np.asarray(quat.from_matrix(self.align), np.float64)

    def vectors(self, vectors: Floats) -> Floats:
        """Return vectors (..., 3) of the source, turned and scaled."""
        return np.asarray(self.ratio * vectors @ self.align.T)

    def turns(self, turns: Floats) -> Floats:
        """Return rotations (..., 4) in the source's model space as the same in the target's: A q A^-1."""
        return np.asarray(quat.multiply(quat.multiply(self.rotation, turns), quat.conjugate(self.rotation)))

    def motions(self, motions: Floats) -> Floats:
        """Return rigid transforms T, trs (..., 10), as those that do the same in the target's: X T X^-1."""
        result = motions.astype(np.float64)
        result[..., 3:7] = turns = self.turns(result[..., 3:7])
        moved = self.vectors(result[..., :3])
        result[..., :3] = moved + self.shift - np.asarray(quat.rotate(turns, self.shift))
        return result
