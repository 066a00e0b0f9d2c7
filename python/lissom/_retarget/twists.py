# SPDX-License-Identifier: MIT
"""Twist joints: those of a limb that play no role share the twist of the bone they lie along.

A joint below the lower arm takes the part of the hand's twist that its place along the bone says, so that
skin does not wring at the wrist; one below the upper arm takes back what of the arm's own twist the shoulder
should not show.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom import quat
from lissom._retarget.posed import Floats, Posed
from lissom._roles.bones import SIDES
from lissom._roles.roles import Roles
from lissom._roles.words import word_of

__all__ = ["Twist", "twists"]

UPPER = ("UpperArm", "UpperLeg")
BELOW = {"UpperArm": "LowerArm", "LowerArm": "Hand", "UpperLeg": "LowerLeg", "LowerLeg": "Foot"}


class Twist(NamedTuple):
    """A twist joint, by index: see RetargetTwist in src/core/retarget/retarget_plan.h."""

    joint: int
    base: int
    other: int
    is_from_above: bool
    power: float
    axis: Floats
    rest: Floats
    base_from_joint: Floats


def twists(roles: Roles, turned: set[int], rest: Posed) -> list[Twist]:
    """Return the twist joints of limbs whose joints are turned."""
    skeleton, found = roles.skeleton, []
    players = {skeleton.index(joint) for joint in roles.joints.values()}
    for side in SIDES:
        for bone, end_bone in BELOW.items():
            if side + bone not in roles or side + end_bone not in roles:
                continue
            base, end = roles.index(side + bone), roles.index(side + end_bone)
            if base not in turned or end not in turned:
                continue
            axis_model = rest.positions[end] - rest.positions[base]
            length = float(np.linalg.norm(axis_model))
            if not length > 0:
                continue
            axis = np.asarray(quat.rotate(quat.conjugate(rest.rotations[base]), axis_model / length))
            from_above = bone in UPPER
            other = _above(roles, base, turned) if from_above else end
            if other is None:
                continue
            first, second = (other, base) if from_above else (base, end)
            relative = quat.multiply(quat.conjugate(rest.rotations[first]), rest.rotations[second])
            for joint, name in enumerate(skeleton.names):
                word = word_of(name)
                if not word.is_twist or joint in players or not _is_on(roles, joint, base, end):
                    continue
                share = (rest.positions[joint] - rest.positions[base]) @ axis_model / length**2
                share = float(np.clip(share, 0, 1))
                own = quat.multiply(quat.conjugate(rest.rotations[base]), rest.rotations[joint])
                found.append(
                    Twist(
                        joint,
                        base,
                        other,
                        from_above,
                        share - 1 if from_above else share,
                        axis,
                        np.asarray(relative),
                        np.asarray(own),
                    )
                )
    return found


def _is_on(roles: Roles, joint: int, base: int, end: int) -> bool:
    """Return whether a joint hangs on a bone: below its base, not below its end."""
    skeleton = roles.skeleton
    return (
        joint != base and skeleton.is_in_hierarchy(joint, base) and not skeleton.is_in_hierarchy(joint, end)
    )


def _above(roles: Roles, joint: int, turned: set[int]) -> int | None:
    """Return the nearest joint above that is turned."""
    parents = roles.skeleton.parents
    joint = int(parents[joint])
    while joint >= 0 and joint not in turned:
        joint = int(parents[joint])
    return joint if joint >= 0 else None
