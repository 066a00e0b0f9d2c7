# SPDX-License-Identifier: MIT
"""What the soles of both bodies do in a clip: how their supporting points move, and how low they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom import trs
from lissom._retarget.limbs import Limb, length
from lissom._retarget.posed import Floats
from lissom.ik._feet.legs import checked_legs
from lissom.ik._feet.sole_points import SolePoints
from lissom.ik._feet.soles import measured_soles

if TYPE_CHECKING:
    from lissom._retarget.body import BodySetup
    from lissom.clip._root_motion import RootMotion

__all__ = ["Feet", "Steps"]


class Steps(NamedTuple):
    """The feet of a clip at regular times.

    Attributes
    ----------
    moves : ndarray of float64, shape (F - 1, L, 3)
        How the supporting points of each sole move from frame to frame, over the ground, in the world of the
        body.
    lowest : ndarray of float64, shape (F, L)
        Height of the lowest point of each sole over the ground.
    """

    moves: Floats
    lowest: Floats


class Feet:
    """The soles of legs of one body."""

    def __init__(self, body: BodySetup, legs: Sequence[Limb]) -> None:
        self._body, self.legs = body, legs

    @cached_property
    def _soles(self) -> SolePoints:
        body = self._body
        _, _, joints = checked_legs("Retarget", body.rig, [body.leg(limb) for limb in self.legs])
        stance = body.rig.without_added(body.pose)
        return SolePoints.of(measured_soles("Retarget", body.rig, joints, stance, body.up))

    @cached_property
    def lengths(self) -> Floats:
        """Lengths of the legs, (L,)."""
        return np.array([length(self._body.reference.positions, limb) for limb in self.legs])

    @property
    def size(self) -> float:
        """The size of the body."""
        return self._body.rig.size

    def steps(
        self, poses: NDArray[np.floating], motion: RootMotion | None, times: Floats, ground_velocity: Floats
    ) -> Steps:
        """Return what the feet do in poses (F, J, 10); the ground moves under clips on the spot."""
        soles, up = self._soles, self._body.up
        points = soles.at(self._body.skeleton.model_matrices(poses.astype(np.float64)))
        heights = points @ up
        if motion is not None:
            points = trs.transform_point(motion.at(times, loop=False)[:, None], points)
        weights = soles.support(heights, self.size)
        both = 0.5 * (weights[1:] + weights[:-1])
        step = both[..., None] * np.diff(points, axis=0)
        moves = np.stack([soles.total(step[..., i]) for i in range(3)], axis=-1)
        moves -= np.diff(times)[:, None, None] * ground_velocity
        moves -= (moves @ up)[..., None] * up
        return Steps(moves, soles.lowest(heights) - self._body.floor)
