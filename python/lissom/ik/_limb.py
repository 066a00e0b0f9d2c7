# SPDX-License-Identifier: MIT
"""A joint between its neighbours in a chain, in the rest pose: which way it points and bends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom import quat

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

# A limb bent by less than this is straight: the axis that it would be bent about is rounding. Radians.
STRAIGHT = 1e-3


class Limb:
    """One joint of a chain. Vectors are in the joint's own frame, before its scale.

    `above` and `below` are the joints at the other ends of the bones that meet here; -1 for none.
    """

    def __init__(self, skeleton: Skeleton, joint: int, above: int, below: int) -> None:
        self.skeleton, self.joint, self.below = skeleton, joint, below
        self.rest = skeleton.rest[joint].astype(np.float64)
        self.rotation = self.rest[3:7] / np.linalg.norm(self.rest[3:7])
        model = skeleton.model_matrices(skeleton.rest.astype(np.float64))
        parent = int(skeleton.parents[joint])
        model_from_parent = model[parent] if parent >= 0 else np.eye(4)
        self.bone_in = self._from_parent(model_from_parent, model, above, -1.0)
        self.bone_out = self._from_parent(model_from_parent, model, below, 1.0)

    def _from_parent(
        self, model_from_parent: NDArray[np.float64], model: NDArray[np.float64], other: int, side: float
    ) -> NDArray[np.float64] | None:
        """Give the bone to another joint, root to effector; None where there is none or it has no length."""
        if other < 0:
            return None
        in_parent = np.linalg.solve(model_from_parent, model[other, :, 3])[:3] - self.rest[:3]
        bone = side * quat.rotate(quat.conjugate(self.rotation), in_parent)
        length = np.linalg.norm(bone)
        size = np.abs(model[:, :3, 3]).max()
        return None if length <= 1e-7 * size else np.asarray(bone / length)

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.skeleton.names[self.joint]

    def direction(self, what: str) -> NDArray[np.float64]:
        """Give the unit direction of the bone that the joint moves."""
        if self.bone_out is not None:
            return self.bone_out
        if self.bone_in is not None:  # an effector: the way the limb came
            return self.bone_in
        raise ValueError(
            f"{what}: joint {self.name!r} has no direction, for its bones have no length; use "
            "SwingTwist with axis="
        )

    def rest_bend(self) -> NDArray[np.float64] | None:
        """Give the unit axis that the rest pose is bent about, None where the limb is straight or ends."""
        if self.bone_in is None or self.bone_out is None:
            return None
        axis = np.cross(self.bone_in, self.bone_out)
        sine = np.linalg.norm(axis)
        return None if sine < STRAIGHT else np.asarray(axis / sine)

    def bend_axis(self, what: str, clip: Clip | None) -> NDArray[np.float64]:
        """Give the axis that the joint bends about, positive the way it bends further."""
        axis = self._bend_of(clip) if clip is not None else self.rest_bend()
        if axis is not None:
            return axis
        where = f"clip {clip.name!r}" if clip is not None else "the rest pose"
        advice = "Hinge(axis, low, high)" if clip is not None else "clip= or Hinge(axis, low, high)"
        raise ValueError(
            f"{what}: {where} does not bend joint {self.name!r}, so tells no axis; pass {advice}"
        )

    def _bend_of(self, clip: Clip) -> NDArray[np.float64] | None:
        """Give the axis that explains most of a clip's rotations, positive to the larger of its bends."""
        times = np.linspace(clip.start, clip.end, 256)
        rotations = clip.sample(times, loop=False)[:, self.joint, 3:7].astype(np.float64)
        turns = quat.log(quat.multiply(quat.conjugate(self.rotation), rotations))[..., :3]
        spread = np.linalg.eigh(turns.T @ turns)
        axis = np.asarray(spread.eigenvectors[:, -1])
        along = turns @ axis
        if np.abs(along).max() < STRAIGHT:
            return None
        return axis if along.max() >= -along.min() else -axis

    def bend_angle(self, axis: NDArray[np.float64]) -> float:
        """Give the angle that the rest pose is bent by about `axis`, radians; 0 where the limb ends."""
        if self.bone_in is None or self.bone_out is None:
            return 0.0
        before, after = (bone - (bone @ axis) * axis for bone in (self.bone_in, self.bone_out))
        return float(np.arctan2(np.cross(before, after) @ axis, before @ after))


def limbs_of(skeleton: Skeleton, joints: Sequence[int]) -> list[Limb]:
    """Give the joints of a chain, each between those next to it; an effector may point to its only child."""
    children = np.flatnonzero(skeleton.parents == joints[-1])
    ends = [-1, *joints, int(children[0]) if len(children) == 1 else -1]
    return [
        Limb(skeleton, joint, above, below)
        for above, joint, below in zip(ends, joints, ends[2:], strict=False)
    ]
