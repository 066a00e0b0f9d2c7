# SPDX-License-Identifier: MIT
"""Rotations of one joint relative to the rest pose: what limits bound.

With q the local rotation of a pose and ``q = rest * d``, "relative" rotations are d, unit quaternions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lissom import quat
from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_number
from lissom._base.pose_batch import as_poses
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_arrays import Joint
from lissom.ik._axes import Floats
from lissom.ik._limb import Limb, limb_at

# Limits fitted to poses are wider by this, so that rounding cannot put a pose outside; radians.
ROUNDING = 1e-7


def relative_rotations(function: str, limb: Limb, poses: ArrayLike) -> Floats:
    """Return the joint's relative rotations in poses (..., J, 10): shape (..., 4), unit."""
    array = as_poses(poses, f"{function}: poses")
    count = len(limb.skeleton)
    if array.shape[-2] != count:
        raise ValueError(
            f"{function}: poses must have the {count} joints of the skeleton, got {array.shape[-2]}"
        )
    return relative_to_rest(function, limb, array[..., limb.joint, 3:7].astype(np.float64))


def relative_to_rest(function: str, limb: Limb, rotations: Floats) -> Floats:
    """Return local rotations of the joint, (..., 4), relative to the rest pose, unit."""
    if np.isfinite(rotations).all() and not rotations.any(axis=-1).all():
        raise ValueError(f"{function}: poses must hold a rotation of {limb.name!r}, got zero")
    return np.asarray(quat.normalize(quat.multiply(quat.conjugate(limb.rotation), rotations)))


def swing_and_twist(relative: Floats, axis: Floats) -> tuple[Floats, Floats]:
    """Return the swing as a rotation vector, shape (..., 3), and the angle of the twist, in [-pi, pi]."""
    swing, twist = quat.swing_twist(relative, axis)
    return quat.to_rotation_vector(swing), 2 * np.arctan2(twist[..., :3] @ axis, twist[..., 3])


def observed(
    what: str, skeleton: Skeleton, joint: Joint, poses: ArrayLike, child: Joint | None, margin: float
) -> tuple[Limb, Floats, float]:
    """Return what a limit is fitted to: the limb, relative rotations (N, 4), and the margin."""
    limb = limb_at(what, skeleton, joint, child)
    relative = relative_rotations(what, limb, as_numbers(poses, f"{what}: poses")).reshape(-1, 4)
    if not len(relative):
        raise ValueError(f"{what}: poses must hold at least one pose, got none")
    if not np.isfinite(relative).all():
        raise ValueError(f"{what}: poses must hold finite rotations of {limb.name!r}, got NaN or infinity")
    return limb, relative, check_number(margin, f"{what}: margin", least=0) + ROUNDING
