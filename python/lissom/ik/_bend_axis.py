# SPDX-License-Identifier: MIT
"""The axis that a limb bends about where its rest pose is too straight to say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._rig.skeleton import Skeleton
from lissom.ik._axes import Floats

__all__ = ["straight_limb_axis"]

BENT = 0.1  # sine: rest poses bend knees and elbows by less for no reason, to any side


def straight_limb_axis(
    skeleton: Skeleton, pose: NDArray[np.floating], joints: tuple[int, int, int], towards: Floats
) -> Floats | None:
    """Return the axis of the middle joint, in its frame, about which the end of a limb goes `towards`.

    None where the rest pose bends the limb clearly, or it points along `towards`. `joints` are the upper, the
    middle and the end; `pose`, (J, 10), is one in which the direction `towards`, in model space, holds.
    """
    upper, lower = _bones(skeleton.positions(skeleton.rest.astype(np.float64)), joints)
    if np.linalg.norm(np.cross(upper, lower)) > BENT:
        return None
    model = skeleton.model_matrices(np.asarray(pose, np.float64))
    bone, _ = _bones(model[:, :3, 3], joints)
    across = towards - (towards @ bone) * bone
    if not np.linalg.norm(across) > BENT * np.linalg.norm(towards):
        return None
    middle = joints[1]
    parent = int(skeleton.parents[middle])
    parent_from_model = np.linalg.inv(model[parent, :3, :3])
    rotation = quat.conjugate(quat.normalize(np.asarray(pose[middle, 3:7], np.float64)))
    inside = [np.asarray(quat.rotate(rotation, parent_from_model @ vector)) for vector in (bone, across)]
    axis = np.cross(inside[0], inside[1])
    return np.asarray(axis / np.linalg.norm(axis))


def _bones(positions: NDArray[np.floating], joints: tuple[int, int, int]) -> Floats:
    bones = np.diff(positions[list(joints)].astype(np.float64), axis=0)
    return np.asarray(bones / np.maximum(np.linalg.norm(bones, axis=1, keepdims=True), 1e-30))
