# SPDX-License-Identifier: MIT
"""Chains of the target whose ends go to goals, with the limits that hold there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lissom._retarget.body import BodySetup
from lissom._retarget.limbs import Limb, LimbPair
from lissom.ik._chain import Chain
from lissom.ik._limits import Limit

__all__ = ["goal_chains"]

WHAT = "Retarget: limits"


def goal_chains(
    target: BodySetup, limbs: Sequence[LimbPair], limits: Mapping[Any, Limit] | None
) -> tuple[Chain, ...]:
    """Return a chain for each limb; refuse limits of joints that no goal bends."""
    by_joint = _by_joint(target, limits)
    names = target.skeleton.names
    bent = [joint for pair in limbs for joint in (pair.target.upper, pair.target.lower)]
    other = next((joint for joint in by_joint if joint not in bent), None)
    if other is not None:
        raise ValueError(
            f"{WHAT} must be of joints that goals bend, "
            f"{', '.join(repr(names[joint]) for joint in bent) or 'none'}, got {names[other]!r}"
        )
    return tuple(_chain(target, pair.target, by_joint) for pair in limbs)


def _by_joint(target: BodySetup, limits: Mapping[Any, Limit] | None) -> dict[int, Limit]:
    """Return limits by index; a joint is given by its name, index or role."""
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise TypeError(
            f"{WHAT} must be a mapping of joints of the target to limits, got {type(limits).__name__}; "
            'pass {"leftLowerLeg": ik.Hinge(...)}'
        )
    result: dict[int, Limit] = {}
    for joint, limit in limits.items():
        is_role = isinstance(joint, str) and joint not in target.skeleton.names and joint in target.roles
        index = target.roles.index(joint) if is_role else target.skeleton._index_of(joint, WHAT)
        if index in result:
            raise ValueError(f"{WHAT} must name each joint once, got {target.skeleton.names[index]!r} twice")
        result[index] = limit
    return result


def _chain(target: BodySetup, limb: Limb, limits: Mapping[int, Limit]) -> Chain:
    line = target.skeleton.chain(limb.upper, limb.end).tolist()
    return Chain(
        target.skeleton,
        limb.upper,
        limb.end,
        {joint: limits[joint] for joint in (limb.upper, limb.lower) if joint in limits},
        fixed=[joint for joint in line if joint not in (limb.upper, limb.lower, limb.end)],
    )
