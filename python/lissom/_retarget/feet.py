# SPDX-License-Identifier: MIT
"""What the soles of both bodies do in a clip: how their supporting points move, and how low they are."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom import trs
from lissom._retarget.limbs import leg_of, length
from lissom._retarget.posed import Floats
from lissom.ik._feet.contacts import Contacts
from lissom.ik._feet.legs import checked_legs
from lissom.ik._feet.rig import rig_of
from lissom.ik._feet.sole_points import SolePoints
from lissom.ik._feet.soles import measured_soles

if TYPE_CHECKING:
    from lissom._retarget.body import BodySetup
    from lissom.clip import Clip

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
    """The soles of the legs of one body that the other has, too, in the order of `names`."""

    def __init__(self, body: BodySetup, names: tuple[str, ...]) -> None:
        self._body = body
        self.legs = [next(limb for limb in body.legs if limb.name == name) for name in names]

    @cached_property
    def _soles(self) -> SolePoints:
        body = self._body
        legs = [leg_of(body.roles, limb) for limb in self.legs]
        rig, _, joints = checked_legs("Retarget", rig_of("Retarget", body.owner), legs)
        return SolePoints.of(measured_soles("Retarget", rig, joints, body.pose, body.frame[:, 1]))

    @cached_property
    def lengths(self) -> Floats:
        """Lengths of the legs, (L,)."""
        return np.array([length(self._body.reference.positions, limb) for limb in self.legs])

    @property
    def size(self) -> float:
        """The size of the body."""
        return float(self._body.owner.size)

    def steps(self, poses: NDArray[np.floating], clip: Clip, times: Floats, ground_velocity: Floats) -> Steps:
        """Return what the feet do in poses (F, J, 10) of a clip; the ground moves under clips on the spot."""
        soles, up = self._soles, self._body.frame[:, 1]
        points = soles.at(self._body.skeleton.model_matrices(poses.astype(np.float64)))
        heights = points @ up
        if clip.root_motion is not None:
            points = trs.transform_point(clip.root_motion.at(times, loop=False)[:, None], points)
        weights = soles.support(heights, self.size)
        both = 0.5 * (weights[1:] + weights[:-1])
        step = both[..., None] * np.diff(points, axis=0)
        moves = np.stack([soles.total(step[..., i]) for i in range(3)], axis=-1)
        moves -= np.diff(times)[:, None, None] * ground_velocity
        moves -= (moves @ up)[..., None] * up
        return Steps(moves, soles.lowest(heights) - self._body.floor)


def both_stand(contacts: Contacts, names: tuple[str, ...], frames: int) -> NDArray[np.bool_]:
    """Return whether feet stand at both ends of each step, (F - 1, L)."""
    stands = contacts.curves[:, [contacts.names.index(name) for name in names]] >= 1
    if len(stands) < frames:  # the end of a loop is its begin
        stands = np.concatenate([stands, stands[:1]])
    return np.asarray(stands[1:] & stands[:-1])
