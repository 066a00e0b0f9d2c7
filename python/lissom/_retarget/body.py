# SPDX-License-Identifier: MIT
"""One of the two bodies of a retarget, in its reference pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lissom._retarget import limbs as limb_table
from lissom._retarget.facing import facing
from lissom._retarget.limbs import Limb, length
from lissom._retarget.posed import Floats, Posed, posed
from lissom._retarget.reference_pose import reference_pose
from lissom._retarget.soles import FootShape, foot_shape
from lissom._rig.skeleton import Skeleton
from lissom._roles.roles import Roles
from lissom.ik._feet.legs import Leg
from lissom.ik._feet.rig import Rig, rig_of

__all__ = ["BodySetup", "body_setup", "measure_feet"]

AT_ORIGIN = 0.25  # of a leg: hips that rest nearer to height 0 are those of files with heights in clips
AT_GROUND = 0.05  # of the height: rest poses whose lowest point is nearer to 0 stand on their ground


@dataclass(eq=False)
class BodySetup:
    """One of the two bodies, in its reference pose.

    Attributes
    ----------
    which : str
        "source" or "target".
    given : Character or Skeleton
    rig : Rig
        What was given, with ends for shins that end with the knee: all indices are of its joints.
    roles : Roles
    pose : ndarray of float64, shape (J, 10)
        The reference pose, local trs.
    pose_name : str
        "rest", "bind" or "given".
    reference, rest : Posed
    frame : ndarray of float64, shape (3, 3)
        Left, up and forward as columns.
    legs, arms : list of Limb
    without_goals : dict of str to str
        Why other limbs have no goals.
    feet : dict of str to FootShape
        By leg that the other body has, too.
    floor : float
        Height of the ground.
    """

    which: str
    given: Any
    rig: Rig
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
        """Of the rig."""
        return self.rig.skeleton

    @property
    def given_skeleton(self) -> Skeleton:
        """Without the ends that the rig adds."""
        return self.given if isinstance(self.given, Skeleton) else self.given.skeleton

    @property
    def up(self) -> Floats:
        """Unit, in model space."""
        return np.asarray(self.frame[:, 1])

    @property
    def hips(self) -> int:
        """The joint."""
        return self.roles.index("hips")

    def height(self, point: Floats) -> float:
        """Return the height of a place in model space."""
        return float(point @ self.up)

    def leg(self, limb: Limb, *, of_rig: bool = True) -> Leg:
        """Return a leg as foot placement takes it: one of the rig, or of what was given."""
        names = self.skeleton.names
        has_end = of_rig or limb.end < len(self.given_skeleton)
        return Leg(
            names[limb.upper],
            names[limb.lower],
            names[limb.end] if has_end else None,
            None if limb.toes is None else names[limb.toes],
            foot=None if limb.is_whole else names[limb.foot],
            name=limb.name,
        )


def body_setup(which: str, given: Any, roles: Roles, pose: Any) -> BodySetup:
    """Put a body into its reference pose; refuse one that has none."""
    what = f"Retarget: {which}"
    rig = rig_of("Retarget", given, which)
    shins = limb_table.shins(rig, roles)
    if shins:
        rig = rig.with_shin_ends(shins)
        roles = Roles(rig.skeleton, roles.kind, roles.joints, roles.missing, roles.ambiguous)
    skeleton = rig.skeleton
    local, name = reference_pose(f"Retarget: {which}_pose", pose, rig, roles)
    reference, rest = posed(skeleton, local), posed(skeleton, skeleton.rest.astype(np.float64))
    used = [skeleton.index(joint) for joint in roles.joints.values()]
    if len(used) < 2:
        raise ValueError(
            f"{what} must have more joints with roles than one, got {', '.join(roles.joints)}; name limbs, "
            "too"
        )
    if not np.ptp(reference.positions[used], axis=0).max() > 0:
        raise ValueError(
            f"{what} must have a reference pose with its joints apart, got one with all at one "
            f"position; pass {which}_pose"
        )
    frame = facing(what, roles, reference.positions)
    legs, without_legs = limb_table.legs(roles, rest)
    arms, without_arms = limb_table.arms(roles, rest)
    without = without_legs | without_arms
    setup = BodySetup(which, given, rig, roles, local, name, reference, rest, frame, legs, arms, without)
    _check_bones(what, setup)
    return setup


def _check_bones(what: str, setup: BodySetup) -> None:
    places, names = setup.reference.positions, setup.skeleton.names
    extent = float(np.ptp(places, axis=0).max())
    for limb in (*setup.legs, *setup.arms):
        for first, second in ((limb.upper, limb.lower), (limb.lower, limb.end)):
            if not np.linalg.norm(places[second] - places[first]) > 1e-5 * extent:
                raise ValueError(
                    f"{what} must have limbs with a length, got {names[first]!r} and {names[second]!r} at "
                    "one position"
                )


def measure_feet(body: BodySetup, legs: Sequence[Limb], *, is_needed: bool) -> None:
    """Measure the feet of these legs of a body, and the height of the ground; refuse a body without legs."""
    if is_needed and not any(role.endswith("UpperLeg") for role in body.roles.joints):
        reasons = [f"{name}: {why}" for name, why in body.without_goals.items() if name.endswith("Foot")]
        raise ValueError(
            f"Retarget: feet must have legs in the {body.which}, got none ({'; '.join(reasons)}); name "
            "their joints by roles, or ask for no feet"
        )
    if not legs:
        return
    what = f"Retarget: {body.which}"
    for limb in legs:
        body.feet[limb.name] = foot_shape(what, body.rig, body.leg(limb), body.pose, body.frame)
    lowest = min(shape.floor for shape in body.feet.values())
    if body.pose_name == "bind":
        _put_on_ground(body, lowest)
        return
    hips = body.height(body.reference.positions[body.hips])
    leg_length = max(length(body.reference.positions, limb) for limb in body.legs)
    # Motion capture rests with the hips at the origin, and its clips have the height: their ground is 0.
    hangs = abs(hips) < AT_ORIGIN * leg_length and lowest < -AT_ORIGIN * leg_length
    body.floor = 0.0 if hangs else lowest


def _put_on_ground(body: BodySetup, lowest: float) -> None:
    """Move a bind pose, whose height says nothing, to where the rest pose stands; else to the height 0."""
    rest = float((body.rest.positions @ body.up).min())
    if body.rig.character is not None:
        rest = float((body.rig.character.deform(body.skeleton.rest.astype(np.float64)) @ body.up).min())
    body.floor = rest if abs(rest) < AT_GROUND * float(np.ptp(body.reference.positions @ body.up)) else 0.0
    roots = np.flatnonzero(body.skeleton.parents < 0)
    body.pose[roots, :3] += (body.floor - lowest) * body.up
    body.reference = posed(body.skeleton, body.pose)
