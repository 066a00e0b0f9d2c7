# SPDX-License-Identifier: MIT
"""Lines of joints that two bodies may have different numbers of: spine, neck and fingers.

Joint k of a line of m follows joint k n / m of the source's n, between two joints by slerp: the last one has
all of the source's bend, and each a share of it.
"""

from __future__ import annotations

from typing import NamedTuple

from lissom._rig.skeleton import Skeleton
from lissom._roles.bones import SIDES
from lissom._roles.roles import Roles

__all__ = ["Line", "lines"]

SPINE = ("spine", "chest", "upperChest")
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
BONES = ("Metacarpal", "Proximal", "Intermediate", "Distal")


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


def lines(source: Roles, target: Roles) -> list[Line]:
    """Return the lines that both bodies have."""
    found = []
    spines, necks = (_spine(source), _spine(target)), (_neck(source), _neck(target))
    base = (source.index("hips"), target.index("hips"))
    head = (source.index("head"), target.index("head")) if _both(source, target, "head") else None
    if all(spines):
        top = (necks[0][0], necks[1][0]) if all(necks) else head
        found.append(Line(base, spines[0], spines[1], top))
        base = (spines[0][-1], spines[1][-1])
    if all(necks):
        found.append(Line(base, necks[0], necks[1], head))
    for side in SIDES:
        for finger in FINGERS:
            bones = [_finger(roles, side + finger) for roles in (source, target)]
            hands = [
                roles.joints.get(side + "Hand", roles.joints.get(side + "LowerArm"))
                for roles in (source, target)
            ]
            if all(bones) and all(hands):
                carriers = (source.skeleton.index(hands[0]), target.skeleton.index(hands[1]))  # type: ignore[arg-type]
                found.append(Line(carriers, bones[0], bones[1], None))
    return found


def _both(source: Roles, target: Roles, role: str) -> bool:
    return role in source and role in target


def _finger(roles: Roles, name: str) -> list[int]:
    return [roles.index(name + bone) for bone in BONES if name + bone in roles]


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
