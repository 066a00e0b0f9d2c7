# SPDX-License-Identifier: MIT
"""Where a body faces: its left, up and forward directions in model space."""

from __future__ import annotations

import numpy as np

from lissom._retarget.posed import Floats
from lissom._roles.bones import SIDES
from lissom._roles.roles import Roles

__all__ = ["facing"]

NEAR_AXIS = np.cos(np.radians(40.0))  # a direction nearer to a coordinate axis is taken to be that axis
PAIRED = ("UpperLeg", "UpperArm", "Shoulder", "ForeUpperLeg", "HindUpperLeg", "LowerLeg", "LowerArm")


def facing(what: str, roles: Roles, positions: Floats) -> Floats:
    """Return left, up and forward as the columns of a rotation matrix.

    The rest pose may lean or turn a little: directions near a coordinate axis are that axis.
    """
    across = np.zeros(3)
    for bone in PAIRED:
        joints = [roles.index(side + bone) for side in SIDES if side + bone in roles]
        if len(joints) == 2:
            across += positions[joints[0]] - positions[joints[1]]
    if not np.linalg.norm(across) > 0:
        raise ValueError(
            f"{what} must have legs or arms on both sides, apart from each other, to tell where it faces; "
            f"got roles {', '.join(roles.joints) or 'none'}"
        )
    if roles.kind == "quadruped":
        legs = [
            (positions[roles.index(name + "UpperLeg")], positions[roles.index(name + "Foot")])
            for name in (side + end for side in SIDES for end in ("Fore", "Hind"))
            if name + "UpperLeg" in roles and name + "Foot" in roles
        ]
        up = np.mean([hip - foot for hip, foot in legs], axis=0) if legs else np.array([0.0, 1.0, 0.0])
        if not np.linalg.norm(up) > 0:
            raise ValueError(f"{what} must not have all joints at one position in its reference pose")
        up = _snapped(up / np.linalg.norm(up))
    else:
        low = [positions[roles.index(side + "UpperLeg")] for side in SIDES if side + "UpperLeg" in roles]
        foot = np.mean(low, axis=0) if low else positions[roles.index("hips")]
        tops = [role for role in ("head", "neck", "upperChest", "chest", "spine") if role in roles]
        arms = [positions[roles.index(side + "UpperArm")] for side in SIDES if side + "UpperArm" in roles]
        top = positions[roles.index(tops[0])] if tops else np.mean(arms, axis=0) if arms else None
        up = np.array([0.0, 1.0, 0.0]) if top is None else top - foot
        if not np.linalg.norm(up) > 0:
            raise ValueError(f"{what} must not have all joints at one position in its reference pose")
        up = _snapped(up / np.linalg.norm(up))
    left = across - (across @ up) * up
    if not np.linalg.norm(left) > 1e-6 * np.linalg.norm(across):
        raise ValueError(f"{what} must have its left and right beside each other, got them above each other")
    left = left / np.linalg.norm(left)
    forward = _snapped(np.cross(left, up))
    forward = forward - (forward @ up) * up
    forward /= np.linalg.norm(forward)
    return np.stack([np.cross(up, forward), up, forward], axis=1)


def _snapped(unit: Floats) -> Floats:
    axis = int(np.argmax(np.abs(unit)))
    if abs(unit[axis]) < NEAR_AXIS:
        return unit
    return np.asarray(np.copysign(np.eye(3)[axis], unit[axis]))
