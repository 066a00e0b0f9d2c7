# SPDX-License-Identifier: MIT
"""A character's legs, prepared once for foot placement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_arrays import Joint
from lissom.ik._axes import Floats
from lissom.ik._feet.leg_joints import LegJoints
from lissom.ik._feet.legs import Leg, checked_legs
from lissom.ik._feet.rig import Rig, hierarchy_mask, joint_weights
from lissom.ik._feet.sole_points import SolePoints
from lissom.ik._feet.soles import Sole, measured_soles

STRAIGHT = 0.999  # of a leg's length: bodies are lowered and feet released so that legs need not be longer
SOFT = 0.01  # largest weight of the sole's vertices on joints other than the foot's that is ignored


@dataclass(frozen=True, eq=False)
class FootRig:
    """The legs and soles of a character.

    Attributes
    ----------
    bodies : tuple of int
        The joints that are moved to raise and lower the body: one that all legs descend from, or the roots.
    lengths : ndarray, shape (L,)
        Lengths of the legs: the sum of the bones from hip to ankle in the rest pose.
    floor : float
        Height along `up`, in model space, of the ground that the animation was made for.
    """

    rig: Rig
    legs: tuple[Leg, ...]
    joints: tuple[LegJoints, ...]
    soles: tuple[Sole, ...]
    points: SolePoints
    bodies: tuple[int, ...]
    lengths: Floats
    floor: float
    is_soft: bool
    """Whether joints other than those of the foot move its sole."""

    @property
    def skeleton(self) -> Skeleton:
        return self.rig.skeleton

    @property
    def hips(self) -> list[int]:
        return [leg.chain[0] for leg in self.joints]

    @property
    def ankles(self) -> list[int]:
        return [leg.ankle for leg in self.joints]


def foot_rig(
    function: str,
    rig: Rig,
    legs: Any,
    stance: ArrayLike | None,
    up: Floats,
    floor: float | None,
    body: Joint | None,
) -> FootRig:
    """Prepare a character's legs; refuse joints that do not exist."""
    rig, leg_tuple, joints = checked_legs(function, rig, legs)
    soles = measured_soles(function, rig, joints, stance, up)
    positions = rig.skeleton.positions(rig.skeleton.rest.astype(np.float64))
    lengths = [
        float(np.linalg.norm(np.diff(positions[list(leg.chain)], axis=0), axis=1).sum()) for leg in joints
    ]
    for leg, length in zip(leg_tuple, lengths, strict=True):
        if not length > 0:
            raise ValueError(
                f"{function}: legs must have a length, got {leg!r}, whose joints rest at one position"
            )
    return FootRig(
        rig,
        leg_tuple,
        tuple(joints),
        tuple(soles),
        SolePoints.of(soles),
        body_joints(function, rig, joints, body),
        np.array(lengths),
        float(np.median([sole.floor for sole in soles])) if floor is None else floor,
        any(_is_soft(rig.skeleton, leg, sole) for leg, sole in zip(joints, soles, strict=True)),
    )


def _is_soft(skeleton: Skeleton, leg: LegJoints, sole: Sole) -> bool:
    own = hierarchy_mask(skeleton, leg.foot) | hierarchy_mask(skeleton, leg.ankle)
    return bool(sole.turns and (sole.weights * ~own[sole.joints]).max(initial=0.0) > SOFT)


def body_joints(function: str, rig: Rig, joints: Sequence[LegJoints], body: Joint | None) -> tuple[int, ...]:
    """Return the joints that are moved to raise or lower the body: one above all legs, or the roots."""
    skeleton = rig.skeleton
    if body is not None:
        index = skeleton._index_of(body, f"{function}: body")
        for leg in joints:
            if not skeleton.is_in_hierarchy(leg.chain[0], index):
                raise ValueError(
                    f"{function}: body must be a joint that all legs descend from, got "
                    f"{skeleton.names[index]!r}, from which {leg.name!r} does not"
                )
        return (index,)
    parents = skeleton.parents.tolist()
    roots = tuple(np.flatnonzero(skeleton.parents < 0).tolist())
    lines = []  # the ancestors of each hip
    for leg in joints:
        line, joint = [], parents[leg.chain[0]]
        while joint >= 0:
            line.append(joint)
            joint = parents[joint]
        lines.append(line)
    shared = [joint for joint in lines[0] if all(joint in line for line in lines[1:])]
    if rig.character is None:
        return (shared[0],) if shared else roots
    # All other joints with weights must descend from it: a chest beside the hips would not move with them.
    weights = joint_weights(rig)
    has_weight = np.zeros(len(skeleton), bool)
    has_weight[weights["joint"][weights["weight"] > 0]] = True
    for leg in joints:
        has_weight &= ~hierarchy_mask(skeleton, leg.foot)
    for joint in shared:
        if not (has_weight & ~hierarchy_mask(skeleton, joint)).any():
            return (joint,)
    return roots
