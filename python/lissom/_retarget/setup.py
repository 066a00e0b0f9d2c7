# SPDX-License-Identifier: MIT
"""Everything about two bodies that does not depend on the pose, prepared once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._retarget.alignment import Bones, aligned_rests
from lissom._retarget.body import BodySetup, measure_feet
from lissom._retarget.chains import Followed, Lines, followed, lines
from lissom._retarget.companions import companions
from lissom._retarget.feet import Feet
from lissom._retarget.goal_chains import goal_chains
from lissom._retarget.limbs import LimbPair, paired
from lissom._retarget.plan import dependency_order
from lissom._retarget.posed import IDENTITY, Floats
from lissom._retarget.rows import body_row, limb_rows, place_rows, turn_rows, twist_rows
from lissom._retarget.similarity import Similarity
from lissom._retarget.standing import length_ratio, shifts, standing
from lissom._retarget.twists import twists
from lissom.ik._chain import tree_of
from lissom.ik._limits import Limit

__all__ = ["Setup", "prepare"]


@dataclass(eq=False, kw_only=True)
class Setup:
    """Two bodies, and what the core needs to carry poses over.

    Attributes
    ----------
    source, target : BodySetup
    roles : tuple of str
        Those that both have.
    similarity : Similarity
    lines : Lines
    source_of : dict of int to Followed
        By joint of the target.
    turns : dict of int to ndarray, shape (4,)
        Rotations in the target's model space that align its reference pose.
    twist_joints : list of int
    limbs : list of LimbPair
        Those with goals.
    sideways : ndarray, shape (E, 3)
        How much farther from the hips limbs of the target begin; zero for arms.
    plan, tree : _core.RetargetPlan, _core.IkTree or None
    """

    source: BodySetup
    target: BodySetup
    roles: tuple[str, ...]
    similarity: Similarity
    lines: Lines
    source_of: dict[int, Followed]
    turns: dict[int, Floats]
    twist_joints: list[int]
    limbs: list[LimbPair]
    sideways: Floats
    plan: Any
    tree: Any

    @cached_property
    def leg_columns(self) -> dict[str, int]:
        """Places of legs among the limbs, by name."""
        return {pair.name: column for column, pair in enumerate(self.limbs) if pair.is_leg}

    @cached_property
    def feet(self) -> tuple[Feet, Feet]:
        """Those of source and target, in the order of `leg_columns`."""
        legs = [pair for pair in self.limbs if pair.is_leg]
        return Feet(self.source, [pair.source for pair in legs]), Feet(
            self.target, [pair.target for pair in legs]
        )

    @cached_property
    def has_end(self) -> NDArray[np.bool_]:
        """Whether the joint that ends a limb of the target carries its foot or hand, (E,)."""
        return np.array([pair.target.is_whole for pair in self.limbs], bool)


def prepare(
    source: BodySetup,
    target: BodySetup,
    *,
    feet: bool,
    hands: bool,
    limits: Mapping[Any, Limit] | None,
    align: bool,
) -> Setup:
    """Return all that the core needs."""
    if source.roles.kind != target.roles.kind:
        kinds = " and ".join(f"a {body.roles.kind or 'body of none'}" for body in (source, target))
        raise ValueError(
            f"Retarget: source and target must be bodies of one kind, got {kinds}; name the joints that "
            "correspond by roles"
        )
    roles = tuple(role for role in source.roles.joints if role in target.roles)
    own = {role: source.roles.index(role) for role in roles}
    their = {role: target.roles.index(role) for role in roles}
    facing = target.frame @ source.frame.T
    found = lines(source.roles, target.roles)
    source_of = followed(own, their, found)
    turns = dict.fromkeys(source_of, IDENTITY)
    if align:
        bones = Bones(own, their, source.reference.positions @ facing.T, target.reference.positions)
        aligned = aligned_rests(bones, found, target.up, target.frame[:, 2])
        turns = {joint: aligned[joint] for joint in source_of}

    legs = paired(source.legs, target.legs, is_leg=True)
    measure_feet(source, [pair.source for pair in legs], is_needed=feet)
    measure_feet(target, [pair.target for pair in legs], is_needed=feet)
    similarity = Similarity(facing, length_ratio(source, target, legs))
    stood = standing(target, turns)
    shift, hips_shift = shifts(source, target, legs, stood, similarity)
    similarity = replace(similarity, shift=shift)
    limbs = (legs if feet else []) + (paired(source.arms, target.arms, is_leg=False) if hands else [])

    nearest = companions(target, source_of, _trunk(target, found))
    for joint, carrier in nearest.items():
        source_of[joint], turns[joint] = source_of[carrier], turns[carrier]
    turned = set(source_of)
    twisted = [each for each in twists(target.roles, turned, target.rest) if each.joint not in turned]
    goals = limb_rows(source, target, similarity, limbs, turns)
    places, needs = place_rows(target, turned, limbs, nearest)
    plan = _core.RetargetPlan(
        source.skeleton.parents,
        target.skeleton.parents,
        target.skeleton.rest.astype(np.float64),
        dependency_order(target.skeleton.parents, needs),
        body_row(source, target, similarity, hips_shift),
        turn_rows(source, target, similarity, source_of, turns),
        twist_rows(twisted),
        places,
        goals,
    )
    chains = goal_chains(target, limbs, limits)
    return Setup(
        source=source,
        target=target,
        roles=roles,
        similarity=similarity,
        lines=found,
        source_of=source_of,
        turns=turns,
        twist_joints=[twist.joint for twist in twisted],
        limbs=limbs,
        sideways=goals["sideways"],
        plan=plan,
        tree=tree_of(chains) if chains else None,
    )


def _trunk(target: BodySetup, found: Lines) -> list[int]:
    heads = [target.roles.index("head")] if "head" in target.roles else []
    return [target.hips, *(joint for line in found.trunk for joint in line.target), *heads]
