# SPDX-License-Identifier: MIT
"""Legs by the roles of their joints: upper leg, lower leg and foot of both sides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom._roles.roles import Roles
from lissom.ik._axes import Floats
from lissom.ik._feet.leg_joints import LegJoints
from lissom.ik._feet.rig import Rig, hierarchy_mask, joint_weights

LIMBS = {"humanoid": ("left", "right"), "quadruped": ("leftFore", "rightFore", "leftHind", "rightHind")}
BONES = ("UpperLeg", "LowerLeg", "Foot")
KNEE = np.radians(20.0)  # a joint without a role is a knee, and no twist joint, that is bent by more at rest
REACHED = 0.02  # of the size: a joint of the shin this near to a foot beside the leg is the shin's end


def role_legs(rig: Rig, roles: Roles) -> tuple[LegJoints, ...]:
    """Return the legs that roles name, in the order of their hips; empty unless they name all of them.

    The ankle of a leg whose shin has no end is beyond the joints of the skeleton.
    """
    limbs = LIMBS.get(roles.kind, ())
    if not limbs or missing_bones(roles) or (roles.kind == "humanoid" and not _has_arms(roles)):
        return ()
    moves = _moves(rig)
    positions = rig.skeleton.positions(rig.skeleton.rest.astype(np.float64))
    legs = [_leg_of(rig, roles, limb, moves, positions) for limb in limbs]
    return tuple(sorted(legs, key=lambda leg: leg.chain[0]))


def _has_arms(roles: Roles) -> bool:
    """Return whether a body has arms: insects, birds and robots that are read as people have none."""
    return "leftUpperArm" in roles and "rightUpperArm" in roles


def missing_bones(roles: Roles) -> dict[str, str]:
    """Return the roles of legs that a body lacks, with the reason."""
    bones = [limb + bone for limb in LIMBS.get(roles.kind, ()) for bone in BONES]
    return {role: roles.missing.get(role, "") for role in bones if role not in roles}


def _moves(rig: Rig) -> Floats:
    """Return the weight of vertices on each joint and those below it, (J,); 1 where there is no mesh."""
    if rig.character is None:
        return np.ones(len(rig.skeleton))
    influences = joint_weights(rig)
    weights = np.bincount(
        influences["joint"].ravel(), influences["weight"].ravel(), minlength=len(rig.skeleton)
    )
    return np.array([weights[hierarchy_mask(rig.skeleton, joint)].sum() for joint in range(len(weights))])


def _leg_of(rig: Rig, roles: Roles, limb: str, moves: Floats, positions: Floats) -> LegJoints:
    skeleton = rig.skeleton
    hip, foot = roles.index(limb + "UpperLeg"), roles.index(limb + "Foot")
    named = [roles.index(limb + bone) for bone in ("LowerLeg", "Metatarsus") if limb + bone in roles]
    below = np.flatnonzero(hierarchy_mask(skeleton, named[-1])).tolist()[1:]
    ankle = foot
    if foot not in below:
        gaps = np.linalg.norm(positions[below] - positions[foot], axis=1)
        near = bool(below) and bool(gaps.min() < REACHED * rig.size)
        ankle = below[int(gaps.argmin())] if near else len(skeleton)
        if near and not moves[foot] > 0:  # a control, and the mesh of the foot hangs on the shin
            foot = ankle
    chain = skeleton.chain(hip, named[-1] if ankle == len(skeleton) else ankle).tolist()
    chain += [ankle] if ankle == len(skeleton) else []
    places = np.append(positions, positions[foot][None], axis=0)[chain]
    knees = [
        joint
        for joint, bend in zip(chain[1:-1], _bends(places), strict=True)
        if joint in named or (bend > KNEE and joint not in roles.joints.values())
    ]
    toe = roles.index(limb + "Toes") if limb + "Toes" in roles else None
    if toe is not None and not (skeleton.is_in_hierarchy(toe, foot) and moves[toe] > 0):
        toe = None
    return LegJoints(skeleton.names[foot], tuple(chain), (hip, *knees), ankle, toe, foot)


def _bends(places: Floats) -> Sequence[float]:
    """Return the angle between the bones at each joint between the ends of a line, radians."""
    bones = np.diff(places, axis=0)
    upper, lower = bones[:-1], bones[1:]
    cross = np.linalg.norm(np.cross(upper, lower), axis=1)
    return list(np.arctan2(cross, np.sum(upper * lower, axis=1)))
