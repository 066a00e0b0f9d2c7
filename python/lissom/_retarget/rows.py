# SPDX-License-Identifier: MIT
"""Rows of the plan for limbs, and for joints that hang elsewhere than in other bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import quat
from lissom._retarget.body import BodySetup
from lissom._retarget.limbs import Limb, length
from lissom._retarget.plan import PLACE
from lissom._retarget.posed import Floats
from lissom._roles.roles import Roles

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["factor", "fill_limb", "place_rows"]

STRAIGHT = 0.9995  # of a limb's length: goals are at most so far away
CONTACT = 0.04  # of a foot's length: see RetargetLimb.contact
LIFTED = 0.1  # of a foot's length: see RetargetLimb.lifted
IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])
ABOVE = {
    "spine": ("hips",),
    "chest": ("spine", "hips"),
    "upperChest": ("chest", "spine", "hips"),
    "neck": ("upperChest", "chest", "spine", "hips"),
    "head": ("neck", "upperChest", "chest", "spine", "hips"),
    "tail": ("hips",),
    "Shoulder": ("upperChest", "chest", "spine", "hips"),
    "UpperArm": ("Shoulder", "upperChest", "chest", "spine", "hips"),
    "LowerArm": ("UpperArm",),
    "Hand": ("LowerArm",),
    "UpperLeg": ("hips",),
    "LowerLeg": ("UpperLeg",),
    "Foot": ("LowerLeg",),
    "Toes": ("Foot",),
    "ForeShoulder": ("upperChest", "chest", "spine", "hips"),
    "ForeUpperLeg": ("ForeShoulder", "upperChest", "chest", "spine", "hips"),
    "ForeLowerLeg": ("ForeUpperLeg",),
    "ForeFoot": ("ForeLowerLeg",),
    "ForeToes": ("ForeFoot",),
    "HindHip": ("hips",),
    "HindUpperLeg": ("HindHip", "hips"),
    "HindLowerLeg": ("HindUpperLeg",),
    "HindMetatarsus": ("HindLowerLeg",),
    "HindFoot": ("HindMetatarsus", "HindLowerLeg"),
    "HindToes": ("HindFoot",),
}


def factor(source: BodySetup, joint: int, rotation: Floats, rest: Floats) -> Floats:
    """Return what takes the source's joint to a joint that is `rest` in the reference pose."""
    back = quat.conjugate(quat.multiply(rotation, source.reference.rotations[joint]))
    return np.asarray(quat.multiply(back, rest), np.float64)


def fill_limb(
    row: Any,
    source: BodySetup,
    target: BodySetup,
    first: Limb,
    second: Limb,
    is_leg: bool,
    rotation: Floats,
    align: Floats,
    ratio: float,
    shift: Floats,
    turns: dict[int, Floats],
    sides: dict[str, Floats],
) -> None:
    """Fill the row of a limb of the source, `first`, and the one of the target, `second`."""
    row["source_upper"], row["source_end"] = first.upper, first.foot
    row["source_toes"] = first.foot if first.toes is None else first.toes
    row["upper"], row["lower"], row["end"], row["is_leg"] = second.upper, second.lower, second.end, is_leg
    row["reach"] = STRAIGHT
    own = length(target.rest.positions, second)
    row["scale"] = own / (ratio * length(source.reference.positions, first))
    for name, joint in (("end_factor", first.foot), ("toes_factor", row["source_toes"])):
        row[name] = factor(source, int(joint), rotation, IDENTITY)
    row["contact"] = row["lifted"] = 1.0
    if not is_leg:
        return
    row["origin"], row["sideways"] = shift, sides[second.name]
    heel, ball, tip = ratio * source.feet[first.name].points @ align.T
    own_heel, own_ball, own_tip = target.feet[second.name].points
    row["contact"] = max(CONTACT * float(np.linalg.norm(tip - heel)), 1e-9)
    row["lifted"] = LIFTED / CONTACT * row["contact"]
    has_toes, turns_toes = first.toes is not None, second.toes in turns
    for point, (theirs, ours, is_tip) in zip(
        row["points"], ((heel, own_heel, False), (ball, own_ball, False), (tip, own_tip, True)), strict=True
    ):
        source_foot, source_toes = (ball, theirs - ball) if is_tip and has_toes else (theirs, np.zeros(3))
        own_foot, own_toes = (own_ball, ours - own_ball) if is_tip and turns_toes else (ours, np.zeros(3))
        point["source_foot"], point["source_toes"] = source_foot, source_toes
        point["surplus_foot"], point["surplus_toes"] = own_foot - source_foot, own_toes - source_toes


def place_rows(
    target: BodySetup, turned: set[int], limbs: list[tuple[Limb, Limb, bool]]
) -> tuple[NDArray[np.void], dict[int, list[int]]]:
    """Return rows of joints that do not hang on the joint that carries them, and the joints they need."""
    roles, skeleton = target.roles, target.skeleton
    rows, needs = [], {}
    goals = {
        second.foot: index
        for index, (_, second, is_leg) in enumerate(limbs)
        if is_leg and second.foot != second.end
    }
    for role in roles.joints:
        joint = roles.index(role)
        carrier = _carrier(roles, role)
        if carrier is None or joint not in turned or skeleton.is_in_hierarchy(joint, carrier):
            continue
        row = np.zeros(1, PLACE)
        offset = target.rest.positions[joint] - target.rest.positions[carrier]
        row["offset"] = quat.rotate(quat.conjugate(target.rest.rotations[carrier]), offset)
        row["joint"], row["from"], row["limb"] = joint, carrier, goals.get(joint, -1)
        rows.append(row)
        needs[joint] = [carrier] if joint not in goals else [limbs[goals[joint]][1].end, carrier]
    return np.concatenate(rows) if rows else np.zeros(0, PLACE), needs


def _carrier(roles: Roles, role: str) -> int | None:
    """Return the joint that carries the one of a role in any body."""
    side = next((each for each in ("left", "right") if role.startswith(each)), "")
    for above in ABOVE.get(role.removeprefix(side), ()):
        name = above if above in roles and above[0].islower() else side + above
        if name in roles:
            return roles.index(name)
    return None
