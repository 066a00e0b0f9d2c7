# SPDX-License-Identifier: MIT
"""Where a body faces: its left, up and forward directions in model space."""

from __future__ import annotations

import numpy as np

from lissom._retarget.limbs import LEG_BONES
from lissom._retarget.posed import Floats
from lissom._roles.bones import SIDES
from lissom._roles.roles import Roles

__all__ = ["facing"]

NEAR_AXIS = np.cos(np.radians(40.0))  # a direction nearer to a coordinate axis is taken to be that axis
STRETCHED = 0.9  # of its length: a leg that is not farther from hip to foot sits or crouches
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
    up = _up(roles, positions)
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


def _up(roles: Roles, positions: Floats) -> Floats:
    """Return where stretched legs, or any of animals, point from the feet; else where the trunk does.

    Trunks of humanoids need not be upright: that of a dinosaur is level.
    """
    names = [side + end for side in SIDES for end in ("", "Fore", "Hind")]
    legs = [
        positions[[roles.index(name + bone) for bone in LEG_BONES]]
        for name in names
        if all(name + bone in roles for bone in LEG_BONES)
    ]
    from_feet = [hip - foot for hip, _, foot in legs]
    lengths = [np.linalg.norm(np.diff(leg, axis=0), axis=1).sum() for leg in legs]
    is_stretched = all(
        np.linalg.norm(line) > STRETCHED * length for line, length in zip(from_feet, lengths, strict=True)
    )
    if legs and (is_stretched or roles.kind == "quadruped"):
        return np.asarray(np.mean(from_feet, axis=0))
    hips = [positions[roles.index(side + "UpperLeg")] for side in SIDES if side + "UpperLeg" in roles]
    low = np.mean(hips, axis=0) if hips else positions[roles.index("hips")]
    tops = [role for role in ("head", "neck", "upperChest", "chest", "spine") if role in roles]
    arms = [positions[roles.index(side + "UpperArm")] for side in SIDES if side + "UpperArm" in roles]
    if not tops and not arms:
        return np.array([0.0, 1.0, 0.0])
    return np.asarray((positions[roles.index(tops[0])] if tops else np.mean(arms, axis=0)) - low)


def _snapped(unit: Floats) -> Floats:
    axis = int(np.argmax(np.abs(unit)))
    if abs(unit[axis]) < NEAR_AXIS:
        return unit
    return np.asarray(np.copysign(np.eye(3)[axis], unit[axis]))
