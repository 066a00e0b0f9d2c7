# SPDX-License-Identifier: MIT
"""Everything about two bodies that does not depend on the pose, prepared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core, quat
from lissom._retarget.alignment import Bones, aligned_rests
from lissom._retarget.body import BodySetup, measure_feet
from lissom._retarget.chains import Line, lines
from lissom._retarget.feet import Feet
from lissom._retarget.limbs import Limb, length
from lissom._retarget.plan import BODY, LIMB, TURN, TWIST, dependency_order
from lissom._retarget.posed import Floats, Posed, mirrored, posed
from lissom._retarget.rows import factor, fill_limb, place_rows
from lissom._retarget.twists import twists
from lissom._rig.skeleton import Skeleton
from lissom.ik._chain import Chain, tree_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Setup", "prepare"]

LOWERED = 0.2  # of a leg: the pelvis is lowered by at most so much
IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])


@dataclass(eq=False)
class Setup:
    """Two bodies, and what the core needs to carry poses over.

    Attributes
    ----------
    source, target : BodySetup
    roles : tuple of str
        Those that both have.
    source_of : dict of int to (int, int, float)
        By joint of the target the two joints of the source that it follows, and the weight of the second.
    align, rotation : ndarray, shape (3, 3), (4,)
        From the source's model space into the axes of the target: A.
    ratio : float
    shift : ndarray, shape (3,)
        X(p) = ratio A p + shift, for what stands on the ground.
    turns : dict of int to ndarray, shape (4,)
        Rotations in the target's model space that align its reference pose.
    lines : list of Line
    twist_joints : list of int
    limbs, leg_names : sequence of str
        Roles of the ends that have goals, and those of them that are feet.
    feet : (Feet, Feet)
        Of source and target, in the order of `leg_names`.
    sideways : ndarray, shape (E, 3)
        How much farther from the hips limbs of the target begin; zero for arms.
    plan, tree : _core.RetargetPlan, _core.IkTree or None
    has_end : ndarray of bool, shape (E,)
        Whether the joint that ends a limb carries its foot or hand.
    """

    source: BodySetup
    target: BodySetup
    roles: tuple[str, ...]
    source_of: dict[int, tuple[int, int, float]]
    align: Floats
    rotation: Floats
    ratio: float
    shift: Floats
    turns: dict[int, Floats]
    lines: list[Line]
    twist_joints: list[int]
    limbs: list[str]
    leg_names: tuple[str, ...]
    feet: tuple[Feet, Feet]
    sideways: Floats
    plan: Any
    tree: Any
    has_end: NDArray[np.bool_]


def prepare(source: BodySetup, target: BodySetup, feet: bool, hands: bool) -> Setup:
    """Return all that the core needs."""
    if source.roles.kind != target.roles.kind:
        kinds = " and ".join(f"a {body.roles.kind or 'body of none'}" for body in (source, target))
        raise ValueError(
            f"Retarget: source and target must be bodies of one kind, got {kinds}; name the joints that "
            "correspond: roles={role: (joint of the source, joint of the target)}"
        )
    roles = tuple(role for role in source.roles.joints if role in target.roles)
    own = {role: source.roles.index(role) for role in roles}
    their = {role: target.roles.index(role) for role in roles}
    align = target.frame @ source.frame.T  # from the source's model space into the target's axes
    rotation = np.asarray(quat.from_matrix(align), np.float64)
    up = target.frame[:, 1]
    bones = Bones(own, their, source.reference.positions @ align.T, target.reference.positions)
    found = lines(source.roles, target.roles)
    turns = aligned_rests(bones, found, up, target.frame[:, 2])
    source_of = _followed(own, their, found)
    turns = {joint: turn for joint, turn in turns.items() if joint in source_of}
    measure_feet(source, target, feet)
    ratio = _ratio(source, target)
    limbs = _limb_pairs(source, target, feet, hands)

    turn_rows = np.zeros(len(source_of), TURN)
    for row, (joint, (first, second, weight)) in zip(turn_rows, source_of.items(), strict=True):
        row["joint"], row["first"], row["second"], row["weight"] = joint, first, second, weight
        for name, followed in (("first_factor", first), ("second_factor", second)):
            row[name] = factor(
                source, followed, rotation, quat.multiply(turns[joint], target.reference.rotations[joint])
            )

    standing = _standing(target, turns, source_of)
    sides = _sides(source, target, align, ratio)
    shift, hips_shift = _shifts(source, target, standing, align, ratio, bool(limbs))
    limb_rows = np.zeros(len(limbs), LIMB)
    for row, (first_limb, second_limb, is_leg) in zip(limb_rows, limbs, strict=True):
        fill_limb(
            row, source, target, first_limb, second_limb, is_leg, rotation, align, ratio, shift, turns, sides
        )

    twist_list = twists(target.roles, set(source_of), target.rest)
    twist_list = [twist for twist in twist_list if twist.joint not in source_of]
    twist_rows = np.zeros(len(twist_list), TWIST)
    for row, twist in zip(twist_rows, twist_list, strict=True):
        row["axis"], row["power"], row["rest"], row["base_from_joint"] = (
            twist.axis,
            twist.power,
            twist.rest,
            twist.base_from_joint,
        )
        row["joint"], row["base"], row["other"], row["is_from_above"] = (
            twist.joint,
            twist.base,
            twist.other,
            twist.is_from_above,
        )
    places, needs = place_rows(target, set(source_of), limbs)
    body = np.zeros(1, BODY)
    body["source_from_model"], body["scale"], body["up"], body["origin"] = rotation, ratio, up, hips_shift
    body["heading_factor"] = factor(source, own["hips"], rotation, IDENTITY)
    leg_lengths = [length(target.rest.positions, limb) for limb in target.legs]
    body["most_drop"] = LOWERED * max(leg_lengths, default=0.0)
    body["floor"], body["source_floor"] = target.floor, ratio * source.floor
    body["source_hips"], body["hips"] = own["hips"], their["hips"]
    plan = _core.RetargetPlan(
        source.skeleton.parents,
        target.skeleton.parents,
        target.skeleton.rest.astype(np.float64),
        dependency_order(target.skeleton.parents, needs),
        body,
        turn_rows,
        twist_rows,
        places,
        limb_rows,
    )
    leg_names = tuple(limb.name for _, limb, is_leg in limbs if is_leg)
    chains = tuple(_chain(target.skeleton, limb) for _, limb, _ in limbs)
    return Setup(
        source,
        target,
        roles,
        source_of,
        align,
        rotation,
        ratio,
        shift,
        turns,
        found,
        [twist.joint for twist in twist_list],
        [limb.name for _, limb, _ in limbs],
        leg_names,
        (Feet(source, leg_names), Feet(target, leg_names)),
        np.array([row["sideways"] for row in limb_rows]).reshape(-1, 3),
        plan,
        tree_of(chains) if chains else None,
        np.array([limb.foot == limb.end for _, limb, _ in limbs], bool),
    )


def _followed(
    own: dict[str, int], their: dict[str, int], found: list[Line]
) -> dict[int, tuple[int, int, float]]:
    """Return by joint of the target the two of the source that it follows, and the second's weight."""
    result = {their[role]: (own[role], own[role], 0.0) for role in own}
    for line in found:
        count, many = len(line.source), len(line.target)
        for k, joint in enumerate(line.target, 1):
            at = k * count / many
            before = min(int(np.floor(at + 1e-9)), count)
            weight = max(at - before, 0.0)
            joints = [line.base[0], *line.source]
            if before == count or weight < 1e-9:
                result[joint] = (joints[before], joints[before], 0.0)
            else:
                result[joint] = (joints[before], joints[before + 1], weight)
    return result


def _ratio(source: BodySetup, target: BodySetup) -> float:
    """Return the length of the target for one of the source: of legs, else of what both have."""
    names = [limb.name for limb in source.legs if any(limb.name == other.name for other in target.legs)]
    if names:
        totals = [
            sum(length(body.reference.positions, limb) for limb in body.legs if limb.name in names)
            for body in (source, target)
        ]
        return totals[1] / totals[0]
    spans = []
    roles = [role for role in source.roles.joints if role in target.roles]
    for body in (source, target):
        places = body.reference.positions[[body.roles.index(role) for role in roles]]
        spans.append(float(np.linalg.norm(places - places[0], axis=1).sum()))
    return spans[1] / spans[0] if spans[0] > 0 < spans[1] else 1.0


def _limb_pairs(
    source: BodySetup, target: BodySetup, feet: bool, hands: bool
) -> list[tuple[Limb, Limb, bool]]:
    pairs = []
    for wanted, first, second, is_leg in (
        (feet, source.legs, target.legs, True),
        (hands, source.arms, target.arms, False),
    ):
        if wanted:
            pairs += [(a, b, is_leg) for a in first for b in second if a.name == b.name]
    return pairs


def _standing(target: BodySetup, turns: dict[int, Floats], source_of: dict[int, Any]) -> Posed:
    """Return the target in its reference pose, aligned."""
    skeleton = target.skeleton
    pose = skeleton.rest.astype(np.float64)
    pose[target.roles.index("hips"), :3] = target.pose[target.roles.index("hips"), :3]
    rotations, mirrors = np.empty((len(skeleton), 4)), target.rest.mirrors
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above = IDENTITY if parent < 0 else rotations[parent]
        if joint in source_of:
            rotations[joint] = quat.multiply(turns[joint], target.reference.rotations[joint])
            pose[joint, 3:7] = mirrored(
                mirrors[joint], np.asarray(quat.multiply(quat.conjugate(above), rotations[joint]))
            )
        else:
            rotations[joint] = quat.multiply(above, mirrored(mirrors[joint], pose[joint, 3:7]))
    pose[:, 3:7] = quat.normalize(pose[:, 3:7])
    return posed(skeleton, pose)


def _sides(source: BodySetup, target: BodySetup, align: Floats, ratio: float) -> dict[str, Floats]:
    """Return how much farther from the hips the target's legs begin than the source's, horizontally."""
    up = target.frame[:, 1]
    result = {}
    for limb in target.legs:
        other = next((each for each in source.legs if each.name == limb.name), None)
        if other is None:
            continue
        own = target.reference.positions[limb.upper] - target.reference.positions[target.roles.index("hips")]
        their = (
            source.reference.positions[other.upper] - source.reference.positions[source.roles.index("hips")]
        )
        more = own - ratio * (align @ their)
        result[limb.name] = more - (more @ up) * up
    return result


def _shifts(
    source: BodySetup, target: BodySetup, standing: Posed, align: Floats, ratio: float, has_legs: bool
) -> tuple[Floats, Floats]:
    """Return what is added to scaled places of ankles, and of the hips.

    Horizontally the reference poses are above each other. Vertically soles meet: an ankle that is as high
    over the source's sole as in the reference pose is so for the target; the hips are where legs then end.
    """
    up = target.frame[:, 1]
    own = target.reference.positions[target.roles.index("hips")]
    their = ratio * (align @ source.reference.positions[source.roles.index("hips")])
    shift = own - their
    names = [name for name in target.feet if name in source.feet]
    if not names:
        return shift, shift

    def ankles(body: BodySetup, places: Floats) -> Floats:
        chosen = [limb.end for limb in body.legs if limb.name in names]
        return np.asarray(places[chosen].mean(axis=0))

    over_sole = [
        float(
            np.mean(
                [
                    -(shape.points @ body.frame[:, 1]).min()
                    for name, shape in body.feet.items()
                    if name in names
                ]
            )
        )
        for body in (source, target)
    ]
    across = shift - (shift @ up) * up
    of_feet = target.floor + over_sole[1] - ratio * (source.floor + over_sole[0])
    leg_heights = (
        source.height(
            source.reference.positions[source.roles.index("hips")]
            - ankles(source, source.reference.positions)
        ),
        target.height(standing.positions[target.roles.index("hips")] - ankles(target, standing.positions)),
    )
    of_hips = of_feet + leg_heights[1] - ratio * leg_heights[0]
    return across + of_feet * up, across + of_hips * up


def _chain(skeleton: Skeleton, limb: Limb) -> Chain:
    between = [
        j
        for j in skeleton.chain(limb.upper, limb.end).tolist()
        if j not in (limb.upper, limb.lower, limb.end)
    ]
    return Chain(skeleton, limb.upper, limb.end, fixed=between)
