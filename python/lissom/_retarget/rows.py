# SPDX-License-Identifier: MIT
"""Rows of the plan: src/core/retarget/retarget_plan.h says what each number is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._retarget.body import BodySetup
from lissom._retarget.chains import Followed
from lissom._retarget.limbs import LimbPair, length
from lissom._retarget.plan import BODY, LIMB, PLACE, TURN, TWIST
from lissom._retarget.posed import IDENTITY, Floats
from lissom._retarget.similarity import Similarity
from lissom._retarget.standing import sideways
from lissom._retarget.twists import Twist
from lissom._roles.bones import HIND, LEG, LIMBS, NEEDED, SIDES, TRUNK
from lissom._roles.roles import Roles

__all__ = ["body_row", "limb_rows", "place_rows", "turn_rows", "twist_rows"]

Rows = NDArray[np.void]
STRAIGHT = 0.9995  # of a limb's length: goals are at most so far away
CONTACT = 0.04  # of a foot's length: see RetargetLimb.contact
LIFTED = 0.1  # of a foot's length: see RetargetLimb.lifted
LOWERED = 0.2  # of a leg: the pelvis is lowered by at most so much


def body_row(source: BodySetup, target: BodySetup, similarity: Similarity, hips_shift: Floats) -> Rows:
    """Return the row of what is common to all joints."""
    rows = np.zeros(1, BODY)
    row = rows[0]
    row["source_from_model"], row["scale"] = similarity.rotation, similarity.ratio
    row["up"], row["origin"] = target.up, hips_shift
    row["heading_factor"] = _factor(source, source.hips, similarity, IDENTITY)
    leg_lengths = [length(target.rest.positions, limb) for limb in target.legs]
    row["most_drop"] = LOWERED * max(leg_lengths, default=0.0)
    row["floor"], row["source_floor"] = target.floor, similarity.ratio * source.floor
    row["source_hips"], row["hips"] = source.hips, target.hips
    return rows


def turn_rows(
    source: BodySetup,
    target: BodySetup,
    similarity: Similarity,
    source_of: Mapping[int, Followed],
    turns: Mapping[int, Floats],
) -> Rows:
    """Return rows of the joints that follow the source's."""
    rows = np.zeros(len(source_of), TURN)
    for row, (joint, partner) in zip(rows, source_of.items(), strict=True):
        row["joint"], row["first"], row["second"], row["weight"] = joint, *partner
        aligned = np.asarray(quat.multiply(turns[joint], target.reference.rotations[joint]))
        row["first_factor"] = _factor(source, partner.first, similarity, aligned)
        row["second_factor"] = _factor(source, partner.second, similarity, aligned)
    return rows


def twist_rows(twists: Sequence[Twist]) -> Rows:
    """Return rows of twist joints."""
    rows = np.zeros(len(twists), TWIST)
    for row, twist in zip(rows, twists, strict=True):
        for name, value in twist._asdict().items():
            row[name] = value
    return rows


def limb_rows(
    source: BodySetup,
    target: BodySetup,
    similarity: Similarity,
    limbs: Sequence[LimbPair],
    turns: Mapping[int, Floats],
) -> Rows:
    """Return rows of limbs with goals."""
    rows = np.zeros(len(limbs), LIMB)
    for row, pair in zip(rows, limbs, strict=True):
        own, their = pair.source, pair.target
        row["source_upper"], row["source_end"] = own.upper, own.foot
        row["source_toes"] = own.foot if own.toes is None else own.toes
        row["upper"], row["lower"], row["end"], row["is_leg"] = (
            their.upper,
            their.lower,
            their.end,
            pair.is_leg,
        )
        row["reach"] = STRAIGHT
        of_source = similarity.ratio * length(source.reference.positions, own)
        row["scale"] = length(target.rest.positions, their) / of_source
        for name, joint in (("end_factor", own.foot), ("toes_factor", int(row["source_toes"]))):
            row[name] = _factor(source, joint, similarity, IDENTITY)
        row["contact"] = row["lifted"] = 1.0
        if pair.is_leg:
            row["origin"] = similarity.shift
            row["sideways"] = sideways(source, target, pair, similarity)
            _fill_sole(row, source, target, similarity, pair, turns)
    return rows


def _fill_sole(
    row: Any,
    source: BodySetup,
    target: BodySetup,
    similarity: Similarity,
    pair: LimbPair,
    turns: Mapping[int, Floats],
) -> None:
    theirs = similarity.vectors(source.feet[pair.name].points)
    row["contact"] = max(CONTACT * float(np.linalg.norm(theirs[2] - theirs[0])), 1e-9)
    row["lifted"] = LIFTED / CONTACT * row["contact"]
    source_foot, source_toes = _of_foot_and_toes(theirs, pair.source.toes is not None)
    aligned = np.asarray(quat.rotate(turns[pair.target.foot], target.feet[pair.name].points))
    foot, toes = _of_foot_and_toes(aligned, pair.target.toes in turns)
    points = row["points"]
    points["source_foot"], points["source_toes"] = source_foot, source_toes
    points["surplus_foot"], points["surplus_toes"] = foot - source_foot, toes - source_toes


def _of_foot_and_toes(points: Floats, has_toes: bool) -> tuple[Floats, Floats]:
    """Return the parts of heel, ball and tip that move with the foot and, of the tip, with the toes."""
    foot, toes = points.copy(), np.zeros_like(points)
    if has_toes:
        foot[2], toes[2] = points[1], points[2] - points[1]
    return foot, toes


def place_rows(
    target: BodySetup, turned: set[int], limbs: Sequence[LimbPair], companions: Mapping[int, int]
) -> tuple[Rows, dict[int, list[int]]]:
    """Return rows of joints that do not hang on the joint that carries them, and the joints they need."""
    roles, skeleton = target.roles, target.skeleton
    rows, needs = [], {}
    goals = {
        pair.target.foot: (index, pair.target.end)
        for index, pair in enumerate(limbs)
        if pair.is_leg and not pair.target.is_whole
    }
    for role in roles.joints:
        joint, carrier = roles.index(role), _carrier(roles, role)
        if carrier is None or joint not in turned or skeleton.is_in_hierarchy(joint, carrier):
            continue
        row = np.zeros(1, PLACE)
        offset = target.rest.positions[joint] - target.rest.positions[carrier]
        row["offset"] = quat.rotate(quat.conjugate(target.rest.rotations[carrier]), offset)
        row["joint"], row["from"], row["limb"] = joint, carrier, -1
        needs[joint] = [carrier]
        if joint in goals:
            row["limb"], end = goals[joint]
            needs[joint] = [end, carrier]
        rows.append(row)
    reference = target.reference
    for joint, carrier in companions.items():
        row = np.zeros(1, PLACE)
        offset = reference.positions[joint] - reference.positions[carrier]
        row["offset"] = quat.rotate(quat.conjugate(reference.rotations[carrier]), offset)
        row["joint"], row["from"], row["limb"] = joint, carrier, -1
        needs[joint] = [carrier]
        rows.append(row)
    return np.concatenate(rows) if rows else np.zeros(0, PLACE), needs


def _factor(source: BodySetup, joint: int, similarity: Similarity, rest: Floats) -> Floats:
    """Return what takes the source's joint to a joint that is `rest` in the reference pose."""
    back = quat.conjugate(quat.multiply(similarity.rotation, source.reference.rotations[joint]))
    return np.asarray(quat.multiply(back, rest), np.float64)


def _carrier(roles: Roles, role: str) -> int | None:
    """Return the joint that carries the one of a role in any body: the nearest inwards that is there.

    None for the hips, and beyond a role that a body of the kind must have.
    """
    if role == "tail":
        return roles.index("hips")
    side = next((each for each in SIDES if role.startswith(each)), "")
    bone = role.removeprefix(side)
    if not side:
        inwards = TRUNK[: TRUNK.index(role)]
    else:
        line = next((line for line in LIMBS if bone in line), None)
        if line is None:  # fingers hang where they should in all files
            return None
        trunk = ("hips",) if line in (LEG, HIND) else TRUNK[: TRUNK.index("upperChest") + 1]
        inwards = (*trunk, *(side + above for above in line[: line.index(bone)]))
    for name in reversed(inwards):
        if name in roles:
            return roles.index(name)
        if name in NEEDED.get(roles.kind, ()) and name not in TRUNK:
            return None
    return None
