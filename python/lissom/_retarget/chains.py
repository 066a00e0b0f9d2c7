# SPDX-License-Identifier: MIT
"""Lines of joints that two bodies may have different numbers of: spine, neck and fingers.

Joint k of a line of m follows joint k n / m of the source's n, between two joints by slerp: the last one has
all of the source's bend, and each a share of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom._rig.skeleton import Skeleton
from lissom._roles.bones import DIGITS, HUMANOID, SIDES
from lissom._roles.roles import Roles

__all__ = ["Followed", "Line", "Lines", "followed", "lines"]

SPINE = ("spine", "chest", "upperChest")
LAST = 1e-9  # of a joint: a share of the next that is rounding


class Line(NamedTuple):
    """Joints of both bodies, from the base outwards.

    Attributes
    ----------
    base : (int, int)
        The joints that carry the lines, of source and target.
    source, target : list of int
    end : (int, int) or None
        The joints that the last bones point at; None where there is none that both have.
    """

    base: tuple[int, int]
    source: list[int]
    target: list[int]
    end: tuple[int, int] | None


class Lines(NamedTuple):
    """The lines that both bodies have."""

    spine: Line | None
    neck: Line | None
    fingers: list[Line]

    @property
    def trunk(self) -> list[Line]:
        """Spine and neck, those that there are."""
        return [line for line in (self.spine, self.neck) if line is not None]


class Followed(NamedTuple):
    """The joints of the source that a joint of the target follows: between two, by the second's weight."""

    first: int
    second: int
    weight: float


def lines(source: Roles, target: Roles) -> Lines:
    """Return the lines that both bodies have."""
    spine = neck = None
    spines, necks = (_spine(source), _spine(target)), (_neck(source), _neck(target))
    base = (source.index("hips"), target.index("hips"))
    head = (source.index("head"), target.index("head")) if "head" in source and "head" in target else None
    if all(spines):
        top = (necks[0][0], necks[1][0]) if all(necks) else head
        spine = Line(base, spines[0], spines[1], top)
        base = (spines[0][-1], spines[1][-1])
    if all(necks):
        neck = Line(base, necks[0], necks[1], head)
    fingers = []
    for side in SIDES:
        for digit in DIGITS:
            own, their = (_finger(roles, side, digit) for roles in (source, target))
            if own is not None and their is not None:
                fingers.append(Line((own[0], their[0]), own[1:], their[1:], None))
    return Lines(spine, neck, fingers)


def followed(source: dict[str, int], target: dict[str, int], found: Lines) -> dict[int, Followed]:
    """Return by joint of the target what it follows; `source` and `target` are joints by role."""
    result = {target[role]: Followed(source[role], source[role], 0.0) for role in source}
    for line in (*found.trunk, *found.fingers):
        count, many = len(line.source), len(line.target)
        joints = [line.base[0], *line.source]
        for k, joint in enumerate(line.target, 1):
            at = k * count / many
            before = min(int(np.floor(at + LAST)), count)
            weight = max(at - before, 0.0)
            is_one = before == count or weight < LAST
            second = joints[before] if is_one else joints[before + 1]
            result[joint] = Followed(joints[before], second, 0.0 if is_one else weight)
    return result


def _finger(roles: Roles, side: str, digit: str) -> list[int] | None:
    """Return the joint that carries a finger and its own; None where one of them is missing."""
    bones = [roles.index(role) for role in HUMANOID if role.startswith(side + digit) and role in roles]
    hand = next((side + bone for bone in ("Hand", "LowerArm") if side + bone in roles), None)
    return [roles.index(hand), *bones] if bones and hand is not None else None


def _spine(roles: Roles) -> list[int]:
    """Return all joints between the hips and the topmost that is named as spine."""
    named = [roles.index(role) for role in SPINE if role in roles]
    return _between(roles.skeleton, roles.index("hips"), named[-1], named) if named else []


def _neck(roles: Roles) -> list[int]:
    """Return all joints between spine and head, the neck the first of them."""
    if "neck" not in roles:
        return []
    neck = roles.index("neck")
    if "head" not in roles:
        return [neck]
    head = roles.index("head")
    return [neck, *[j for j in _between(roles.skeleton, neck, head, [head]) if j != head]]


def _between(skeleton: Skeleton, above: int, joint: int, named: list[int]) -> list[int]:
    """Return the joints below one down to another; `named` where that does not descend from it."""
    path = []
    while joint >= 0 and joint != above:
        path.append(joint)
        joint = int(skeleton.parents[joint])
    return path[::-1] if joint == above else named
