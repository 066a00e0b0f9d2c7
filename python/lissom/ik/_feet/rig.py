# SPDX-License-Identifier: MIT
"""A character's legs, prepared once for putting its feet on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._rig.skeleton import Joint, Skeleton
from lissom.ik._feet.legs import Leg, LegJoints, checked_legs
from lissom.ik._feet.sole_points import SolePoints
from lissom.ik._feet.soles import Rig, Sole, below, joint_weights, measured_soles

Floats = NDArray[np.float64]

STRAIGHT = 0.999  # of a leg's length: bodies are lowered and feet let go so that legs need not be longer
SOFT = 0.01  # weight of a vertex of the sole on other joints than the foot's


@dataclass(frozen=True, eq=False)
class FootRig:
    """What foot placement knows of a character.

    Attributes
    ----------
    bodies : tuple of int
        The joints that are moved to raise and lower the body: one that all legs hang below, or the roots.
    lengths : ndarray, shape (L,)
        Of the legs: the bones from hip to ankle in the rest pose.
    floor : float
        Height along `up` in model space at which the feet stand in the stance measured.
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
    """Whether the mesh lets other joints than those of the foot move its sole."""

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
    """Prepare a character's legs; refuse joints that are not there."""
    given, joints = checked_legs(function, rig.skeleton, legs)
    soles = measured_soles(function, rig, given, stance, up)
    places = rig.skeleton.positions(rig.skeleton.rest.astype(np.float64))
    lengths = [
        float(np.linalg.norm(np.diff(places[list(leg.chain)], axis=0), axis=1).sum()) for leg in joints
    ]
    for leg, length in zip(given, lengths, strict=True):
        if not length > 0:
            raise ValueError(f"{function}: {leg!r} must have a length, got joints that rest at one place")
    return FootRig(
        rig,
        given,
        tuple(joints),
        tuple(soles),
        SolePoints.of(soles),
        bodies_of(function, rig, joints, body),
        np.array(lengths),
        float(np.median([sole.floor for sole in soles])) if floor is None else floor,
        any(_is_soft(rig.skeleton, leg, sole) for leg, sole in zip(joints, soles, strict=True)),
    )


def _is_soft(skeleton: Skeleton, leg: LegJoints, sole: Sole) -> bool:
    own = below(skeleton, leg.foot) | below(skeleton, leg.ankle)
    return bool(sole.turns and (sole.weights * ~own[sole.joints]).max(initial=0.0) > SOFT)


def bodies_of(function: str, rig: Rig, joints: Sequence[LegJoints], body: Joint | None) -> tuple[int, ...]:
    """Give the joints that are moved to raise or lower the body: one above all legs, or the roots."""
    skeleton = rig.skeleton
    if body is not None:
        try:
            index = skeleton.index(body)
        except (TypeError, ValueError) as error:
            reason = str(error).removeprefix("Skeleton: ")
            raise type(error)(f"{function}: body: {reason}") from None
        for leg in joints:
            if not skeleton.is_in_hierarchy(leg.chain[0], index):
                raise ValueError(
                    f"{function}: body must be a joint that all legs hang below, but {leg.name!r} does not "
                    f"hang below {skeleton.names[index]!r}"
                )
        return (index,)
    parents = skeleton.parents.tolist()
    lines = []
    for leg in joints:
        line, joint = [], parents[leg.chain[0]]
        while joint >= 0:
            line.append(joint)
            joint = parents[joint]
        lines.append(line)
    shared = [joint for joint in lines[0] if all(joint in line for line in lines[1:])]
    if not rig.has_mesh:
        return (shared[0],) if shared else tuple(np.flatnonzero(skeleton.parents < 0).tolist())
    # Not lower than what carries the rest of the body: a chest beside the hips would stay behind.
    weights = joint_weights(rig)
    carrying = np.zeros(len(skeleton), bool)
    carrying[weights["joint"][weights["weight"] > 0]] = True
    for leg in joints:
        carrying &= ~below(skeleton, leg.foot)
    for joint in shared:
        if not (carrying & ~below(skeleton, joint)).any():
            return (joint,)
    return tuple(np.flatnonzero(skeleton.parents < 0).tolist())
