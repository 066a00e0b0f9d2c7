# SPDX-License-Identifier: MIT
"""One of the two bodies of a retarget, in its reference pose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._retarget import limbs as limb_table
from lissom._retarget.facing import facing
from lissom._retarget.limbs import Limb, length
from lissom._retarget.posed import Floats, Posed, posed
from lissom._retarget.reference_pose import reference_pose
from lissom._retarget.soles import FootShape, foot_shape
from lissom._rig.skeleton import Skeleton
from lissom._roles.roles import Roles

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["BodySetup", "body_setup", "measure_feet"]

AT_ORIGIN = 0.25  # of a leg: hips that rest nearer to height 0 are those of files with heights in clips
AT_GROUND = 0.05  # of the height: rest poses whose lowest point is nearer to 0 stand on their ground


@dataclass(eq=False)
class BodySetup:
    """One of the two bodies, in its reference pose."""

    which: str
    character: Character | None
    roles: Roles
    pose: Floats
    pose_name: str
    reference: Posed
    rest: Posed
    frame: Floats
    legs: list[Limb] = field(default_factory=list)
    arms: list[Limb] = field(default_factory=list)
    without_goals: dict[str, str] = field(default_factory=dict)
    feet: dict[str, FootShape] = field(default_factory=dict)
    floor: float = 0.0

    @property
    def skeleton(self) -> Skeleton:
        """Of the body."""
        return self.roles.skeleton

    @property
    def owner(self) -> Any:
        """What measures soles: the character, or the skeleton where there is no mesh."""
        return self.skeleton if self.character is None else self.character

    def height(self, point: Floats) -> float:
        """Return the height of a place in model space."""
        return float(point @ self.frame[:, 1])


def body_setup(which: str, body: Any, character: Character | None, roles: Roles, pose: Any) -> BodySetup:
    """Put a body into its reference pose; refuse one that has none."""
    what = f"Retarget: {which}"
    skeleton = roles.skeleton
    local, name = reference_pose(f"Retarget: {which}_pose", pose, character, roles)
    reference, rest = posed(skeleton, local), posed(skeleton, skeleton.rest.astype(np.float64))
    used = [skeleton.index(joint) for joint in roles.joints.values()]
    if not np.ptp(reference.positions[used], axis=0).max() > 0:
        raise ValueError(
            f"{what} must have a reference pose with its joints apart, got one with all at one "
            f"position; pass {which}_pose"
        )
    setup = BodySetup(
        which, character, roles, local, name, reference, rest, facing(what, roles, reference.positions)
    )
    setup.legs, without_legs = limb_table.legs(roles, rest)
    setup.arms, without_arms = limb_table.arms(roles, rest)
    setup.without_goals = without_legs | without_arms
    _check_bones(what, setup)
    return setup


def _check_bones(what: str, setup: BodySetup) -> None:
    places, roles = setup.reference.positions, setup.roles
    extent = float(np.ptp(places, axis=0).max())
    for limb in (*setup.legs, *setup.arms):
        for first, second in ((limb.upper, limb.lower), (limb.lower, limb.end)):
            if not np.linalg.norm(places[second] - places[first]) > 1e-5 * extent:
                names = roles.skeleton.names
                raise ValueError(
                    f"{what} must have limbs with a length, got {names[first]!r} and {names[second]!r} at "
                    "one position"
                )


def measure_feet(source: BodySetup, target: BodySetup, feet: bool) -> None:
    """Measure the feet that both bodies have, and the height of the ground; `feet` requires legs."""
    for body in (source, target):
        both = [
            limb
            for limb in body.legs
            if any(limb.name == other.name for other in _other(body, source, target).legs)
        ]
        if feet and not any(role.endswith("UpperLeg") for role in body.roles.joints):
            reasons = [f"{name}: {why}" for name, why in body.without_goals.items() if name.endswith("Foot")]
            raise ValueError(
                f"Retarget: feet must have legs in the {body.which}, got none ({'; '.join(reasons)}); name "
                "their joints with roles=, or pass feet=False"
            )
        for limb in both:
            leg = limb_table.leg_of(body.roles, limb)
            body.feet[limb.name] = foot_shape(
                f"Retarget: {body.which}", body.roles, leg, body.owner, body.pose, body.frame
            )
        if not body.feet:
            continue
        lowest = min(shape.floor for shape in body.feet.values())
        if body.pose_name == "bind":
            _put_on_ground(body, lowest)
            continue
        hips = body.height(body.reference.positions[body.roles.index("hips")])
        leg_length = max(length(body.reference.positions, limb) for limb in body.legs)
        # Motion capture rests with the hips at the origin, and its clips have the height: their ground is 0.
        hangs = abs(hips) < AT_ORIGIN * leg_length and lowest < -AT_ORIGIN * leg_length
        body.floor = 0.0 if hangs else lowest


def _put_on_ground(body: BodySetup, lowest: float) -> None:
    """Move a bind pose, whose height says nothing, to where the rest pose stands; else to the height 0."""
    up = body.frame[:, 1]
    rest = float((body.rest.positions @ up).min())
    if body.character is not None and body.character.mesh is not None:
        rest = float((body.character.deform(body.skeleton.rest.astype(np.float64)) @ up).min())
    body.floor = rest if abs(rest) < AT_GROUND * float(np.ptp(body.reference.positions @ up)) else 0.0
    roots = np.flatnonzero(body.skeleton.parents < 0)
    body.pose[roots, :3] += (body.floor - lowest) * up
    body.reference = posed(body.skeleton, body.pose)


def _other(body: BodySetup, source: BodySetup, target: BodySetup) -> BodySetup:
    return target if body is source else source
