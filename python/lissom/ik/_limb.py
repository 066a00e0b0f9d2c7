# SPDX-License-Identifier: MIT
"""A joint between its neighbours in a chain, in the rest pose: its bones, and the axis it bends about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_arrays import Joint

if TYPE_CHECKING:
    from lissom.clip import Clip

# A limb bent by less than this is straight: its axis would be that of rounding errors. Radians.
STRAIGHT = 1e-3


class Limb:
    """One joint of a chain. Vectors are in the joint's own frame, before its scale.

    `previous_joint` and `next_joint` are the other ends of the bones that meet here; -1 for none. `function`
    begins the message of a ValueError where the rest pose scales the parent's space to zero.
    """

    def __init__(
        self, function: str, skeleton: Skeleton, joint: int, previous_joint: int, next_joint: int
    ) -> None:
        self.skeleton, self.joint, self.next_joint = skeleton, joint, next_joint
        self.rest = skeleton.rest[joint].astype(np.float64)
        self.rotation = self.rest[3:7] / np.linalg.norm(self.rest[3:7])
        model = skeleton.model_matrices(skeleton.rest.astype(np.float64))
        parent = int(skeleton.parents[joint])
        model_from_parent = model[parent] if parent >= 0 else np.eye(4)
        if not abs(np.linalg.det(model_from_parent)) > 0:
            ancestors = [i for i in range(joint) if skeleton.is_in_hierarchy(joint, i)]
            least = min(ancestors, key=lambda i: float(np.abs(skeleton.rest[i, 7:]).min()))
            raise ValueError(
                f"{function}: the rest pose must not scale an ancestor of joint {self.name!r} to zero, got "
                f"scale {skeleton.rest[least, 7:].tolist()} at {skeleton.names[least]!r}"
            )
        self.bone_in = self._bone(model_from_parent, model, previous_joint, -1.0)
        self.bone_out = self._bone(model_from_parent, model, next_joint, 1.0)

    def _bone(
        self, model_from_parent: NDArray[np.float64], model: NDArray[np.float64], other: int, sign: float
    ) -> NDArray[np.float64] | None:
        """Return the unit direction of the bone to `other`, root to effector; None without a length."""
        if other < 0:
            return None
        offset_parent = np.linalg.solve(model_from_parent, model[other, :, 3])[:3] - self.rest[:3]
        bone = sign * quat.rotate(quat.conjugate(self.rotation), offset_parent)
        length = np.linalg.norm(bone)
        size = np.abs(model[:, :3, 3]).max()
        return None if length <= 1e-7 * size else np.asarray(bone / length)

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.skeleton.names[self.joint]

    @property
    def bone(self) -> NDArray[np.float64] | None:
        """Unit direction of the bone that the joint moves; of the one before it at an effector."""
        return self.bone_out if self.bone_out is not None else self.bone_in

    def direction(self, what: str) -> NDArray[np.float64]:
        """Return `bone`; refuse a joint whose bones have no length. `what` begins the message."""
        if self.bone is None:
            raise ValueError(
                f"{what}: joint {self.name!r} must have a bone with a length, got none; use SwingTwist with "
                "axis="
            )
        return self.bone

    def rest_bend(self) -> NDArray[np.float64] | None:
        """Return the unit axis that the rest pose is bent about; None where it is straight or ends."""
        if self.bone_in is None or self.bone_out is None:
            return None
        axis = np.cross(self.bone_in, self.bone_out)
        sine = np.linalg.norm(axis)
        return None if sine < STRAIGHT else np.asarray(axis / sine)

    def bend_axis(self, what: str, clip: Clip | None) -> NDArray[np.float64]:
        """Return the axis that the joint bends about; positive angles bend it further."""
        axis = self._bend_of(clip) if clip is not None else self.rest_bend()
        if axis is not None:
            return axis
        where = f"clip {clip.name!r}" if clip is not None else "the rest pose"
        advice = "Hinge(axis, low, high)" if clip is not None else "clip= or Hinge(axis, low, high)"
        raise ValueError(
            f"{what}: {where} must bend joint {self.name!r} to determine its axis, got a straight limb; pass "
            f"{advice}"
        )

    def _bend_of(self, clip: Clip) -> NDArray[np.float64] | None:
        """Return the principal axis of a clip's rotations, positive at the largest; None where still."""
        times = np.linspace(clip.start, clip.end, 256)
        rotations = clip.sample(times, loop=False)[:, self.joint, 3:7].astype(np.float64)
        half_vectors = quat.log(quat.multiply(quat.conjugate(self.rotation), rotations))[..., :3]
        axis = np.asarray(np.linalg.eigh(half_vectors.T @ half_vectors).eigenvectors[:, -1])
        half_angles = half_vectors @ axis
        if np.abs(half_angles).max() < STRAIGHT:
            return None
        return axis if half_angles.max() >= -half_angles.min() else -axis

    def bend_angle(self, axis: NDArray[np.float64]) -> float:
        """Return the angle that the rest pose is bent by about `axis`, radians; 0 where the limb ends."""
        if self.bone_in is None or self.bone_out is None:
            return 0.0
        before, after = (bone - (bone @ axis) * axis for bone in (self.bone_in, self.bone_out))
        return float(np.arctan2(np.cross(before, after) @ axis, before @ after))


def limbs_of(function: str, skeleton: Skeleton, joints: Sequence[int]) -> list[Limb]:
    """Return the joints of a chain, each between its neighbours; an effector may point to its only child."""
    children = np.flatnonzero(skeleton.parents == joints[-1])
    ends = [-1, *joints, int(children[0]) if len(children) == 1 else -1]
    return [
        Limb(function, skeleton, joint, previous_joint, next_joint)
        for previous_joint, joint, next_joint in zip(ends, joints, ends[2:], strict=False)
    ]


def limb_at(function: str, skeleton: Skeleton, joint: Joint, child: Joint | None) -> Limb:
    """Return a joint between its parent and a descendant, `child` or the main one."""
    if not isinstance(skeleton, Skeleton):
        raise TypeError(f"{function}: skeleton must be a Skeleton, got {type(skeleton).__name__}")
    index = skeleton._index_of(joint, function)
    following = (
        main_child(skeleton, index) if child is None else skeleton._index_of(child, f"{function}: child")
    )
    if child is not None and not (following != index and skeleton.is_in_hierarchy(following, index)):
        names = skeleton.names
        raise ValueError(f"{function}: child must descend from {names[index]!r}, got {names[following]!r}")
    return Limb(function, skeleton, index, int(skeleton.parents[index]), following)


def main_child(skeleton: Skeleton, joint: int) -> int:
    """Return the child with most descendants, the first of several; -1 where there is none."""
    counts = np.ones(len(skeleton), np.int64)
    for index in range(len(skeleton) - 1, 0, -1):
        if skeleton.parents[index] >= 0:
            counts[skeleton.parents[index]] += counts[index]
    children = np.flatnonzero(skeleton.parents == joint)
    return int(children[np.argmax(counts[children])]) if len(children) else -1
