# SPDX-License-Identifier: MIT
"""Chains of the target whose ends go to goals, with the limits that hold there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lissom._base.names import unknown_name
from lissom._retarget.body import BodySetup
from lissom._retarget.limbs import LimbPair
from lissom._retarget.posed import Floats
from lissom.ik._bend_axis import straight_limb_axis
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
    # Learned limits have those of hands and feet, too, whose rotations are the source's.
    ends = [joint for pair in limbs for joint in (pair.target.end, pair.target.foot, pair.target.toes)]
    other = next((joint for joint in by_joint if joint not in bent and joint not in ends), None)
    if other is not None:
        raise ValueError(
            f"{WHAT} must be of joints that goals bend, "
            f"{', '.join(repr(names[joint]) for joint in bent) or 'none'}, got {names[other]!r}"
        )
    return tuple(_chain(target, pair, by_joint) for pair in limbs)


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
        index, names = _index(target, joint), target.skeleton.names
        if index in result:
            raise ValueError(f"{WHAT} must name each joint once, got {names[index]!r} twice")
        if not isinstance(limit, Limit):
            raise TypeError(
                f"{WHAT} of {names[index]!r} must be BallSocket, Hinge or SwingTwist, got "
                f"{type(limit).__name__}"
            )
        result[index] = limit
    return result


def _index(target: BodySetup, joint: Any) -> int:
    names = target.skeleton.names
    if isinstance(joint, str) and joint not in names:
        if joint in target.roles:
            return target.roles.index(joint)
        raise ValueError(f"{WHAT}: {unknown_name('joint', joint, [*target.roles.joints, *names])}")
    return target.skeleton._index_of(joint, WHAT)


def _chain(target: BodySetup, pair: LimbPair, limits: Mapping[int, Limit]) -> Chain:
    limb = pair.target
    line = target.skeleton.chain(limb.upper, limb.end).tolist()
    return Chain(
        target.skeleton,
        limb.upper,
        limb.end,
        {joint: limits[joint] for joint in (limb.upper, limb.lower) if joint in limits},
        fixed=[joint for joint in line if joint not in (limb.upper, limb.lower, limb.end)],
        bend_axis=None if limb.lower in limits else _bend_axis(target, pair),
    )


def _bend_axis(target: BodySetup, pair: LimbPair) -> Floats | None:
    """Return the axis of a knee or elbow that rests straight: shins bend backwards, fore arms forwards."""
    if target.roles.kind == "quadruped":
        return None
    limb, forward = pair.target, target.frame[:, 2]
    towards = -forward if pair.is_leg else forward
    return straight_limb_axis(target.skeleton, target.pose, (limb.upper, limb.lower, limb.end), towards)
