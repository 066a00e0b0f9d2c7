# SPDX-License-Identifier: MIT
"""Legs and arms whose ends have goals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from lissom._retarget.posed import Floats, Posed
from lissom._rig.skeleton import Skeleton
from lissom._roles.bones import SIDES
from lissom._roles.roles import Roles
from lissom.ik._feet.rig import Rig

__all__ = ["Limb", "LimbPair", "arms", "legs", "length", "paired", "shins"]

AT_END = 0.02  # of the size: a joint so near to a foot beside the leg ends the leg
# Scales of one joint that differ by more, relative to the largest, make a limb that no solver bends.
UNEVEN = 1e-4
LEG_BONES = ("UpperLeg", "LowerLeg", "Foot")


class Limb(NamedTuple):
    """A limb of one body by index: the joints that rotate, and the one that goes where it should."""

    name: str
    upper: int
    lower: int
    end: int
    foot: int
    """The joint that carries the foot or hand: the end, or one beside the limb."""
    toes: int | None

    @property
    def is_whole(self) -> bool:
        """Whether the end carries the foot or hand."""
        return self.foot == self.end


class LimbPair(NamedTuple):
    """The same limb of both bodies."""

    source: Limb
    target: Limb
    is_leg: bool

    @property
    def name(self) -> str:
        """The role of its foot or hand."""
        return self.target.name


def legs(roles: Roles, rest: Posed) -> tuple[list[Limb], dict[str, str]]:
    """Return the legs by role, and why others have no goals."""
    return _limbs(roles, rest, _leg_names(roles), LEG_BONES, "Toes")


def arms(roles: Roles, rest: Posed) -> tuple[list[Limb], dict[str, str]]:
    """Return the arms by role, and why others have no goals."""
    if roles.kind == "quadruped":
        return [], {}
    return _limbs(roles, rest, list(SIDES), ("UpperArm", "LowerArm", "Hand"), None)


def paired(source: Iterable[Limb], target: Iterable[Limb], *, is_leg: bool) -> list[LimbPair]:
    """Return the limbs that both bodies have."""
    their = {limb.name: limb for limb in target}
    return [LimbPair(limb, their[limb.name], is_leg) for limb in source if limb.name in their]


def shins(rig: Rig, roles: Roles) -> list[tuple[int, int]]:
    """Return knee and foot of the legs that end with the knee, their feet beside them.

    `Rig.with_shin_ends` gives those legs an end.
    """
    skeleton = rig.skeleton
    positions = skeleton.positions(skeleton.rest.astype(np.float64))
    found = []
    for name in _leg_names(roles):
        if all(name + bone in roles for bone in LEG_BONES):
            upper, lower, foot = (roles.index(name + bone) for bone in LEG_BONES)
            is_apart = not skeleton.is_in_hierarchy(foot, upper)
            if is_apart and _end(skeleton, positions, lower, foot) is None:
                found.append((lower, foot))
    return found


def length(positions: Floats, limb: Limb) -> float:
    """Return the length of both bones of a limb."""
    upper, lower, end = positions[[limb.upper, limb.lower, limb.end]]
    return float(np.linalg.norm(lower - upper) + np.linalg.norm(end - lower))


def _leg_names(roles: Roles) -> list[str]:
    kinds = ("Fore", "Hind") if roles.kind == "quadruped" else ("",)
    return [side + kind for kind in kinds for side in SIDES]


def _limbs(
    roles: Roles, rest: Posed, names: list[str], bones: tuple[str, str, str], toes: str | None
) -> tuple[list[Limb], dict[str, str]]:
    found, without = [], {}
    for name in names:
        lacking = [name + bone for bone in bones if name + bone not in roles]
        if lacking:
            without[name + bones[-1]] = f"no joint plays {' and '.join(lacking)}"
            continue
        upper, lower, foot = (roles.index(name + bone) for bone in bones)
        end = _end(roles.skeleton, rest.positions, lower, foot)
        if end is None:
            without[name + bones[-1]] = (
                f"no joint below {roles.skeleton.names[lower]!r} ends the limb where it should"
            )
            continue
        if not roles.skeleton.is_in_hierarchy(lower, upper) or not _is_even(roles.skeleton, upper, end):
            without[name + bones[-1]] = (
                f"the joints from {roles.skeleton.names[upper]!r} down are scaled or not in line"
            )
            continue
        tip = None if toes is None or name + toes not in roles else roles.index(name + toes)
        found.append(Limb(name + bones[-1], upper, lower, end, foot, tip))
    return found, without


def _end(skeleton: Skeleton, positions: Floats, lower: int, foot: int) -> int | None:
    """Return the joint below `lower` that is where the foot is: the foot, or what ends a leg beside it."""
    if skeleton.is_in_hierarchy(foot, lower):
        return foot
    below = [j for j in range(len(skeleton)) if j != lower and skeleton.is_in_hierarchy(j, lower)]
    if not below:
        return None
    distances = np.linalg.norm(positions[below] - positions[foot], axis=1)
    nearest = int(np.argmin(distances))
    return below[nearest] if distances[nearest] < AT_END * skeleton.size else None


def _is_even(skeleton: Skeleton, upper: int, end: int) -> bool:
    carrying = [joint for joint in range(upper) if skeleton.is_in_hierarchy(upper, joint)]
    scales = np.abs(skeleton.rest[[*carrying, *skeleton.chain(upper, end)], 7:].astype(np.float64))
    return bool((np.ptp(scales, axis=1) <= UNEVEN * scales.max(axis=1)).all() and scales.min() > 0)
